import type { FieldEntry } from '@whereabouts/contracts/errors'
import { eventTypes } from '@whereabouts/contracts/resources/webhooks/events'
import type { OperationId } from '@whereabouts/contracts/routes'
import { entry, enumEntry } from './entries.ts'

/** A wrong query string, and the one entry that refuses it (D3, D7). */
type Refused = { query: string; entry: FieldEntry }
type ParameterRule = (name: string) => Refused[]

const invalid = (name: string, what: string) => entry(name, 'invalid_value', `${name} must be ${what}`)
const each = (name: string, values: readonly string[], of: FieldEntry): Refused[] =>
  values.map((value) => ({ query: `${name}=${value}`, entry: of }))

const twice =
  (value: string): ParameterRule =>
  (name) => [{ query: `${name}=${value}&${name}=${value}`, entry: invalid(name, 'sent only once') }]

const integer =
  (min: number, max?: number): ParameterRule =>
  (name) => [
    ...each(name, ['x', '', '1.5', '1e2', '%2B1', '0x1'], invalid(name, 'an integer')),
    ...each(name, [String(min - 1), '-99999999999999999999'], entry(name, 'too_small', `${name} must be ≥ ${min}`, { min })),
    ...(max === undefined ? [] : each(name, [String(max + 1), '99999999999999999999'], entry(name, 'too_large', `${name} must be ≤ ${max}`, { max }))),
    ...twice('1')(name),
  ] // oxfmt-ignore

const boolean: ParameterRule = (name) => [
  ...each(name, ['', '1', 'yes', 'TRUE', 'True', 'true%20', 'null'], invalid(name, 'true or false')),
  ...twice('true')(name),
]

/** One bad value among good ones is enough; 200 values at most. */
const repeatable =
  (good: string, bad: readonly string[], of: (name: string) => FieldEntry): ParameterRule =>
  (name) => [
    ...each(name, bad, of(name)),
    ...each(name, bad.map((value) => `${good}&${name}=${value}`), of(name)),
    {
      query: Array.from({ length: 201 }, () => `${name}=${good}`).join('&'),
      entry: entry(name, 'too_long', `${name} must contain at most 200 items`, { max_length: 200 }),
    },
  ] // oxfmt-ignore

const keys = repeatable('A-1', ['', 'a_b', 'a%20', '%C3%A4', '%00', 'x'.repeat(256)], (name) =>
  invalid(name, '1 to 255 letters, digits and hyphens'),
)
const ids = repeatable('5', ['', 'x', '0', '-5', '1.5', '%2B5', '9223372036854775808'], (name) =>
  invalid(name, 'a positive integer'),
)

const columns = repeatable('A:name', ['', 'name', '%00'], (name) =>
  invalid(name, 'a header, a colon and a field'),
)

const tags = repeatable(
  'rfid:A',
  ['', 'rfid', 'rfid:', ':A', 'A', 'RFID:A', 'qr:A', 'rfid:%00', `ble:${'x'.repeat(256)}`],
  (name) =>
    invalid(name, '<type>:<value> with a type among rfid, ble, barcode and a value of 1 to 255 characters'),
)

const sort =
  (...fields: [string, ...string[]]): ParameterRule =>
  (name) => {
    const [one] = fields
    const wrong = ['colour', '-colour', 'id', `--${one}`, `${one},`, `${one},,${one}`, one.toUpperCase(), `${one}%20`, '%00'] // oxfmt-ignore
    return [...each(name, wrong, enumEntry(name, fields)), ...twice(one)(name)]
  }

const expand =
  (...things: [string, ...string[]]): ParameterRule =>
  (name) => {
    const [one] = things
    const wrong = ['', 'colour', one.toUpperCase(), `${one},`, `${one},${one}`]
    return [...each(name, wrong, enumEntry(name, things)), ...twice(one)(name)]
  }

const choice =
  (...allowed: [string, ...string[]]): ParameterRule =>
  (name) => [
    ...each(name, ['', 'other', allowed[0].toUpperCase(), allowed.join(',')], enumEntry(name, allowed)),
    ...twice(allowed[0])(name),
  ]

