import { instantOfWallTime, wallTimeAt } from '../../formats/zones.ts'

const DAY_MS = 86_400_000
/** More than any change of clocks, also one over the date line. */
const LONGEST_CHANGE_MS = 26 * 3_600_000

/** A day of the calendar, counted from 1970-01-01. */
export type LocalDay = number

/** The day that a clock in `zone` shows. */
export const localDayAt = (ms: number, zone: string): LocalDay => Math.floor(wallTimeAt(ms, zone) / DAY_MS)

/** 1 is Monday. */
export const weekdayOf = (day: LocalDay): number => ((((day + 3) % 7) + 7) % 7) + 1

/** Milliseconds after midnight of `HH:MM`. */
export const timeOfDay = (time: string): number =>
  (Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))) * 60_000

/**
 * The instant at which a clock in `zone` first shows this time of this day. A time that a change of clocks skips is the instant of
 * the change; one that it repeats is the first.
 */
export function instantOf(day: LocalDay, timeMs: number, zone: string): number {
  const wallMs = day * DAY_MS + timeMs
  const shown = instantOfWallTime(wallMs, zone) ?? wallMs
  if (wallTimeAt(shown, zone) === wallMs) return shown
  let [before, after] = [shown - LONGEST_CHANGE_MS, shown]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (wallTimeAt(middle, zone) >= wallMs) after = middle
    else before = middle
  }
  return after
}
