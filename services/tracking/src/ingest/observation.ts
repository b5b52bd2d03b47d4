/** A minute since 1970 as an integer: with the asset, the identity of a history row. */
export type Minute = number

export const minuteOf = (ms: number): Minute => Math.floor(ms / 60_000)

/** One asset was observed at one place, or at none, at one instant. Its minute decides whether it becomes a row. */
export type Observation = {
  orgId: number
  assetId: number
  minute: Minute
  /** Milliseconds since 1970. */
  observedAtMs: number
  locationId: number | null
  /** Both null where an operator said so. */
  readerKey: string | null
  antenna: number | null
}

const OLDEST_MS = 24 * 3_600_000
const NEWEST_MS = 30_000

/**
 * When a read counts as made (D8.6): the reader's own time if it lies between 24 hours before and 30 seconds after
 * the moment the broker took the message, otherwise that moment. A reader that names no time is not skewed.
 */
export function observedAt(readAtMs: number | null, receivedAtMs: number): { ms: number; skewed: boolean } {
  if (readAtMs === null) return { ms: receivedAtMs, skewed: false }
  const usable = readAtMs >= receivedAtMs - OLDEST_MS && readAtMs <= receivedAtMs + NEWEST_MS
  return { ms: usable ? readAtMs : receivedAtMs, skewed: !usable }
}
