import type { OperationId } from '@whereabouts/contracts/routes'
import { choice, echo, flag, freeForm, ignored, instant, listOf, naturalKey, neverSent, reference, text, type FieldRule } from './field-rules.ts' // oxfmt-ignore

type Body = {
  /** A valid body. */
  good: object
  required: string[]
  fields: Record<string, FieldRule>
}

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

const attaching: Body = { good: TAG, required: ['tag_type', 'value'], fields: tag }
const renaming: Body = {
  good: { external_key: 'A' },
  required: ['external_key'],
  fields: { external_key: naturalKey() },
}

/** The contract's rule for every field of every body of catalog, in the current vocabulary. */
export const bodyRules: Partial<Record<OperationId, Body>> = {
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
}
