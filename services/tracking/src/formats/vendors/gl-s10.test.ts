import { expect, test } from 'vitest'
import { CURRENT, decode, errorsOf } from '../../../test/formats/format-testing.ts'

const IBEACON = '0201061aff4c0002150a1b2c3d4e5f60718293a4b5c6d7e8f90065000a'
const beacon = { uuid: '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9', major: 101, minor: 10 }

const advert = (members: object) => decode('gl-s10', { mac: 'D2:F3:04:15:26:A8', rssi: -67, ...members })

test('the length of an advert counts hex digits, and digits after them are ignored', () => {
  const name = '0409416263'
  expect(advert({ adv_data: `${name}0409646566`, adv_data_len: 10 }).reads[0]?.extra).toMatchObject({
    name: 'Abc',
  })
  expect(advert({ adv_data: `${name}ffxx`, adv_data_len: '10' })).toMatchObject({
    reads: [{ extra: { name: 'Abc' } }],
    errors: [],
  })
})

test('a full advert without its last digits still identifies the beacon', () => {
  for (const tail of ['', 'c']) {
    const decoded = advert({ adv_data: IBEACON + tail, adv_data_len: 60 })
    expect(decoded).toMatchObject({ reads: [{ extra: { ibeacon: beacon } }], errors: [] })
  }
  const whole = advert({ adv_data: `${IBEACON}c5`, adv_data_len: 60 })
  expect(whole.reads[0]?.extra?.ibeacon).toEqual({ ...beacon, tx_power: -59 })
})

test('the scan response adds facts that the advert lacks', () => {
  const decoded = advert({ adv_data: `${IBEACON}c5`, scan_resp: '0409416263', scan_resp_len: 10 })
  expect(decoded.reads[0]?.extra).toMatchObject({ ibeacon: beacon, name: 'Abc' })
})

test('a read of the first generation has no time', () => {
  expect(advert({ ts: Date.parse(CURRENT) }).reads).toMatchObject([{ read_at_ms: null }])
})

test('the Bluetooth address identifies the gateway, never its WiFi address', () => {
  const wifi = { dev_wifi_sta_mac: 'C4:DE:E2:0A:0B:0C' }
  expect(advert({ ...wifi, dev_ble_mac: 'C4:DE:E2:0A:0B:0E' }).identity).toBe('C4DEE20A0B0E')
  expect(advert(wifi).identity).toBeNull()
})

test('only bad entries of a list are dropped', () => {
  const decoded = decode('gl-s10', {
    dev_ble_mac: 'C4DEE20A0B0F',
    dev_list: [null, { mac: '1' }, { rssi: -50 }, { mac: '45F41F0A0B0C', ts: 'now', ad: '0' }],
  })
  expect(decoded.reads).toMatchObject([{ tag_value: '45F41F0A0B0C', read_at_ms: null, rssi_dbm: null }])
  expect(errorsOf(decoded).toSorted()).toEqual([
    'invalid_field /dev_list/3/ad',
    'invalid_field /dev_list/3/ts',
    'invalid_tag /dev_list/1/mac',
    'missing_tag /dev_list/2',
    'unexpected_shape /dev_list/0',
  ])
})

test('an advert without an address has no tag; a message of another kind is a dead letter', () => {
  expect(decode('gl-s10', { dev_ble_mac: 'C4DEE20A0B0F', rssi: -60 })).toMatchObject({
    isDeadLetter: false,
    errors: [{ code: 'missing_tag', pointer: '' }],
  })
  for (const other of [{}, { dev_list: {} }, [], 7]) {
    expect(decode('gl-s10', other)).toMatchObject({
      isDeadLetter: true,
      errors: [{ code: 'unexpected_shape' }],
    })
  }
})
