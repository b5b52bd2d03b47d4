import { expect, test } from 'vitest'
import type { NeutralRead } from '../../formats/decoder.ts'
import { addHours, addMessage, addSignal, HOUR_MS, type ReaderHours, type Signals } from './reader-hours.ts'

const read = (antenna: number, rssi_dbm: number | null = null, isUnusable = false): NeutralRead => ({
  antenna,
  tag_type: 'rfid',
  tag_value: 'E280',
  rssi_dbm,
  read_count: 1,
  read_at_ms: null,
  ...(isUnusable && { extra: { antenna_unusable: true } }),
})

function hoursOf(reads: readonly NeutralRead[], seenAtMs = 0, isProblem = false): ReaderHours {
  const [hours, signals]: [ReaderHours, Signals] = [new Map(), new Map()]
  for (const one of reads) addSignal(signals, one)
  addMessage(hours, { seenAtMs, messages: 1, isProblem, clockOffsetMs: null, signals })
  return hours
}

test('a message counts for the reader, and its reads for their antennas', () => {
  const hours = hoursOf([read(1, -40), read(1), read(2, -60.5), read(1, -50, true)], 5 * HOUR_MS + 7, true)
  const counts = { hour: 5, messages: 0, problems: 0, clock_offset_ms: null }
  expect([...hours.values()]).toEqual([
    {
      hour: 5,
      antenna: 0,
      messages: 1,
      problems: 1,
      reads: 4,
      rssi_sum: -150.5,
      rssi_count: 3,
      clock_offset_ms: null,
    },
    { ...counts, antenna: 1, reads: 2, rssi_sum: -40, rssi_count: 1 },
    { ...counts, antenna: 2, reads: 1, rssi_sum: -60.5, rssi_count: 1 },
  ])
})

test('antennas beyond 32 share a row', () => {
  const hours = hoursOf(Array.from({ length: 1_000 }, (_, i) => read(i + 1)))
  expect(hours.size).toBe(34)
  expect(hours.get('0 -1')).toMatchObject({ reads: 968 })
})

test('hours add up', () => {
  const hours = hoursOf([read(1, -40)])
  addHours(hours, hoursOf([read(1, -50)], 1, true))
  addHours(hours, hoursOf([read(2)], HOUR_MS))
  expect(hours.get('0 0')).toMatchObject({ messages: 2, problems: 1, reads: 2 })
  expect(hours.get('0 1')).toMatchObject({ reads: 2, rssi_sum: -90, rssi_count: 2 })
  expect(hours.get('1 2')).toMatchObject({ reads: 1, rssi_count: 0 })
})

test('an hour keeps the clock offset that was farthest from 0', () => {
  const hours: ReaderHours = new Map()
  for (const clockOffsetMs of [null, 0, 400, -45_000, 30_000, null])
    addMessage(hours, { seenAtMs: 0, messages: 1, isProblem: false, clockOffsetMs, signals: new Map() })
  expect(hours.get('0 0')?.clock_offset_ms).toBe(-45_000)
  const later: ReaderHours = new Map()
  addMessage(later, { seenAtMs: 0, messages: 1, isProblem: false, clockOffsetMs: 60_000, signals: new Map() })
  addHours(later, hours)
  expect(later.get('0 0')?.clock_offset_ms).toBe(60_000)
})
