import type { OperationId } from '@whereabouts/contracts/routes'
import { choice, formed, id, instant, integer, listOf, naturalKey, objectOf, reference, text, valuesOf, type BodyRules, type FieldRule } from './field-rules.ts' // oxfmt-ignore
import { entry } from './entries.ts'

const TAG = { tag_type: 'rfid', value: 'x' }
const tag = { tag_type: choice('rfid', 'ble', 'barcode'), value: text(255, { lines: true }) }
const antenna = integer(1, 65_535)
const strength = integer(-120, 0, { nullable: true })

const formats = ['canonical', 'impinj', 'zebra', 'csl', 'moko', 'minew', 'gl-s10', 'kkm', 'mapping'] as const

const pointer = formed(
  text(255, { min: 0 }),
  'must be a JSON pointer such as /epc, a pointer from the envelope such as ^/time, $topic/1, or $key',
  'epc',
  '/a~2',
  '$topic/0',
)
const reads = formed(
  text(255, { min: 0 }),
  'must be a JSON pointer such as /tags or /data/*/tags, with at most 3 *',
  'tags',
  '$key',
  '/*/*/*/*',
)
const event: FieldRule = (field) =>
  [null, {}, [], 'x'.repeat(256), 'a\u0000', 'a\ud800'].map((value) => ({
    value,
    entry: entry(
      field,
      'invalid_value',
      `${field} must be true, false, a number, or text of at most 255 characters`,
    ),
  }))
/** A pointer to one text, or one object of either kind. */
const beacon: FieldRule = (field) => {
  const isObject = ({ value }: { value: unknown }) =>
    Object.prototype.toString.call(value) === '[object Object]'
  const parts = { uuid: pointer, major: pointer, minor: pointer, number_format: choice('decimal', 'hex') }
  const good = { uuid: '/u', major: '/a', minor: '/i', number_format: 'hex' }
  return [
    ...pointer(field).filter((wrong) => !isObject(wrong)),
    ...objectOf(parts, good, { required: ['uuid', 'major', 'minor'] })(field).filter(isObject),
    ...objectOf({ manufacturer_data: pointer }, { manufacturer_data: '/d' })(field).filter(isObject),
  ]
}
const part = {
  reads,
  beacon,
  tag: pointer,
  tag_type: tag.tag_type,
  tag_format: choice('hex', 'base64url', 'mac', 'text'),
  antenna: pointer,
  location: pointer,
  count: pointer,
  rssi: pointer,
  rssi_unit: choice('dBm', 'dBm/10', 'dBm/100'),
  time: pointer,
  time_format: choice('iso', 'epoch', 'epoch_s', 'epoch_ms', 'epoch_us', 'local'),
  zone: pointer,
  event: pointer,
  read_events: valuesOf(event, (index) => index, { min: 1, max: 50 }),
  heartbeat_events: valuesOf(event, (index) => -1 - index, { max: 50 }),
}
/** With every field, because some need others. */
const PART = { reads: '', beacon: '/b', tag: '/epc', tag_type: 'rfid', tag_format: 'hex', antenna: '/a', location: '/l', count: '/c', rssi: '/r', rssi_unit: 'dBm', time: '/t', time_format: 'local', zone: '/z', event: '/e', read_events: ['in'], heartbeat_events: ['beat'] } // oxfmt-ignore
const needed = ['reads', 'tag', 'tag_type', 'rssi', 'time', 'time_format', 'event', 'read_events']
const mapping = objectOf(
  { ...part, identity: pointer, also: listOf(part, PART, { max: 4, required: needed }) },
  PART,
  { nullable: true, required: needed },
)

const zone = formed(
  text(64, { nullable: true }),
  'must be a time zone such as Europe/Berlin, or an offset such as +08:00',
  'Mars',
  '+25:00',
)
const reader = {
  format: choice(...formats),
  timezone: zone,
  time_source: choice('reader', 'receipt'),
  mapping,
}
const scanPoint = {
  antenna,
  location_id: reference,
  location_external_key: naturalKey({ nullable: true }),
  min_rssi_dbm: strength,
  rssi_offset_db: integer(-40, 40),
}
const placement = {
  passages: choice('next_observation', 'carry'),
  tag_types: valuesOf(tag.tag_type, (index) => ['rfid', 'ble', 'barcode'][index % 3], { max: 3 }),
  margin_db: integer(0, 40),
  exit_delay_seconds: integer(0, 3_600),
  min_rssi_dbm: strength,
}
const saving: BodyRules = {
  good: { asset_identifiers: ['A'], location_identifier: 'B' },
  required: ['asset_identifiers', 'location_identifier'],
  fields: {
    asset_identifiers: valuesOf(naturalKey(), (index) => `A-${index}`, { min: 1, max: 10_000 }),
    location_identifier: naturalKey(),
  },
}

/** The contract's rule for every field of every body of tracking. */
export const trackingBodyRules = {
  saveInventory: saving,
  saveLegacyInventory: saving,
  createExport: {
    good: { dataset: 'history', format: 'csv' },
    required: ['dataset', 'format'],
    fields: {
      dataset: choice('history', 'movements', 'assets', 'locations'),
      format: choice('csv', 'ndjson', 'parquet'),
      from: instant(),
      to: instant(),
    },
  },
  createReader: {
    good: { reader_key: 'dock-1', name: 'Dock', format: 'canonical' },
    required: ['reader_key', 'name', 'format'],
    fields: {
      ...reader,
      reader_key: naturalKey({ max: 64 }),
      name: text(255, { trimmed: true, plain: true }),
    },
  },
  updateReader: { good: {}, required: [], fields: { ...reader, name: text(255, { trimmed: true }) } },
  decodeReaderMessage: {
    good: { message: {} },
    required: ['message'],
    fields: { format: reader.format, mapping, topic: text(255, { min: 0 }) },
  },
  createScanPoint: {
    good: { name: 'Gate' },
    required: ['name'],
    fields: { ...scanPoint, name: text(255, { trimmed: true, plain: true }) },
  },
  updateScanPoint: { good: {}, required: [], fields: { ...scanPoint, name: text(255, { trimmed: true }) } },
  sendTestRead: { good: TAG, required: ['tag_type', 'value'], fields: { ...tag, antenna } },
  claimUnknownTag: {
    good: { ...TAG, asset_id: 1 },
    required: ['tag_type', 'value', 'asset_id'],
    fields: {
      ...tag,
      asset_id: id,
      asset_external_key: naturalKey(),
      location_id: id,
      location_external_key: naturalKey(),
    },
    // Either an asset or a location.
    without: { location_id: ['asset_id'], location_external_key: ['asset_id'] },
  },
  eraseAssetHistory: { good: {}, required: [], fields: { from: instant(), to: instant() } },
  updatePlacement: { good: {}, required: [], fields: placement },
  previewPlacement: {
    good: { settings: {}, hours: 1 },
    required: ['settings', 'hours'],
    fields: { settings: objectOf(placement, {}), hours: integer(1, 72) },
  },
} as const satisfies Partial<Record<OperationId, BodyRules>>
