import { expect, test } from 'vitest'
import { CURRENT, decode, errorsOf } from '../../../test/formats/format-testing.ts'

const sled = (data: object, members: object = {}) =>
  decode('zebra', { type: 'CYCLE_COUNT', timestamp: CURRENT, ...members, data })

const inventory = (data: object) =>
  decode('zebra', { type: 'INVENTORY', timestamp: CURRENT, data: { antenna: 1, ...data } })

test('an unusable time of the message is one error, also for many records', () => {
  const decoded = sled(
    { tagData: [{ EPCid: 'ABCD' }, { EPCid: 'ABCE' }], barcodeData: [{ decodedBarcode: 'x\r\n' }] },
    { timestamp: '?' },
  )
  expect(decoded.reads).toHaveLength(3)
  expect(errorsOf(decoded)).toEqual(['invalid_field /timestamp'])
})

test('a sled record whose clock is unset takes the time of the message', () => {
  const decoded = sled({ tagData: [{ EPC: 'ABCD', lastSeenTime: 77 }] })
  expect(decoded.reads).toMatchObject([{ tag_value: 'ABCD', read_at_ms: Date.parse(CURRENT) }])
  expect(decoded.health).toMatchObject([{ kind: 'clock_unset' }])
})

test('only records that are not objects are dropped', () => {
  const decoded = sled({ tagData: [7, { EPCid: 'ABCD' }], barcodeData: 'none' })
  expect(decoded.reads).toHaveLength(1)
  expect(errorsOf(decoded)).toEqual([
    'unexpected_shape /data/tagData/0',
    'unexpected_shape /data/barcodeData',
  ])
})

test('the TID identifies a read without EPC, and without both the tag is missing', () => {
  expect(inventory({ TID: 'e280aa' }).reads).toMatchObject([
    { tag_value: 'E280AA', extra: { tid: 'E280AA' } },
  ])
  expect(errorsOf(inventory({}))).toEqual(['missing_tag /data'])
  expect(errorsOf(inventory({ idHex: 'no' }))).toEqual(['invalid_tag /data/idHex'])
})

test('an array is read item by item', () => {
  const decoded = decode('zebra', [
    1,
    { type: 'gpi', timestamp: 'x', data: { pin: '3', state: 'HIGH' } },
    { type: 'NEW', data: {} },
  ])
  expect(decoded.health).toMatchObject([
    { kind: 'gpio', at_ms: null, detail: { direction: 'in', pin: 3, state: 'high' } },
  ])
  expect(errorsOf(decoded)).toEqual(['unexpected_shape /0', 'invalid_field /1/timestamp', 'unknown_event /2'])
  expect(decoded.isDeadLetter).toBe(false)
})

test('an iBeacon with an unusable member is still a Bluetooth read', () => {
  const advert = {
    Address: 'F7:17:BB:0A:0B:0C',
    Alias: 'Cart 7',
    RSSI: 127,
    iBeacon: { uuid: 'x', major: 1, minor: 2 },
  }
  const decoded = decode('zebra', { type: 'BLE_DATA', timestamp: CURRENT, data: advert })
  expect(decoded.reads).toMatchObject([
    { tag_type: 'ble', rssi_dbm: null, extra: { name: 'Cart 7', ibeacon: undefined } },
  ])
  expect(errorsOf(decoded).toSorted()).toEqual([
    'invalid_field /data/RSSI',
    'invalid_field /data/iBeacon/uuid',
  ])
})

test('an alias that repeats the address is not a name', () => {
  const data = { Address: 'F7:17:BB:0A:0B:0C', Alias: 'F7-17-BB-0A-0B-0C' }
  expect(decode('zebra', { type: 'BLE_DATA', timestamp: CURRENT, data }).reads[0]?.extra).toBeUndefined()
})

test('a number too large for JSON is left out of a heartbeat', () => {
  const decoded = decode('zebra', '{"type":"heartbeat","data":{"system":{"temperature":{"ambient":1e999}}}}')
  expect(decoded.health).toMatchObject([{ kind: 'heartbeat', at_ms: null }])
  expect(decoded.health[0]?.detail).toEqual({})
})

test('antenna maps and texts of a heartbeat add no unexpected members', () => {
  const decoded = decode(
    'zebra',
    `{"type":"heartbeat","timestamp":"${CURRENT}","data":{"radio_control":{"antennas":{"__proto__":"x","1":"a\\u0000b","constructor":"y"}}}}`,
  )
  expect(decoded.health[0]?.detail).toEqual({ antennas: { '1': 'a\ufffdb' } })
})
