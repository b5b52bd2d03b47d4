/**
 * Descriptions of fields and parameters whose schema has none of its own. By name, because a name means the same
 * everywhere; `Schema.field` goes before `field`. A test finds a name without a description.
 */
const RFC_3339 = 'RFC 3339, with any offset.'

const KEY = 'Letters, digits and hyphens; case-sensitive.'

const fields: Record<string, string> = {
  // All resources
  id: 'Opaque and permanent. Never reused, and unique across all kinds of resource.',
  name: 'The name for people, on one line. Without control characters, and without white space at its ends.',
  description: 'Free text. Tab, CR and LF are allowed, other control characters are not.',
  external_key: `Your key for the resource, unique among its kind. ${KEY}`,
  is_active: 'A filter of lists. It hides nothing by itself.',
  valid_from: 'Start of the validity. Lists omit the resource before it.',
  valid_to: 'End of the validity. Lists omit the resource after it. Null: no end.',
  created_at: 'When the resource was created.',
  updated_at: 'When the resource was last changed. Attaching and removing tags does not change it.',
  deleted_at: 'When the resource was deleted. Null if it is not deleted.',
  tags: 'The tags of the resource, at most 200.',
  data: 'The content of the response.',
  url: 'Where events are sent, by `https`.',
  event_types: 'The events that are sent. Default: `asset.moved` alone.',
  retry: 'How long an event is attempted. Default: `standard`.',
  filter: 'Which assets and locations events must be about. Replaced whole; null clears it.',
  asset_types: 'Types of assets. An empty list means any.',
  location_ids:
    'Locations; of a move, either end. An empty list means any. A deleted location matches nothing.',
  'WebhookFilter.include_descendants': 'Whether sub-locations of these locations count.',
  'WebhookFilterInput.include_descendants': 'Whether sub-locations of these locations count.',
  attempt: 'The number of the attempt, from 1.',
  attempted_at: 'When the attempt began.',
  outcome: '`delivered` after a 2xx response, otherwise `failed`.',
  status_code: 'The status of the response. Null if there was no complete response.',
  latency_ms: 'How long the attempt took, in milliseconds.',
  limit: 'The limit of the request.',
  offset: 'The offset of the request.',
  descendant_count_affected: 'How many live sub-locations, at any depth, show the new key in their path.',
  // Assets
  type: 'The kind of asset.',
  metadata:
    'Your own JSON object, at most 64 KiB and 32 levels deep. Integers beyond ±(2^53-1) must be strings.',
  // Tags
  tag_type: 'The technology of the tag.',
  value:
    'What a reader reports. Stored exactly as sent. Reads match it exactly first, then in other spellings.',
  'Tag.id': 'The id of the tag, to remove it.',
  'Tag.epc':
    'The EPC in the value. `rfid` tags alone have it, null if the value is not an EPC of these schemes, in hex or as a URN.',
  'Epc.scheme': 'The scheme of the GS1 Tag Data Standard.',
  'Epc.uri': 'The EPC as a tag URI. For a value that is a pure identity, the same as `pure_identity_uri`.',
  'Epc.pure_identity_uri': 'The EPC without the filter value.',
  'Epc.company_prefix': 'The GS1 company prefix.',
  'Epc.filter': 'The filter value. Null for a value that is a pure identity, which matches each of them.',
  'Epc.serial':
    'The serial number, for `sgln-96` the extension. Null for `sscc-96` and `giai-96`, which have none.',
  'EchoedTag.epc': 'Ignored.',
  home_location_id: 'The id of the location where the asset belongs. Null if it has no home.',
  home_location_external_key:
    'The external key of the location where the asset belongs. Null if it has no home, or if the location was deleted since.',
  // Locations
  parent_id: 'The id of the location that contains this one. Null for a root.',
  parent_external_key: 'The external key of the location that contains this one. Null for a root.',
  'Rename.external_key': `The new external key. ${KEY}`,
  // Where assets are
  asset_id: 'The id of the asset.',
  asset_external_key: 'The external key of the asset.',
  location_id:
    'The id of the location. Null if the asset was seen at no location, or at one that was deleted since.',
  location_external_key: 'The external key of the location. Null where `location_id` is.',
  asset_deleted_at: 'When the asset was deleted. Null if it is not deleted.',
  asset_last_seen: 'When the asset was last seen.',
  dwell_started_at:
    'First scan of the current unbroken time at the location. Null with `at`, and without a location.',
  dwell_seconds: 'Seconds from `dwell_started_at` to `asset_last_seen`. Null where `dwell_started_at` is.',
  event_observed_at: 'When the asset was seen.',
  duration_seconds:
    'Seconds that the asset spent at the previous location before this scan. Null on the earliest row of the history.',
  asset: 'The external key of the asset.',
  location: 'The external key of the location.',
  'Movement.occurred_at': 'When the asset was first seen at the new location.',
  'Movement.asset': 'The asset that moved, as it is now. Key and name are null once it is deleted.',
  'Movement.from_location':
    'The location before. Null for the first location, and after a scan without a location.',
  'Movement.to_location': 'The new location, as it is now. Key and name are null once it is deleted.',
  'Movement.dwell_seconds':
    'Whole seconds until the next movement of the asset. Null for its newest movement.',
  'AuditActor.id': 'The id of the user or the API key. Null for operators.',
  'AuditActor.name': 'The name at that time. Null for operators.',
  'AuditActor.type': '`user`, `key`, or `operator` of the installation.',
  'AuditPage.cursor': 'With `after`: send it as the next `after`.',
  'AuditPage.has_more': 'With `after`: whether there are rows after the cursor.',
  'AuditRow.action': '`<type>.create`, `.update`, `.delete` or `.restore`, or `session.fail`.',
  'AuditRow.changes':
    'From what to what, by field; what was empty or is gone is null. A secret has null for both.',
  'AuditRow.ip': 'The address of the client. Null for operators.',
  'AuditRow.request_id': 'The `X-Request-Id` of the request.',
  'AuditSubject.external_key': 'The external key at that time; of a session its UUID.',
  'AuditSubject.id': 'The id, or null if it has none.',
  'AuditSubject.type': 'For example `asset`, `reader` or `api_key`.',
  'MovedThing.external_key': 'The external key. Null once it is deleted.',
  'MovedThing.name': 'The name. Null once it is deleted.',
  'EventPage.cursor': 'Send it as `after` to get what follows. It is there without events too.',
  'EventPage.has_more': 'Whether more events are recorded already.',
  'Event.id': 'Of a movement: the `delivery_id` of its webhook.',
  'Event.occurred_at': 'When it happened.',
  'Event.recorded_at': 'When the feed recorded it. It never goes back from one event to the next.',
  'Event.data': 'What happened, by `type`: see the guide.',
  'EndpointDelivery.type': 'The type of the event.',
  'EndpointDelivery.occurred_at': 'When it happened.',
  'EndpointDelivery.attempts': 'Attempts since it was last sent again, or since the first one.',
  'EndpointDeliveryDetail.type': 'The type of the event.',
  'EndpointDeliveryDetail.occurred_at': 'When it happened.',
  'EndpointDeliveryDetail.attempts': 'All attempts, oldest first; before it was sent again, the last 100.',
  'EndpointDeliveryDetail.body': 'What is sent. Null once the event is no longer kept.',
  state:
    '`failed`: all attempts were used. `dropped`: the endpoint was off, or its filter left the event out.',
  next_attempt_at:
    'When the next attempt is due. Null unless it waits, and while it waits for an earlier event of the same thing.',
  last: 'The last attempt. Null if there was none.',
  at: 'When the attempt began.',
  'EndpointDeliveryPage.cursor': 'Send it as `after` to get the next page. Null on the last page.',
  'EndpointDeliveryPage.has_more': 'Whether there are older events that match.',
  'ReplayRequest.from': 'Events that were recorded at this time or later. RFC 3339, with any offset.',
  'ReplayRequest.to': 'Events that were recorded at this time or earlier. Without it: until now.',
  'ReplayRequest.event_types': 'Only events of these types. Without it: of all types that the webhook gets.',
  count: 'How many events these are.',
  oldest_occurred_at: 'When the oldest of them happened. Null if there are none.',
  'Visit.location':
    'Where it stayed. With `include_descendants`, the nearest location that the request names.',
  'Visit.started_at': 'When the asset was first seen there.',
  ended_at: 'When the asset was seen elsewhere or without a location. Null while the visit is open.',
  'Visit.last_seen_at': 'When the asset was last seen during the visit.',
  'VisitPage.cursor': 'Send it as `after` to get the next page. Null on the last page.',
  'VisitPage.has_more': 'Whether there may be older visits that match.',
  'VisitGroup.id': 'Id of the location or asset. Null for a type of asset and a day.',
  'VisitGroup.external_key': 'The external key. Null for a type of asset and a day, and once it is deleted.',
  'VisitGroup.name':
    'The name, null once it is deleted; or the type of asset; or the day, such as `2026-11-21`.',
  group: 'What the visits have in common.',
  visits: 'Visits, or parts of visits, in the time.',
  assets: 'Different assets among them.',
  seconds_total: 'Seconds of all of them.',
  seconds_median: 'The median of their seconds, nearest rank.',
  seconds_p95: 'The 95th percentile of their seconds, nearest rank.',
  over_limit: 'Visits longer than `limit_seconds`. Null without it.',
  'MovementPage.cursor': 'Send it as `after` to get the next page. Null on the last page.',
  'MovementPage.has_more': 'Whether there are older movements that match.',
  reason: 'Why the asset is unsteady.',
  locations: 'The two places. The second is where it was read last.',
  movements: 'Movements between the two places in the last 24 hours.',
  last_at: 'When the asset last moved between the two places, or when the read that waits was made.',
  setting: 'What to change in the settings of positions. Other settings stay as they are.',
  passages: 'What becomes of a place where an asset was read last in a minute that has another one.',
  tag_types: 'Reads of tags of these types are judged by their strength.',
  margin_db: 'How much stronger another place must be, in dB.',
  exit_delay_seconds: 'How long the strength of a place counts, at least a minute.',
  min_rssi_dbm: 'The strength of the weakest read that counts, in dBm. Null: any.',
  last_seen: 'When the asset was last seen.',
  asset_identifiers: 'External keys of the assets, 1 to 10 000. A key that is repeated counts once.',
  location_identifier: 'The external key of the location where the assets are.',
  'InventorySaved.location_id': 'The id of the location.',
  location_name: 'The name of the location.',
  'DecodedMessage.reads': 'The reads of the message, the first 1 000.',
  problems: 'What was not understood, and mistakes in the settings of the device.',
  'DecodedRead.antenna': 'The antenna of the read. Null for one that cannot be.',
  'DecodedRead.ibeacon':
    'The identity of an iBeacon, by which its tag is found too. Absent if there is none.',
  'DecodedRead.location_key': 'The location that the device names. Null: the antenna decides.',
  'DecodedRead.read_at': 'When the tag was read, as the device says. Null if it does not say.',
  'DecodedRead.rssi': 'The strength of the signal in dBm. Null if unknown.',
  'DecodedRead.outcome': '`scan` and `no_location` are rows of history. The others are none, and say why.',
  'ReaderMessageProblem.pointer': 'The place in the message, a JSON pointer. Empty for the whole message.',
  'ReaderMessageProblem.code': 'What is wrong. More codes may come.',
  'ReaderMessageProblem.detail': 'What is wrong and what to do, for people.',
  'ReaderMessage.received_at':
    'When the message came, or when the broker last reported that a device used the key.',
  'ReaderMessage.subject': 'The topic as a NATS subject. Empty where `via` is `broker`: nobody knows it.',
  'ReaderMessage.size': 'The size of the message in bytes.',
  'ReaderMessage.head': 'The first 8 KiB as text. Control characters are made visible.',
  // Keys and tokens
  grant_type: 'Decides which other fields are required.',
  client_id: 'The `client_id` of the API key.',
  client_secret: 'The secret of the API key.',
  'TokenRequest.refresh_token': 'The latest refresh token. Required with the grant `refresh_token`.',
  token_type: 'Always `Bearer`.',
  expires_in: 'Lifetime of the access token, in seconds.',
  scopes: 'What the key may do.',
  api_key_id: 'The `jti` of the calling API key.',
  jti: 'The UUID of the key, which its tokens and its client id name.',
  created_by: 'The id of the user who created the key. Null if another key did.',
  created_by_key_id: 'The id of the key that created this key. Null if a user did.',
  expires_at: 'When the key stops working. Null: never.',
  last_used_at: 'When the key was last used. Null if never.',
  reader_key: 'The only reader that the key may publish for. Null: any reader.',
  // Errors
  error: 'What is wrong with the request.',
  message: 'For people. The text may change.',
  // The event
  event: 'Which event it is. Ignore events with an unknown value.',
  delivery_id: 'The same on every attempt. Use it to detect duplicates.',
  occurred_at:
    'When it happened; of a move, when the asset was seen at the new location. Use it to order events.',
  changed: 'The names of the fields that changed, sorted, without `updated_at`.',
  from_location:
    'Null for a first sighting, after a scan without a location, and if that location was deleted.',
  'ReaderEventData.last_seen': 'When its newest message arrived.',
  'EventReader.reader_key': 'The key of the reader, as in the topic over MQTT.',
  'Import.created_by': 'The id of the user who sent the file. Null if a key did.',
  dry_run: 'Whether it only tells what it would change.',
  rows_total: 'The rows of the file.',
  rows_done: 'The rows that are processed.',
  created: 'Rows that created a resource.',
  updated: 'Rows that changed a resource.',
  unchanged: 'Rows that equal the stored resource.',
  failed: 'Rows with an error, which changed nothing.',
  applied_from: 'The id of the dry run whose rows it executes. Null for a file of its own.',
  ignored_columns:
    'Columns of the file that the import does not read: those of an export, and those to be ignored.',
  warned: 'Rows with a warning.',
  tags_removed: 'Tags that the rows remove, or would remove in a dry run.',
  first_names: 'Up to three names of the file, of those with characters that are not ASCII if there are any.',
  started_at: 'When it began. Null while it waits.',
  finished_at: 'When it ended. Null until then.',
  // Legacy vocabulary
  surrogate_id: 'The id of the resource: opaque and permanent.',
  identifier: `Your key for the resource, unique among its kind. ${KEY}`,
  identifiers: 'The tags of the resource, at most 200.',
  parent_identifier: 'The `identifier` of the location that contains this one. Null for a root.',
  'LegacyIdentifier.is_active': 'Whether the identifier is in use.',
  'LegacyIdentifierCreate.type': 'The technology of the tag. Defaults to `rfid`.',
  timestamp: 'When the asset was seen.',
}

