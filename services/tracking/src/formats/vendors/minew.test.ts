import { expect, test } from 'vitest'
import { CURRENT, decode, errorsOf } from '../../../test/formats/format-testing.ts'

const CURRENT_MS = Date.parse(CURRENT)
const MAC = 'AC233FA0B0C1'

test('the row of the gateway is its heartbeat at any index, never a read', () => {
  const gateway = { type: 'Gateway', mac: 'ac:23:3f:c0:a0:01', timestamp: CURRENT, gatewayFree: 89 }
  expect(decode('minew', [{ mac: MAC }, gateway])).toMatchObject({
    identity: 'AC233FC0A001',
    reads: [{ tag_value: MAC }],
    health: [{ kind: 'heartbeat', at_ms: CURRENT_MS, detail: { free_percent: 89 } }],
  })
})

test('the first row of JSON-RAW names the gateway and is not an error', () => {
  const decoded = decode('minew', [
    { gateway: 'AC233FC0A003', locator: '?' },
    { mac: MAC, no: 37 },
  ])
  expect(decoded).toMatchObject({ identity: 'AC233FC0A003', reads: [{ tag_value: MAC }], errors: [] })
})

test('times are text or milliseconds', () => {
  const rows = [CURRENT, CURRENT_MS, String(CURRENT_MS)].map((timestamp) => ({ mac: MAC, timestamp }))
  expect(decode('minew', rows).reads.map((read) => read.read_at_ms)).toEqual(Array(3).fill(CURRENT_MS))
  expect(decode('minew', [{ mac: MAC, timestamp: 5000 }])).toMatchObject({
    reads: [{ read_at_ms: null }],
    health: [{ kind: 'clock_unset' }],
  })
})

test('battery 0 is measured by a sensor and unknown for an iBeacon', () => {
  const ibeacon = { ibeaconUuid: '0A1B2C3D4E5F60718293A4B5C6D7E8F9', ibeaconMajor: 1, ibeaconMinor: 2 }
  const rows = [{ mac: MAC, type: 'S1', battery: 0 }, { mac: MAC, ...ibeacon, battery: 0 }] // oxfmt-ignore
  const [sensor, beacon] = decode('minew', rows).reads
  expect(sensor?.extra?.battery_percent).toBe(0)
  expect(beacon?.extra).toMatchObject({ ibeacon: { major: 1, minor: 2 }, battery_percent: undefined })
})

test('an advert that the gateway did not decode is decoded', () => {
  const rawData = '0201061AFF4C0002150A1B2C3D4E5F60718293A4B5C6D7E8F90065000BC5'
  expect(decode('minew', [{ mac: MAC, rawData }]).reads[0]?.extra?.ibeacon).toEqual({
    uuid: '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9',
    major: 101,
    minor: 11,
    tx_power: -59,
  })
})

test('an unusable part of an iBeacon or advert is reported, and the read is kept', () => {
  const decoded = decode('minew', [
    { mac: MAC, ibeaconUuid: 'zz', ibeaconMajor: 1, ibeaconMinor: 2 },
    { mac: MAC, ibeaconUuid: '0A1B2C3D4E5F60718293A4B5C6D7E8F9', ibeaconMajor: 70_000, ibeaconMinor: 2 },
    { mac: MAC, rawData: 'nothing' },
  ])
  expect(decoded.reads).toHaveLength(3)
  expect(errorsOf(decoded)).toEqual([
    'invalid_field /0/ibeaconUuid',
    'invalid_field /1/ibeaconMajor',
    'invalid_field /2/rawData',
  ])
})

test('a body that is not an array is a dead letter, and an empty array has no reads', () => {
  expect(decode('minew', { mac: MAC })).toMatchObject({ isDeadLetter: true, reads: [] })
  expect(decode('minew', [])).toMatchObject({ isDeadLetter: false, reads: [], health: [], errors: [] })
})
