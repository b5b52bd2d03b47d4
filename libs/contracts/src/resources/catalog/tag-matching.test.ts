import { expect, test } from 'vitest'
import { matchValue, matchValues } from './tag-matching.ts'
import { withEpc } from './tags.ts'

const HEX = '3074257BF7194E4000001A85'
const OTHER_FILTER = '3034257BF7194E4000001A85'
const TAG = 'urn:epc:tag:sgtin-96:3.0614141.812345.6789'
const PURE = 'urn:epc:id:sgtin:0614141.812345.6789'

const matches = (type: string, read: string, stored: string) =>
  matchValues(type, read).includes(matchValue(type, stored))

test.for([
  { type: 'rfid', a: '0xE280-11 60', b: 'e2:80:11:60', same: true },
  { type: 'rfid', a: '0XE2801160', b: 'E2801160', same: true },
  { type: 'rfid', a: '0 x E280', b: 'E280', same: true },
  { type: 'rfid', a: '0xPALLET', b: 'PALLET', same: false },
  { type: 'rfid', a: '0x', b: ' ', same: false },
  { type: 'ble', a: '0xAB', b: 'AB', same: false },
  { type: 'ble', a: PURE, b: HEX, same: false },
  { type: 'barcode', a: '0xAB', b: 'AB', same: false },
  { type: 'barcode', a: TAG, b: HEX, same: false },
  { type: 'rfid', a: TAG, b: HEX, same: true },
  { type: 'rfid', a: ` ${TAG.toUpperCase()}\n`, b: '3074-257B-F719-4E40-0000-1A85', same: true },
  { type: 'rfid', a: TAG, b: OTHER_FILTER, same: false },
  { type: 'rfid', a: PURE, b: HEX, same: true },
  { type: 'rfid', a: PURE, b: OTHER_FILTER, same: true },
  { type: 'rfid', a: PURE.toUpperCase(), b: `0x${HEX.toLowerCase()}`, same: true },
  { type: 'rfid', a: PURE, b: TAG, same: true },
  { type: 'rfid', a: PURE, b: PURE.toUpperCase(), same: true },
  { type: 'rfid', a: PURE, b: '3074257BF7194E4000001A86', same: false },
  { type: 'rfid', a: HEX, b: OTHER_FILTER, same: false },
  {
    type: 'rfid',
    a: 'urn:epc:id:gid:95100000.12345.400',
    b: 'URN:EPC:ID:GID:95100000.12345.400',
    same: true,
  },
  { type: 'rfid', a: 'urn:epc:tag:gid-96:1.2.3', b: 'URN:EPC:TAG:GID-96:1.2.3', same: true },
  { type: 'barcode', a: '\r\n 4006381333931\t', b: '4006381333931', same: true },
  { type: 'barcode', a: ' ', b: '\t', same: false },
  { type: 'barcode', a: 'a b', b: 'ab', same: false },
  { type: 'barcode', a: 'Ku\u0308hl', b: 'K\u00FChl', same: true },
  { type: 'barcode', a: 'ＡＢ', b: 'AB', same: false },
  { type: 'barcode', a: '01\u001D21', b: '01␝21', same: true },
  { type: 'barcode', a: '\u001C\u001D\u001E\u001F\u0004', b: '␜␝␞␟␄', same: true },
  { type: 'barcode', a: '01\u001D21', b: '0121', same: false },
])('D6.5 D16.5 D19.1 D19.2 $type $a and $b match each other: $same', ({ type, a, b, same }) => {
  expect([matches(type, a, b), matches(type, b, a)]).toEqual([same, same])
})

test('a read in the form of readers is compared as it is, and a pure identity is recognizable', () => {
  expect(matchValues('rfid', 'E28011606000020A1B2C3D4E')).toEqual(['E28011606000020A1B2C3D4E'])
  expect(matchValue('rfid', PURE.toUpperCase())).toBe(PURE)
  expect(matchValues('rfid', TAG)).toEqual([HEX, PURE])
  expect(matchValues('rfid', PURE)).toHaveLength(9)
})

const epcOf = (tag_type: string, value: string) => withEpc({ tag_type, value })

test('D16.5 a view of an rfid tag says what its EPC says', () => {
  const epc = {
    scheme: 'sgtin-96',
    uri: TAG,
    pure_identity_uri: PURE,
    company_prefix: '0614141',
    filter: 3,
    serial: '6789',
  }
  expect(epcOf('rfid', `0x${HEX}`)).toEqual({ tag_type: 'rfid', value: `0x${HEX}`, epc })
  expect(epcOf('rfid', TAG).epc).toEqual(epc)
  expect(epcOf('rfid', PURE).epc).toEqual({ ...epc, uri: PURE, filter: null })
  expect(epcOf('rfid', 'urn:epc:id:sgln:0614141.12345.400').epc).toMatchObject({ serial: '400' })
  expect(epcOf('rfid', 'urn:epc:id:giai:0614141.5678').epc).toMatchObject({ scheme: 'giai-96', serial: null })
  expect(epcOf('rfid', 'urn:epc:id:sscc:0614141.1234567890').epc).toMatchObject({ serial: null })
  for (const value of ['E280', '', 'urn:epc:id:gid:1.2.3']) expect(epcOf('rfid', value).epc).toBeNull()
  for (const type of ['ble', 'barcode', 'new'])
    expect(epcOf(type, HEX)).toEqual({ tag_type: type, value: HEX })
})
