import { sentTypes } from '../resources/webhooks/events.ts'
import { eventName } from './openapi-events.ts'

/** Descriptions of schemas that have none of their own, by name. A test finds a schema without one. */
const schemas: Record<string, string> = {
  // Assets, tags, locations
  Asset: 'A thing, a person or stock that carries tags. Readers move it by reading them.',
  AssetCreate: 'A new asset. Only `name` is required.',
  AssetPatch: 'What changes about an asset: a merge patch.',
  Tag: 'A label that readers read, on one asset or location.',
  TagCreate: 'A new tag of an asset or location.',
  EchoedTag: 'A tag as it was read. Accepted only if it equals the stored one.',
  Epc: 'What the value of a tag says according to the GS1 Tag Data Standard.',
  Location: 'A place, inside of another one or a root.',
  LocationCreate: 'A new location. Only `name` is required.',
  LocationPatch: 'What changes about a location: a merge patch.',
  AssetBatch: 'Assets to create and change.',
  LocationBatch: 'Locations to create and change.',
  AssetBatchItem: 'One asset of a batch: a new one, or what changes about one.',
  LocationBatchItem: 'One location of a batch: a new one, or what changes about one.',
  BatchResult: 'What became of one item.',
  BatchItemError: 'Why an item failed.',
  ErrorConflict: 'What has the key or the tag.',
  Rename: 'The new key of an asset or location.',
  // Where assets are
  AssetLocation: 'Where an asset was last seen, or was at the time `at`.',
  CurrentLocation: 'Where one asset was last seen.',
  HistoryRow: 'One stored scan of an asset.',
  ExpandedThing: 'The asset or location of a row as it is now, with `expand`.',
  Export: 'An export of rows as files, and how far it is.',
  ExportDetail: 'An export and its files.',
  ExportFile: 'One file of an export.',
  ExportCreate: 'What to export.',
  Movement: 'One change of the location of an asset.',
  AuditActor: 'Who made a change, named as then.',
  AuditPage: 'Changes, newest first. With `after`, the oldest first, with a cursor.',
  AuditRow: 'One change of one thing, a sign-in or an export.',
  AuditSubject: 'The thing that was changed.',
  MovedThing: 'An asset or a location as it is now.',
  Event: 'One thing that happened.',
  EventPage: 'Events in the order in which they were recorded, and where to go on.',
  MovementPage: 'A page of movements, newest first, and the cursor of the next page.',
  Visit: 'An unbroken stay of an asset at a location.',
  VisitPage: 'A page of visits, newest first, and the cursor of the next page.',
  VisitGroup: 'What visits are added up by: a location, an asset, a type of asset or a day.',
  VisitReportRow: 'How many visits of a group there were, and how long.',
  UnsteadyAssetRow: 'An asset whose place is unsteady, and what would have prevented it.',
  UnsteadyAsset: 'The asset as it is now.',
  SuggestedSettings: 'Settings of positions, only those to change.',
  InventorySave: 'Assets that are at a location now.',
  InventorySaved: 'What an inventory save stored.',
  DecodedMessage: 'What would become of a message.',
  DecodedRead: 'What would become of a read of a message.',
  ReadTag: 'The tag of a read.',
  ReadOwner: 'The asset or the location of a read. Null: none.',
  ReaderMessage: 'A message of a reader that was not understood, or only in part.',
  ReaderMessageProblem: 'What is wrong, where in the message, and what to do.',
  // Keys and tokens
  TokenRequest: 'The credentials of a key, or a refresh token, in exchange for tokens.',
  TokenPair: 'An access token, and the refresh token for the next one.',
  CurrentOrganization: 'The organization and the scopes of the calling key.',
  ApiKey: 'An API key, without its secret.',
  Webhook: 'Where events of the organization are sent.',
  WebhookFilter:
    'Which assets and locations events must be about. It concerns only types that have that thing.',
  WebhookFilterInput:
    'Which assets and locations events must be about. Null or an object without conditions: any.',
  WebhookDelivery: 'One attempt to deliver an event.',
  EndpointDelivery: 'An event, and what became of it at an endpoint.',
  EndpointDeliveryDetail: 'A delivery with what is sent and all attempts.',
  EndpointDeliveryPage: 'Deliveries, the newest event first, and where to go on.',
  DeliveryAttempt: 'One attempt of a delivery.',
  ReplayRequest: 'The period whose events are sent again.',
  Replay: 'How many events are sent again.',
  WebhookTest: 'What the receiver of a test event answered.',
  ApiKeyCreate: 'A new API key.',
  ApiKeyCreated: 'A new API key with its secret, which no later response shows.',
  // Errors
  Error: 'The body of every response with an error that is JSON.',
  FieldError: 'One problem of the request, at a field or a parameter.',
  // Events
  ...Object.fromEntries(
    sentTypes.flatMap((type) => [
      [`${eventName(type)}Event`, `The body of the event \`${type}\`.`],
      [`${eventName(type)}Data`, `\`data\` of the event \`${type}\`.`],
    ]),
  ),
  AssetMovedData: 'The asset that moved, and between which locations.',
  MovedAsset: 'The asset that moved, as it was when the event was made.',
  AssetCreatedData: 'The asset as the API shows it.',
  AssetUpdatedData: 'The asset as the API shows it, and the names of the fields that changed.',
  AssetDeletedData: 'The asset that was deleted.',
  LocationCreatedData: 'The location as the API shows it.',
  LocationUpdatedData: 'The location as the API shows it, and the names of the fields that changed.',
  LocationDeletedData: 'The location that was deleted.',
  TagAttachedData: 'The tag, and the asset or location that has it.',
  TagDetachedData: 'The tag, and the asset or location that had it.',
  EventOwner: 'An asset or a location, as it was when the event was made.',
  EventLocation: 'A location, as it was when the event was made.',
  ReaderEventData: 'A reader, and when its newest message arrived.',
  EventReader: 'A reader, as it was when the event was made.',
  ImportFinishedData: 'An import that ended.',
  Import: 'An import of a CSV file, and how far it is.',
  // Legacy vocabulary
  LegacyAsset: 'An asset in the legacy vocabulary.',
  LegacyAssetCreate: 'A new asset in the legacy vocabulary.',
  LegacyAssetUpdate: 'An asset as it becomes, in the legacy vocabulary. Absent fields stay unchanged.',
  LegacyIdentifier: 'A tag of an asset or location in the legacy vocabulary.',
  LegacyIdentifierCreate: 'A new tag in the legacy vocabulary.',
  LegacyLocation: 'A location in the legacy vocabulary.',
  LegacyLocationCreate: 'A new location in the legacy vocabulary.',
  LegacyLocationUpdate: 'A location as it becomes, in the legacy vocabulary. Absent fields stay unchanged.',
  LegacyHistoryRow: 'One stored scan of an asset in the legacy vocabulary.',
}

/** The envelopes, which are named after their content. */
const envelopes: Record<string, (content: string) => string> = {
  Page: (content) => `A page of a list of ${content}.`,
  List: (content) => `A list of ${content}.`,
  Answer: (content) => `A response with one ${content}.`,
  Renamed: (content) => `A renamed ${content}, and how many others show its new key.`,
}

export function descriptionOfSchema(name: string): string | undefined {
  const [, content = '', kind = ''] = /^(.+?)(Page|List|Answer|Renamed)$/.exec(name) ?? []
  return schemas[name] ?? envelopes[kind]?.(`\`${content}\``)
}
