import { expect, test } from 'vitest'
import { CURRENT, decode, errorsOf } from '../../../test/formats/format-testing.ts'

const CURRENT_MS = Date.parse(CURRENT)
const MAC = 'c1d2e3f40518'

const message = (msg_id: unknown, data: unknown) =>
  decode('moko', { msg_id, device_info: { mac: 'a1b2c3d4e5f7' }, data })

test('the data of a 3004, an array or an object, decides its meaning', () => {
  const time = { timestamp: CURRENT_MS }
  expect(message(3004, [{ value: { mac: MAC, timestamp: CURRENT } }])).toMatchObject({
    reads: [{ tag_value: 'C1D2E3F40518', read_at_ms: CURRENT_MS }],
    health: [],
  })
  expect(message(3004, { ...time, wifi_rssi: -54 })).toMatchObject({
    reads: [],
    health: [{ kind: 'heartbeat', at_ms: CURRENT_MS, detail: { wifi_rssi_dbm: -54 } }],
  })
})

test('the members tell flat items from nested ones, not the number of the message', () => {
  const decoded = message(3070, [{ mac: MAC }, { value: { mac: MAC } }, { value: 7 }, 'x', {}])
  expect(decoded.reads).toHaveLength(2)
  expect(errorsOf(decoded)).toEqual([
    'unexpected_shape /data/2',
    'unexpected_shape /data/3',
    'missing_tag /data/4',
  ])
})

test('only bad items are dropped', () => {
  const decoded = message(3070, [
    { mac: 7 },
    { mac: MAC, rssi: 'loud', timestamp: {}, adv_data: 'xyz', uuid: 'short', major: 1, minor: 2 },
    { mac: MAC, rssi: -60 },
  ])
  expect(decoded.reads).toMatchObject([{ rssi_dbm: null, read_at_ms: null }, { rssi_dbm: -60 }])
  expect(errorsOf(decoded).toSorted()).toEqual([
    'invalid_field /data/1/adv_data',
    'invalid_field /data/1/rssi',
    'invalid_field /data/1/timestamp',
    'invalid_field /data/1/uuid',
    'invalid_tag /data/0/mac',
  ])
})

test('the time zone next to an epoch is ignored', () => {
  expect(message(3070, [{ mac: MAC, timestamp: CURRENT_MS, timezone: 28_800 }]).reads).toMatchObject([
    { read_at_ms: CURRENT_MS },
  ])
})

test('an older iBeacon item names its power at one metre with an at sign', () => {
  const value = { mac: MAC, uuid: '0a1b2c3d4e5f60718293a4b5c6d7e8f9', major: 1, minor: 2, 'rssi@1m': -59 }
  expect(message(3004, [{ type: 0, value }]).reads[0]?.extra?.ibeacon).toEqual({
    uuid: '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9',
    major: 1,
    minor: 2,
    tx_power: -59,
  })
})

test('a gateway that is not online is disconnected', () => {
  expect(message(3003, { net_state: 'online' }).health).toMatchObject([{ kind: 'connected', at_ms: null }])
  for (const net_state of ['offline', '', 7]) {
    expect(message(3003, { net_state }).health).toMatchObject([{ kind: 'disconnected', at_ms: null }])
  }
})

test('an unknown message number is counted, and a known one without its contents is a dead letter', () => {
  for (const id of [3071, 9999, 'x', {}]) {
    expect(message(id, [{ mac: MAC }])).toMatchObject({
      reads: [],
      isDeadLetter: false,
      errors: [{ code: 'unknown_event', pointer: '' }],
    })
  }
  const shapeless: [unknown, unknown][] = [[3070, {}], [3070, undefined], [3003, []], [undefined, []]] // oxfmt-ignore
  for (const [id, data] of shapeless) {
    expect(message(id, data)).toMatchObject({ isDeadLetter: true, errors: [{ code: 'unexpected_shape' }] })
  }
})
