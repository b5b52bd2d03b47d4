import type { Outvoted } from '../evidence.ts'

export const MINUTES_OF_DAY = 1_440
export const DAY_MS = 86_400_000

/** Days since 1970, in UTC. */
export type Day = number

export const dayOf = (ms: number): Day => Math.floor(ms / DAY_MS)

/** What caused a row of history, as in `scan`. */
export type RowCause = {
  reader_key: string | null
  antenna: number | null
  tag_id: number | null
  location_key: string | null
  scan_point_id: number | null
  empty_scan_point_id: number | null
}

/** A row of history within its day. */
export type DayRow = RowCause & {
  /** 0 to 1439. */
  minute: number
  /** Microseconds since 1970. */
  at: number
  location_id: number | null
  outvoted: Outvoted[] | null
  /** Microseconds since 1970. */
  carried_from: number | null
}

/** Where an asset was in a minute, without the cause. */
export type Seen = Pick<DayRow, 'minute' | 'at' | 'location_id'>

/** Microseconds since 1970, of an instant in UTC with three or six digits: `2026-11-26T10:00:00.000000Z`. */
export const microsecondsOf = (instant: string): number =>
  Date.parse(`${instant.slice(0, 23)}Z`) * 1_000 + Number(instant.slice(23, -1))
