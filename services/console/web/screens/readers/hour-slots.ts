import type { components } from '@whereabouts/client/client'

export type ReaderHour = components['schemas']['ReaderHour']

const HOUR_MS = 3_600_000
export const DAYS = 30
const SLOTS = DAYS * 24

/** What the reader sent in each of the last 30 days of 24 hours, oldest first; undefined for an hour without messages. */
export function slotsOf(hours: readonly ReaderHour[], nowMs: number): (ReaderHour | undefined)[] {
  const first = Math.floor(nowMs / HOUR_MS) - SLOTS + 1
  const slots = Array.from<ReaderHour | undefined>({ length: SLOTS })
  for (const hour of hours) {
    const slot = Date.parse(hour.hour) / HOUR_MS - first
    if (slot >= 0 && slot < SLOTS) slots[slot] = hour
  }
  return slots
}

export type AntennaDays = {
  /** Null: all antennas beyond 32. */
  antenna: number | null
  reads: number
  meanRssi: number | null
  /** Reads of each day, oldest first. */
  days: number[]
}

/** The antennas of the slots, the first one first. The mean counts each hour by its reads. */
export function antennasOf(slots: readonly (ReaderHour | undefined)[]): AntennaDays[] {
  const found = new Map<number | null, AntennaDays & { rssi: number; withRssi: number }>()
  for (const [slot, hour] of slots.entries())
    for (const { antenna, reads, mean_rssi_dbm: mean } of hour?.antennas ?? []) {
      const sum = found.get(antenna) ?? {
        antenna,
        reads: 0,
        meanRssi: null,
        days: Array.from({ length: DAYS }, () => 0),
        rssi: 0,
        withRssi: 0,
      }
      const day = Math.floor(slot / 24)
      sum.reads += reads
      sum.days[day] = (sum.days[day] ?? 0) + reads
      if (mean !== null) {
        sum.rssi += mean * reads
        sum.withRssi += reads
        sum.meanRssi = sum.rssi / sum.withRssi
      }
      found.set(antenna, sum)
    }
  return [...found.values()]
    .toSorted((a, b) => (a.antenna ?? Infinity) - (b.antenna ?? Infinity))
    .map(({ antenna, reads, meanRssi, days }) => ({ antenna, reads, meanRssi, days }))
}
