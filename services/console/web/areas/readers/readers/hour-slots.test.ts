import { expect, test } from 'vitest'
import { antennasOf, farthestOffset, slotsOf, type ReaderHour } from './hour-slots.ts'

const HOUR_MS = 3_600_000
const NOW = Date.parse('2026-11-25T10:30:00.000Z')
type Antennas = ReaderHour['antennas']

const hour = (ago: number, antennas: Antennas = []): ReaderHour => ({
  hour: new Date(Math.floor(NOW / HOUR_MS) * HOUR_MS - ago * HOUR_MS).toISOString(),
  messages: 1,
  problems: 0,
  reads: 0,
  mean_rssi_dbm: null,
  clock_offset_ms: null,
  antennas,
})

test('the current hour is the last of 720, and older hours are left out', () => {
  const slots = slotsOf([hour(720), hour(719), hour(0)], NOW)
  expect(slots).toHaveLength(720)
  expect(slots.flatMap((slot, i) => (slot ? [i] : []))).toEqual([0, 719])
})

test('an antenna has its reads of each day and its mean over all hours with a signal', () => {
  const slots = slotsOf(
    [
      hour(30, [{ antenna: null, reads: 5, mean_rssi_dbm: null }]),
      hour(1, [
        { antenna: 2, reads: 3, mean_rssi_dbm: -40 },
        { antenna: 1, reads: 1, mean_rssi_dbm: -70 },
      ]),
      hour(0, [{ antenna: 2, reads: 1, mean_rssi_dbm: -60 }]),
    ],
    NOW,
  )
  const antennas = antennasOf(slots)
  expect(antennas.map(({ antenna, reads, meanRssi }) => [antenna, reads, meanRssi])).toEqual([
    [1, 1, -70],
    [2, 4, -45],
    [null, 5, null],
  ])
  expect(antennas[1]?.days.slice(-2)).toEqual([0, 4])
  expect(antennas[1]?.signals.slice(-2)).toEqual([null, -45])
  expect(antennas[2]?.days.slice(-2)).toEqual([5, 0])
})

test('the farthest clock offset, ahead or behind', () => {
  const withOffset = (clock_offset_ms: number | null) => ({ ...hour(0), clock_offset_ms })
  expect(farthestOffset([null, 3_000, -45_000, 20_000].map(withOffset))).toBe(-45_000)
  expect(farthestOffset([withOffset(null)])).toBeNull()
})
