import type { OperationId } from '@whereabouts/contracts/routes'
import { choice, echo, flag, freeForm, id, ignored, instant, integer, listOf, naturalKey, neverSent, pairOf, reference, text, valuesOf, type BodyRules } from './field-rules.ts' // oxfmt-ignore
import { keysBodyRules } from './body-rules-keys.ts'
import { legacyBodyRules } from './body-rules-legacy.ts'
import { ruleBodyRules } from './body-rules-rules.ts'
import { trackingBodyRules } from './body-rules-tracking.ts'

const tag = { tag_type: choice('rfid', 'ble', 'barcode'), value: text(255, { lines: true }) }
const TAG = { tag_type: 'rfid', value: 'x' }
const newTags = listOf(tag, TAG, { max: 200, nullable: true, required: ['tag_type', 'value'] })
const echoedTags = listOf({ id: echo('integer', 1.5), tag_type: echo('string'), value: echo('string'), epc: ignored }, { id: 1, ...TAG }, {}) // oxfmt-ignore

const window = {
  valid_from: instant({ window: true }),
  valid_to: instant({ window: true, nullable: true }),
}
const shared = {
  name: text(255, { trimmed: true }),
  description: text(1024, { lines: true, nullable: true }),
  is_active: flag,
  ...window,
}
const asset = {
  ...shared,
  type: choice('asset', 'person', 'inventory'),
  metadata: freeForm,
  home_location_id: reference,
  home_location_external_key: naturalKey({ nullable: true }),
  location_id: neverSent,
  location_external_key: neverSent,
}
const location = { ...shared, parent_id: reference, parent_external_key: naturalKey({ nullable: true }) }
const echoes = {
  id: echo('integer', 1.5),
  external_key: echo('string'),
  created_at: instant(),
  updated_at: instant(),
  deleted_at: instant({ nullable: true }),
  tags: echoedTags,
}
/** A change compares these with the stored values: unstorable.int.test.ts of catalog. */
const newName = { name: text(255, { trimmed: true, plain: true }) }
const created = { ...newName, external_key: naturalKey(), tags: newTags }

const coordinate = integer(0, 10_000)
const zoneOf = (index: number) => ({ location_id: index + 1, points: [[0, 0], [9, 0], [9, 9]] }) // oxfmt-ignore
const placedOf = (index: number) => ({ reader_id: index + 1, x: 0, y: 0 })

/** The fields of the token endpoint. A field that is added needs a test there, and its line here. */
function tokenFields(operationId: OperationId): Record<string, string> {
  const why =
    'token-endpoint.test.ts: `grant_type` decides what is needed, and an empty value is absent (D12.1)'
  const fields = ['grant_type', 'client_id', 'client_secret', 'refresh_token', 'scope']
  return Object.fromEntries(fields.map((field) => [`${operationId}.${field}`, why]))
}

/** The fields of the items of a batch. */
function itemFields(operationId: OperationId, names: readonly string[]): Record<string, string> {
  const why = 'batches.int.test.ts of catalog: items are refused one by one, with status 200'
  const fields = [...names, 'external_key', 'tags', 'tags[1].tag_type', 'tags[1].value']
  return Object.fromEntries(
    ['items', ...fields.map((field) => `items[1].${field}`)].map((field) => [`${operationId}.${field}`, why]),
  )
}

const attaching: BodyRules = { good: TAG, required: ['tag_type', 'value'], fields: tag }
const renaming: BodyRules = {
  good: { external_key: 'A' },
  required: ['external_key'],
  fields: { external_key: naturalKey() },
}

/** Fields without a rule, each with the reason. */
export const withoutRule: Readonly<Record<string, string>> = {
  ...tokenFields('createToken'),
  ...tokenFields('createLegacyToken'),
  ...itemFields('saveAssetBatch', [
    ...Object.keys(shared),
    'type',
    'metadata',
    'home_location_id',
    'home_location_external_key',
  ]),
  ...itemFields('saveLocationBatch', [...Object.keys(shared), 'parent_id', 'parent_external_key']),
  'decodeReaderMessage.message': 'any JSON value is a message of a reader',
}

/** The contract's rule for every field of every body. */
export const bodyRules: Partial<Record<OperationId, BodyRules>> = {
  createAsset: { good: { name: 'Thing' }, required: ['name'], fields: { ...asset, ...created } },
  createLocation: { good: { name: 'Thing' }, required: ['name'], fields: { ...location, ...created } },
  updateAsset: { good: {}, required: [], fields: { ...asset, ...echoes } },
  updateLocation: { good: {}, required: [], fields: { ...location, ...echoes } },
  renameAsset: renaming,
  renameLocation: renaming,
  restoreAsset: { good: {}, required: [], fields: { external_key: naturalKey() } },
  restoreLocation: { good: {}, required: [], fields: { external_key: naturalKey(), parent_id: reference } },
  addAssetTag: attaching,
  addLocationTag: attaching,
  saveAssetBatch: { good: { items: [{}] }, required: ['items'], fields: {} },
  saveLocationBatch: { good: { items: [{}] }, required: ['items'], fields: {} },
  lookUpValues: {
    good: { values: ['x'] },
    required: ['values'],
    fields: {
      values: valuesOf(text(255, { lines: true, labels: true }), (index) => `x${index}`, {
        min: 1,
        max: 200,
      }),
    },
  },
  saveFloorPlan: {
    good: { zones: [], readers: [], version: 0 },
    required: ['zones', 'readers', 'version'],
    fields: {
      zones: listOf(
        {
          location_id: id,
          points: valuesOf(pairOf(coordinate, 0), (index) => [index, 0], { min: 3, max: 100 }),
        },
        zoneOf(1),
        { max: 2_000, required: ['location_id', 'points'], make: zoneOf },
      ),
      readers: listOf({ reader_id: id, x: coordinate, y: coordinate }, placedOf(1), {
        max: 500,
        required: ['reader_id', 'x', 'y'],
        make: placedOf,
      }),
      version: integer(0, Number.MAX_SAFE_INTEGER),
    },
  },
  ...keysBodyRules,
  ...trackingBodyRules,
  ...ruleBodyRules,
  ...legacyBodyRules,
}