const parameters: Record<string, string> = {
  webhook_id: 'The id of the webhook.',
  delivery_id: 'The id of the event.',
  state: 'Repeatable: one of the states matches.',
  asset_id: 'The id of the asset.',
  location_id: 'The id of the location.',
  tag_id: 'The id of the tag.',
  export_id: 'The id of the export.',
  org_id: 'The id of the organization, as `GET /orgs/me` returns it.',
  identifier: 'The external key of the resource.',
  is_active: 'Returns only active (`true`) or only inactive (`false`) rows.',
  is_root: 'Returns only locations without a parent (`true`) or only those with one (`false`).',
  include_deleted: '`true` also returns deleted rows.',
  reader_key: 'The key of the reader, as in the topic over MQTT. The reader need not exist yet.',
  format: 'How to read the message: the format of the vendor, `canonical` or `mapping`.',
  check:
    'With `true`, returns what would become of the message, and stores nothing. Needs a key that is bound to the reader.',
  descendants: '`true` also revokes the keys that this key created, and those that they created.',
}

/** What a request means without the field. In prose: generators make a field with a `default` required, or send it always. */
const defaults: Record<string, string> = {
  external_key: 'Without it, the API assigns one.',
  is_active: 'Defaults to `true`.',
  type: 'Defaults to `asset`.',
  valid_from: 'Defaults to the time of the request.',
}

/** Instants of requests may have any offset; those of responses are in UTC. */
const instants = new Set(['valid_from', 'valid_to', 'expires_at'])

export function descriptionOfField(schema: string, field: string): string | undefined {
  const special = fields[`${schema}.${field}`]
  if (special !== undefined) return special
  const isRequest = /(?:Create|Patch|Update)$/.test(schema)
  const parts = [
    fields[field],
    isRequest && instants.has(field) ? RFC_3339 : undefined,
    schema.endsWith('Create') ? defaults[field] : undefined,
  ].filter((part) => part !== undefined)
  return parts.length === 0 ? undefined : parts.join(' ')
}

export const descriptionOfParameter = (name: string): string | undefined => parameters[name]