const choices = (...allowed: readonly [string, ...string[]]) =>
  repeatable(allowed[0], ['', 'other', allowed[0].toUpperCase(), allowed.join(',')], (name) =>
    enumEntry(name, allowed),
  )

const id: ParameterRule = (name) => [
  ...each(name, ['', 'x', '0', '-5', '1.5', '%2B5'], invalid(name, 'a positive integer')),
  ...twice('5')(name),
]

const instant: ParameterRule = (name) => [
  ...each(
    name,
    ['', 'now', '2026-11-21', '2026/11/21%2010:00:00Z'],
    entry(name, 'invalid_value', `Invalid '${name}' timestamp; RFC3339 required`),
  ),
  ...twice('2026-11-21T10:00:00Z')(name),
]

const noControl = (name: string) =>
  entry(name, 'invalid_value', `${name} must not contain control characters`)

const text =
  (max: number): ParameterRule =>
  (name) => [
    ...each(name, ['a%00b', '%1B', 'a%7F'], noControl(name)),
    ...each(name, ['x'.repeat(max + 1), '%F0%9F%93%A6'.repeat(max + 1)], entry(name, 'too_long', `${name} must be at most ${max} characters`, { max_length: max })),
    ...twice('a')(name),
  ] // oxfmt-ignore
const search = text(255)

const page = { limit: integer(1, 200), offset: integer(0, Number.MAX_SAFE_INTEGER) }
const filters = {
  id: ids,
  external_key: keys,
  is_active: boolean,
  tag: tags,
  include_deleted: boolean,
  window: choice('current', 'any'),
  q: search,
  sort: sort('external_key', 'name', 'created_at', 'updated_at'),
}
const homes = { home_location_id: ids }
const types = choices('asset', 'person', 'inventory')
const period = { from: instant, to: instant }
const visited = { asset_id: ids, location_id: ids, include_descendants: boolean, asset_type: types }
const version = { version: integer(0) }
const legacyList = { ...page, identifier: keys, is_active: boolean, include_deleted: boolean, q: search }
const current = {
  ...page,
  location: keys,
  asset: keys,
  q: search,
  sort: sort('last_seen', 'asset', 'location'),
}

/** Valid values of the parameters that a request needs. */
export const neededParameters: Partial<Record<OperationId, Record<string, string>>> = {
  listLocationUses: { from: '2026-11-21T10:00:00Z', to: '2026-11-21T11:00:00Z' },
  playMovements: { from: '2026-11-21T10:00:00Z', to: '2026-11-21T11:00:00Z' },
  reportVisits: { group_by: 'location' },
  listOccupancy: { location_id: '5' },
  createImport: { resource: 'assets' },
  downloadExportFile: { signature: 'x' },
}

