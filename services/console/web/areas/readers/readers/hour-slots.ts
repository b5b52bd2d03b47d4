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
  /** Mean signal of each day in dBm; null for a day without. */
  signals: (number | null)[]
}

type Sum = { rssi: number; reads: number }
const meanOf = ({ rssi, reads }: Sum) => (reads === 0 ? null : rssi / reads)
const perDay = <T>(empty: () => T): T[] => Array.from({ length: DAYS }, empty)

/** The antennas of the slots, the first one first. A mean counts each hour by its reads. */
export function antennasOf(slots: readonly (ReaderHour | undefined)[]): AntennaDays[] {
  const found = new Map<number | null, { reads: number; days: number[]; sums: Sum[] }>()
  for (const [slot, hour] of slots.entries())
    for (const { antenna, reads, mean_rssi_dbm: mean } of hour?.antennas ?? []) {
      const known = found.get(antenna) ?? {
        reads: 0,
        days: perDay(() => 0),
        sums: perDay(() => ({ rssi: 0, reads: 0 })),
      }
      found.set(antenna, known)
      const day = Math.floor(slot / 24)
      known.reads += reads
      known.days[day] = (known.days[day] ?? 0) + reads
      const sum = known.sums[day]
      if (mean === null || !sum) continue
      sum.rssi += mean * reads
      sum.reads += reads
    }
  return [...found]
    .toSorted(([a], [b]) => (a ?? Infinity) - (b ?? Infinity))
    .map(([antenna, { reads, days, sums }]) => ({
      antenna,
      reads,
      days,
      signals: sums.map(meanOf),
      meanRssi: meanOf(
        sums.reduce((all, sum) => ({ rssi: all.rssi + sum.rssi, reads: all.reads + sum.reads }), {
          rssi: 0,
          reads: 0,
        }),
      ),
    }))
}

/** The clock offset that was farthest from 0; null if no message had a time. */
export const farthestOffset = (hours: readonly ReaderHour[]): number | null =>
  hours.reduce<number | null>(
    (farthest, { clock_offset_ms: at }) =>
      at !== null && (farthest === null || Math.abs(at) > Math.abs(farthest)) ? at : farthest,
    null,
  )
