import { expect, test } from 'vitest'
import { CURRENT, decode, errorsOf } from '../../../test/formats/format-testing.ts'

const CURRENT_MS = Date.parse(CURRENT)
const IN_SINGAPORE = { timezone: 'Asia/Singapore' }
const WALL = '2026-03-01 18:00:04'

const report = (...dev_infos: unknown[]) =>
  decode(
    'kkm',
    { pkt_type: 'scan_report', gw_addr: 'f3bd120a0b0c', time: WALL, data: { dev_infos } },
    IN_SINGAPORE,
  )
const tag = (members: object) => report({ addr: 'f123bc0d0e01', ...members })

test('milliseconds are added to the time, and only unusable ones are dropped', () => {
  const readAt = (msec: unknown) => tag({ time: WALL, msec }).reads[0]?.read_at_ms
  expect(['007', 7, '412', null].map(readAt)).toEqual([7, 7, 412, 0].map((ms) => CURRENT_MS + ms))
  const decoded = tag({ time: WALL, msec: '1000' })
  expect(decoded.reads).toMatchObject([{ read_at_ms: CURRENT_MS }])
  expect(errorsOf(decoded)).toEqual(['invalid_field /data/dev_infos/0/msec'])
})

test('a tag without its own time has none: the time of the envelope is another', () => {
  expect(tag({}).reads).toMatchObject([{ read_at_ms: null }])
})

test('an empty name and the text null are not names', () => {
  for (const name of ['', 'null', null]) expect(tag({ name }).reads[0]?.extra).toBeUndefined()
  expect(tag({ name: 'nullable' }).reads[0]?.extra).toEqual(expect.objectContaining({ name: 'nullable' }))
  expect(tag({ name: 'null', srp_raw: '0409416263' }).reads[0]?.extra?.name).toBe('Abc')
})

test.for([
  { batt_type: 0, batt_value: 85, want: { battery_percent: 85 } },
  { batt_type: 0, batt_value: 3300, want: undefined },
  { batt_type: 1, batt_value: 3300, want: { battery_mv: 3300 } },
  { batt_type: 1, batt_value: 0, want: undefined },
  { batt_type: 2, batt_value: 85, want: undefined },
])('battery type $batt_type with $batt_value means $want', ({ want, ...members }) => {
  expect(tag(members).reads).toHaveLength(1)
  expect(tag(members).reads[0]?.extra).toEqual(want)
})

test('both spellings of the heartbeat are the same, and without a zone its time is unknown', () => {
  for (const state of ['sta_gw_hb', 'state_gw_hb']) {
    const decoded = decode('kkm', { pkt_type: 'state', time: WALL, data: { state, ticks_cnt: 20 } })
    expect(decoded.health).toMatchObject([{ kind: 'heartbeat', at_ms: null, detail: { ticks: 20 } }])
    expect(errorsOf(decoded)).toEqual(['missing_zone /time'])
  }
})

test('only bad entries are dropped', () => {
  const decoded = report(7, { addr: 'x' }, { rssi: -1 }, { addr: 'f123bc0d0e01', adv_raw: 'x', time: '?' })
  expect(decoded.reads).toMatchObject([{ tag_value: 'F123BC0D0E01', read_at_ms: null }])
  expect(errorsOf(decoded).toSorted()).toEqual([
    'invalid_field /data/dev_infos/3/adv_raw',
    'invalid_field /data/dev_infos/3/time',
    'invalid_tag /data/dev_infos/1/addr',
    'missing_tag /data/dev_infos/2',
    'unexpected_shape /data/dev_infos/0',
  ])
})

test('an unknown packet is counted, and a known one without its contents is a dead letter', () => {
  expect(decode('kkm', { pkt_type: 'config', data: {} })).toMatchObject({
    isDeadLetter: false,
    errors: [{ code: 'unknown_event', pointer: '' }],
  })
  const shapeless = [{ pkt_type: 'scan_report' }, { pkt_type: 'scan_report', data: {} }, { data: {} }, []]
  for (const message of shapeless) {
    expect(decode('kkm', message)).toMatchObject({
      isDeadLetter: true,
      errors: [{ code: 'unexpected_shape' }],
    })
  }
})
