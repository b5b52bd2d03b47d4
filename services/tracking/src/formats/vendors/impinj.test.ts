import { expect, test } from 'vitest'
import { CURRENT, decode, errorsOf } from '../../../test/formats/format-testing.ts'

const inventory = (body: object, members: object = {}) =>
  decode('impinj', { timestamp: CURRENT, ...members, tagInventoryEvent: { antennaPort: 1, ...body } })

test('an unusable hex EPC is reported and the base64url EPC is used', () => {
  const decoded = inventory({ epcHex: 'xyz', epc: 'MDQCQiAbPEAAAAAB' })
  expect(decoded.reads).toMatchObject([{ tag_value: '30340242201B3C4000000001' }])
  expect(errorsOf(decoded)).toEqual(['invalid_field /tagInventoryEvent/epcHex'])
})

test('D16.5 a hex EPC with dashes is understood', () => {
  expect(inventory({ epcHex: 'e280-1160-6000-0204' }).reads).toMatchObject([
    { tag_value: 'E280116060000204' },
  ])
})

test('padded base64 and its plain alphabet are understood', () => {
  expect(inventory({ epc: '++//PwD7/77vEjRWAA==' }).reads).toMatchObject([
    { tag_value: 'FBEFFF3F00FBFFBEEF12345600' },
  ])
})

test('base64 that lacks a character is not an EPC', () => {
  expect(errorsOf(inventory({ epc: 'MDQCQ' }))).toEqual(['invalid_tag /tagInventoryEvent/epc'])
})

test('an unusable time is reported and the next one is used', () => {
  const decoded = inventory({ epcHex: 'ABCD', lastSeenTime: 'soon' })
  expect(decoded.reads).toMatchObject([{ read_at_ms: Date.parse(CURRENT) }])
  expect(errorsOf(decoded)).toEqual(['invalid_field /tagInventoryEvent/lastSeenTime'])
})

test('the member names the event, not eventType', () => {
  expect(inventory({ epcHex: 'ABCD' }, { eventType: 'overflow' }).reads).toHaveLength(1)
  expect(inventory({ epcHex: 'ABCD' }, { overflowEvent: null }).health).toEqual([])
})

test('a diagnostic event is neither an error nor an event', () => {
  expect(decode('impinj', { timestamp: CURRENT, diagnosticEvent: { data: [1] } })).toMatchObject({
    reads: [],
    health: [],
    errors: [],
    isDeadLetter: false,
  })
})

test.for([
  { hostname: 'IMPINJ-1A-2b-3C', want: '0016251A2B3C' },
  { hostname: 'impinj-1a-2b-3c.local', want: 'impinj-1a-2b-3c.local' },
  { hostname: 'a1b2c3d4e5f6', want: 'a1b2c3d4e5f6' },
  { hostname: '', want: null },
  { hostname: 7, want: null },
])('host name $hostname means $want', ({ hostname, want }) => {
  expect(inventory({ epcHex: 'ABCD' }, { hostname }).identity).toBe(want)
})

test('an uptime in a SmartReader record means that its clock is not set', () => {
  const decoded = decode('impinj', {
    tag_reads: [{ epc: 'ABCD', antennaPort: 1, firstSeenTimestamp: 5_000_000 }],
  })
  expect(decoded).toMatchObject({
    reads: [{ read_at_ms: null }],
    health: [{ kind: 'clock_unset' }],
    errors: [],
  })
})
