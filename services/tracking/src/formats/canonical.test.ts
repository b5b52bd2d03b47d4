import { SCAN_MESSAGE_EXAMPLE, ScanMessage } from '@whereabouts/contracts/description/scan-message'
import { expect, test } from 'vitest'
import { CURRENT, decode, errorsOf } from '../../test/formats/format-testing.ts'

const canonicalRead = (members: object = {}) => ({
  tag: { type: 'rfid', value: 'E28011606000020A' },
  ...members,
})
const canonical = (members?: object) => decode('canonical', { reads: [canonicalRead(members)] })
test.for([
  { name: 'no reads', message: { reads: [] } },
  { name: 'reads that are not a list', message: { reads: canonicalRead() } },
  { name: 'a list at the root', message: [canonicalRead()] },
  { name: 'a text', message: '"reads"' },
])('makes a dead letter of a message with $name', ({ message }) => {
  const decoded = decode('canonical', message)
  expect(decoded).toMatchObject({
    isDeadLetter: true,
    reads: [],
    errors: [{ code: 'unexpected_shape', frame: 0, pointer: '' }],
  })
})

test('the message of the description is read without an error, with each field', () => {
  const decoded = decode('canonical', ScanMessage.parse(SCAN_MESSAGE_EXAMPLE))
  expect(decoded).toMatchObject({ isDeadLetter: false, errors: [] })
  expect(decoded.reads).toMatchObject([
    {
      antenna: 1,
      tag_type: 'rfid',
      tag_value: 'E28011606000020A1B2C3D4E',
      rssi_dbm: -54.5,
      read_count: 3,
      read_at_ms: Date.parse('2026-11-21T10:00:00.123Z'),
      extra: { location: 'DOCK-1' },
    },
  ])
})

test('takes 1000 reads', () => {
  const decoded = decode('canonical', { reads: Array.from({ length: 1000 }, () => canonicalRead()) })
  expect(decoded).toMatchObject({ isDeadLetter: false, errors: [] })
  expect(decoded.reads).toHaveLength(1000)
})

test.for([
  { value: 7, want: 7, errors: [] },
  { value: ' 3 ', want: 3, errors: [] },
  { value: null, want: 1, errors: [] },
  { value: '', want: 1, errors: [] },
  { value: 0, want: 1, errors: ['invalid_field /reads/0/antenna'], extra: { antenna_unusable: true } },
  { value: -1, want: 1, errors: ['invalid_field /reads/0/antenna'], extra: { antenna_unusable: true } },
  { value: 1.5, want: 1, errors: ['invalid_field /reads/0/antenna'], extra: { antenna_unusable: true } },
  { value: '0x10', want: 1, errors: ['invalid_field /reads/0/antenna'], extra: { antenna_unusable: true } },
  { value: 65_536, want: 1, errors: ['invalid_field /reads/0/antenna'], extra: { antenna_unusable: true } },
  { value: true, want: 1, errors: ['invalid_field /reads/0/antenna'], extra: { antenna_unusable: true } },
])(
  'antenna $value is read as $want, and an impossible one has no scan point',
  ({ value, want, errors, extra }) => {
    const decoded = canonical({ antenna: value })
    expect(decoded.reads[0]?.antenna).toBe(want)
    expect(decoded.reads[0]?.extra).toEqual(extra)
    expect(errorsOf(decoded)).toEqual(errors)
  },
)

test.for([
  { value: -54.5, want: -54.5, errors: [] },
  { value: ' -70 ', want: -70, errors: [] },
  { value: '', want: null, errors: [] },
  { value: null, want: null, errors: [] },
  { value: -128, want: -128, errors: [] },
  { value: -128.5, want: null, errors: ['invalid_field /reads/0/rssi_dbm'] },
  { value: 0, want: null, errors: ['invalid_field /reads/0/rssi_dbm'] },
  { value: 127, want: null, errors: ['invalid_field /reads/0/rssi_dbm'] },
  { value: 'N/A', want: null, errors: ['invalid_field /reads/0/rssi_dbm'] },
  { value: {}, want: null, errors: ['invalid_field /reads/0/rssi_dbm'] },
])('rssi $value is read as $want', ({ value, want, errors }) => {
  const decoded = canonical({ rssi_dbm: value })
  expect(decoded.reads[0]?.rssi_dbm).toBe(want)
  expect(errorsOf(decoded)).toEqual(errors)
})

test('unusable counts and times are reported and the read is kept', () => {
  const decoded = canonical({ read_count: 1e300, read_at: 1_772_359_201, location: 7 })
  expect(decoded.reads).toMatchObject([{ read_count: 1, read_at_ms: null }])
  expect(errorsOf(decoded).toSorted()).toEqual([
    'invalid_field /reads/0/location',
    'invalid_field /reads/0/read_at',
    'invalid_field /reads/0/read_count',
  ])
})

