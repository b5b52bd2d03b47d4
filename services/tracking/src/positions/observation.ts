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
  /** From a late read (D18.2), which announces nothing. */
  isLate?: boolean
} & Cause