/** The contract's rule for every query parameter. */
export const parameterRules: Partial<Record<OperationId, Record<string, ParameterRule>>> = {
  listAssets: { ...page, ...filters, type: types, ...homes, misplaced: boolean, expand: expand('home') },
  saveAssetBatch: { mode: choice('upsert', 'create', 'update'), dry_run: boolean },
  saveLocationBatch: { mode: choice('upsert', 'create', 'update'), dry_run: boolean },
  exportAssets: { ...filters, type: types, ...homes },
  listLocations: { ...page, ...filters, parent_id: ids, parent_external_key: keys, is_root: boolean },
  listLocationAncestors: page,
  listLocationChildren: page,
  listLocationDescendants: page,
  listLocationBranch: { ...page, parent_id: id },
  saveFloorImage: version,
  removeFloorImage: version,
  createImport: {
    resource: choice('assets', 'locations'),
    dry_run: boolean,
    empty_cells: choice('clear', 'keep'),
    column: columns,
  },
  listImports: page,
  listImportRows: { ...page, outcome: choices('created', 'updated', 'unchanged', 'failed'), warned: boolean },

  listAssetHistory: {
    ...page,
    ...period,
    sort: sort('event_observed_at'),
    expand: expand('asset', 'location'),
  },
  listAssetLocations: {
    ...page,
    asset_id: ids,
    asset_external_key: keys,
    location_id: ids,
    location_external_key: keys,
    include_descendants: boolean,
    not_seen_since: instant,
    include_deleted: boolean,
    q: search,
    at: instant,
    sort: sort('asset_last_seen', 'asset_external_key', 'location_external_key'),
    ...homes,
    misplaced: boolean,
    expand: expand('asset', 'location', 'home'),
  },
  listCurrentLocations: current,
  listSightings: { ...page, ...period },
  listOccupancy: { location_id: ids },
  listUnsteadyAssets: page,
  listExports: page,
  downloadExportFile: { signature: text(43) },
  listLocationUses: period,
  playMovements: period,
  listMovements: {
    ...period,
    asset_id: ids,
    location_id: ids,
    include_descendants: boolean,
    type: types,
    after: search,
    limit: integer(1, 500),
  },
  listVisits: {
    ...period,
    ...visited,
    min_seconds: integer(0),
    open: boolean,
    max_silence_seconds: integer(60),
    after: search,
    limit: integer(1, 500),
  },
  reportVisits: {
    ...page,
    ...period,
    ...visited,
    group_by: choice('location', 'asset', 'asset_type', 'day'),
    limit_seconds: integer(0),
  },
  summarizeMovements: {
    ...period,
    location_id: id,
    include_descendants: boolean,
    asset_id: ids,
    type: types,
    step_seconds: integer(60),
  },
  streamMovements: { last_event_id: search },
  listAudit: {
    ...page,
    actor_id: id,
    action: text(64),
    subject_type: text(64),
    subject_id: id,
    ...period,
    after: search,
  },
  listEvents: { after: search, type: choices(...eventTypes), limit: integer(1, 500), wait: integer(0, 30) },
  listReaders: {
    ...page,
    configured: boolean,
    status: choices('online', 'degraded', 'silent', 'never_heard'),
    q: search,
    location_id: ids,
    sort: sort('reader_key', 'name', 'last_seen_at', 'reads_per_minute', 'severity'),
  },
  listRules: {
    ...page,
    kind: choices(
      'entered',
      'left',
      'not_seen_for',
      'stayed_longer_than',
      'missing_at',
      'away_from_home',
      'reader_silent',
    ),
    enabled: boolean,
    q: search,
    sort: sort('name', 'created_at', 'updated_at', 'open_alerts'),
  },
  createRule: { raise_existing: boolean },
  updateRule: { raise_existing: boolean },
  listAlerts: {
    ...page,
    ...period,
    state: choices('raised', 'acknowledged', 'resolved'),
    severity: choices('info', 'warning', 'critical'),
    rule_id: ids,
    asset_id: ids,
    reader_id: ids,
    location_id: ids,
  },
  listReaderHours: period,
  listScanPoints: page,
  listUnknownTags: {
    ...page,
    tag_type: choices('rfid', 'ble', 'barcode'),
    reader_key: keys,
    min_reads: integer(0),
    seen_since: instant,
    q: search,
    sort: sort('last_seen_at', 'first_seen_at', 'reads', 'value'),
  },

  listSessions: page,
  listMembers: page,
  listInvitations: page,
  listApiKeys: page,
  revokeApiKey: { descendants: boolean },
  listWebhooks: page,
  listWebhookEndpoints: page,
  listWebhookDeliveries: page,
  listEndpointDeliveries: {
    state: choices('waiting', 'delivered', 'failed', 'dropped'),
    type: choices(...eventTypes),
    ...period,
    after: search,
    limit: integer(1, 500),
  },
  getEndpointStats: { hours: integer(24, 168) },

  listLegacyAssets: {
    ...legacyList,
    location: keys,
    type: types,
    sort: sort('identifier', 'name', 'created_at', 'updated_at'),
  },
  listLegacyLocations: {
    ...legacyList,
    parent_identifier: keys,
    parent: keys,
    sort: sort('identifier', 'name', 'path', 'created_at', 'updated_at'),
  },
  listLegacyLocationAncestors: page,
  listLegacyLocationChildren: page,
  listLegacyLocationDescendants: page,
  getLegacyAssetHistory: { ...page, ...period, sort: sort('timestamp') },
  listLegacyCurrentLocations: current,
  listLegacyApiKeys: page,
  revokeLegacyApiKey: { descendants: boolean },
}