test('a wall time is in the zone configured for the reader', () => {
  const message = { reads: [canonicalRead({ read_at: '2026-03-01 18:00:04' })] }
  expect(decode('canonical', message, { timezone: 'Asia/Singapore' }).reads[0]?.read_at_ms).toBe(
    Date.parse(CURRENT),
  )
  expect(decode('canonical', message)).toMatchObject({
    reads: [{ read_at_ms: null }],
    errors: [{ code: 'missing_zone', pointer: '/reads/0/read_at' }],
  })
})

test.for([
  ['e2:80-11 60', 'E2801160'],
  ['0xE280', 'E280'],
  ['urn:epc:tag:sgtin-96:3.0614141.812345.6789', '3074257BF7194E4000001A85'],
  ['URN:EPC:id:sgtin:0614141.812345.6789', 'urn:epc:id:sgtin:0614141.812345.6789'],
])('D16.5 the rfid value %s is read as %s', ([value, want]) => {
  expect(canonical({ tag: { type: 'rfid', value } }).reads).toMatchObject([{ tag_value: want }])
})

test.for([
  { tag: null, want: 'missing_tag /reads/0' },
  { tag: {}, want: 'invalid_tag /reads/0/tag/type' },
  { tag: 'E280', want: 'invalid_tag /reads/0/tag' },
  { tag: { type: 'nfc', value: 'E280' }, want: 'invalid_tag /reads/0/tag/type' },
  { tag: { type: 'constructor', value: 'E280' }, want: 'invalid_tag /reads/0/tag/type' },
  { tag: { type: 'rfid', value: '' }, want: 'missing_tag /reads/0' },
  { tag: { type: 'rfid', value: 'E2801' }, want: 'invalid_tag /reads/0/tag/value' },
  { tag: { type: 'rfid', value: 'E2' }, want: 'invalid_tag /reads/0/tag/value' },
  { tag: { type: 'rfid', value: 'A'.repeat(126) }, want: 'invalid_tag /reads/0/tag/value' },
  { tag: { type: 'rfid', value: '\ufb00'.repeat(4) }, want: 'invalid_tag /reads/0/tag/value' },
  { tag: { type: 'rfid', value: '\u0010\u0011\u0012\u0013' }, want: 'invalid_tag /reads/0/tag/value' },
  { tag: { type: 'rfid', value: 'urn:epc:tag:gid-96:3.1.2.3' }, want: 'invalid_tag /reads/0/tag/value' },
  { tag: { type: 'rfid', value: `urn:epc:id:a:${'1'.repeat(250)}` }, want: 'invalid_tag /reads/0/tag/value' },
  { tag: { type: 'rfid', value: 3034 }, want: 'invalid_tag /reads/0/tag/value' },
  { tag: { type: 'ble', value: 'd2:f3:04:15:26' }, want: 'invalid_tag /reads/0/tag/value' },
  { tag: { type: 'barcode', value: 'a\0b' }, want: 'invalid_tag /reads/0/tag/value' },
  { tag: { type: 'barcode', value: 'x'.repeat(256) }, want: 'invalid_tag /reads/0/tag/value' },
])('tag $tag gives no read but $want', ({ tag, want }) => {
  const decoded = decode('canonical', { reads: [canonicalRead({ tag })] })
  expect(decoded).toMatchObject({ reads: [], isDeadLetter: false })
  expect(errorsOf(decoded)).toEqual([want])
})

test('only items that are not objects are dropped', () => {
  const decoded = decode('canonical', { reads: [7, [], null, canonicalRead()] })
  expect(decoded.reads).toHaveLength(1)
  expect(errorsOf(decoded)).toEqual([0, 1, 2].map((index) => `unexpected_shape /reads/${index}`))
})

test.for([
  ['4006381333931\r\n', '4006381333931'],
  [`\t ${'x'.repeat(255)} `, 'x'.repeat(255)],
  ['0109506000134352\u001D2112345\n', '0109506000134352\u001D2112345'],
  ['Ku\u0308hl', 'Ku\u0308hl'],
] as const)('D19.1 %j is the barcode %j', ([value, want]) => {
  const decoded = decode('canonical', { reads: [{ tag: { type: 'barcode', value } }] })
  expect(decoded.reads.map(({ tag_value }) => tag_value)).toEqual([want])
})

test('D19.1 a barcode of nothing else gives no read', () => {
  const decoded = decode('canonical', { reads: [{ tag: { type: 'barcode', value: ' \r\n' } }] })
  expect([decoded.reads, errorsOf(decoded)]).toEqual([[], ['missing_tag /reads/0']])
})

test('a barcode of 255 characters outside the basic plane is kept as sent', () => {
  const value = '\u{1f4e6}'.repeat(255)
  expect(decode('canonical', { reads: [{ tag: { type: 'barcode', value } }] }).reads[0]?.tag_value).toBe(
    value,
  )
})
