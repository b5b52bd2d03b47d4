import { expect, test } from 'vitest'
import type { HealthDetail, HealthEvent, HealthKind } from '../../formats/decoder.ts'
import { readsLost, report, type DeviceReports } from './device-reports.ts'

const T = Date.parse('2026-03-01T10:00:00.000Z')
const event = (kind: HealthKind, detail: HealthDetail = {}, second = 0): HealthEvent => ({
  kind,
  reader: 'dock-1',
  at_ms: null,
  received_at_ms: T + second * 1000,
  detail,
})

function reported(...events: HealthEvent[]) {
  const reports: DeviceReports = {}
  report(reports, events)
  return Object.entries(reports).map(([topic, { kind, detail }]) => [topic, kind, detail])
}

test('the newest report of each topic is kept, in any order of arrival', () => {
  const late = event('heartbeat', { battery_percent: 80 }, 5)
  expect(reported(event('heartbeat', { battery_percent: 81 }), late)).toEqual([['heartbeat', 'heartbeat', late.detail]]) // oxfmt-ignore
  expect(reported(late, event('heartbeat'))).toEqual([['heartbeat', 'heartbeat', late.detail]])
})

test('connected and disconnected end each other, for each antenna separately', () => {
  expect(
    reported(
      event('connected'),
      event('disconnected', {}, 1),
      event('antenna_disconnected', { antenna: 1 }),
      event('antenna_disconnected', { antenna: 2 }),
      event('antenna_connected', { antenna: 2 }, 1),
    ),
  ).toEqual([
    ['connection', 'disconnected', {}],
    ['antenna 1', 'antenna_disconnected', { antenna: 1 }],
    ['antenna 2', 'antenna_connected', { antenna: 2 }],
  ])
})

test('invented antennas and long or unstorable details do not fill the row', () => {
  const antennas = Array.from({ length: 1_000 }, (_, i) => event('antenna_connected', { antenna: i + 1 }))
  expect(reported(...antennas)).toHaveLength(32)
  const omitted = [['alert', 'alert', { omitted: true }]]
  expect(reported(event('alert', { message: 'x'.repeat(2_000) }))).toEqual(omitted)
  expect(reported(event('alert', { message: 'a\0b' }))).toEqual(omitted)
  expect(reported(event('alert', { message: '\ud800' }))).toEqual(omitted)
})

test('an instant outside the years 1 to 9999 is null', () => {
  const reports: DeviceReports = {}
  report(reports, [{ ...event('status'), at_ms: 1e300 }])
  expect(reports['status']).toMatchObject({ at: null, received_at: '2026-03-01T10:00:00.000Z' })
})

test('lost reads are added up, at least one per event', () => {
  expect(readsLost([event('reads_lost', { count: 1500 }), event('heartbeat', { count: 9 })])).toBe(1500)
  expect(readsLost([event('reads_lost'), event('reads_lost', { count: -5 })])).toBe(2)
  expect(readsLost([event('reads_lost', { count: 1e300 })])).toBe(1_000_000_000)
})
