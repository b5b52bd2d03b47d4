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
  /** From a late read (D18.2), which announces nothing. */
  isLate?: boolean
} & Cause

/** What read the asset, and what decided its location: the key in the message, or otherwise the scan point (D8.8). */
type Cause = {
  readerKey: string | null
  antenna: number | null
  tagId: number | null
  /** As sent. */
  locationKey: string | null
  scanPointId: number | null
}

/** The cause of a save. */
export const NOT_READ: Cause = {
  readerKey: null,
  antenna: null,
  tagId: null,
  locationKey: null,
  scanPointId: null,
}
