import type { Cause } from './cause.ts'
import type { Outvoted } from './evidence.ts'

/** Minutes since 1970. Minute and asset identify a history row. */
export type Minute = number

export const minuteOf = (ms: number): Minute => Math.floor(ms / 60_000)

/** One asset was observed at one location, or at none, at one instant. Its minute decides whether it becomes a row. */
export type Observation = {
  orgId: number
  assetId: number
  minute: Minute
  /** Milliseconds since 1970. */
  observedAtMs: number
  locationId: number | null
  /** Corrected strength in dBm; null if the read had none. */
  rssi: number | null
  /** Whether its strength counts (D18.7). Otherwise, it moves the asset at once. */
  isJudged: boolean
  /** Set aside when the row was made. */
  outvoted?: Outvoted[]
  /** When it was read, if it is the first observation of a minute because it was the last of the minute before. */
  carriedFromMs?: number
} & Cause

const OLDEST_MS = 24 * 3_600_000
const NEWEST_MS = 30_000

/**
 * The instant of a read (D8.6): the reader's time if it is between 24 hours before and 30 seconds after the broker
 * received the message, otherwise when the broker received it. A read without a time is not skewed.
 */
export function observedAt(readAtMs: number | null, receivedAtMs: number): { ms: number; skewed: boolean } {
  if (readAtMs === null) return { ms: receivedAtMs, skewed: false }
  const usable = readAtMs >= receivedAtMs - OLDEST_MS && readAtMs <= receivedAtMs + NEWEST_MS
  return { ms: usable ? readAtMs : receivedAtMs, skewed: !usable }
}
