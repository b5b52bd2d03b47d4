import { epochMs } from '@whereabouts/contracts/rules/instant'
import { validationFailed } from '@whereabouts/service-kit/errors/errors'
import { instantOfWallTime } from '../../formats/zones.ts'
import { DAY_MS } from '../../positions/packed/day-rows.ts'
import type { Window } from '../reports/movement-summary/movement-summary.rules.ts'

const DEFAULT_DAYS = 7
const MOST_DAYS = 92
/** The earliest instant a request can name. */
const YEAR_1 = epochMs('0001-01-01T00:00:00.000Z')

/** In milliseconds: `from` is included, `to` is not. Throws if it ends before it starts, or is too long. */
export function reportWindow(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  nowMs: number,
): Window {
  const toMs = to === undefined ? nowMs : epochMs(to)
  const fromMs = from === undefined ? Math.max(toMs - DEFAULT_DAYS * DAY_MS, YEAR_1) : epochMs(from)
  if (fromMs >= toMs)
    throw validationFailed([
      { field: 'from', code: 'invalid_value', message: 'from must be earlier than to' },
    ])
  if (toMs - fromMs <= MOST_DAYS * DAY_MS) return { fromMs, toMs }
  const max = new Date(fromMs + MOST_DAYS * DAY_MS).toISOString()
  throw validationFailed([
    { field: 'to', code: 'too_large', message: `to must be ≤ ${max}`, params: { max } },
  ])
}

/** A day of a time zone, in milliseconds: `from` is included, `to` is not. */
export type LocalDay = { date: string; fromMs: number; toMs: number }

/** The days of a zone that a window touches, in order. A day may have 23 or 25 hours. */
export function daysOf({ fromMs, toMs }: Window, zone: string): LocalDay[] {
  const midnight = (day: number) => instantOfWallTime(day * DAY_MS, zone) ?? day * DAY_MS
  const days: LocalDay[] = []
  // No zone is more than a day from UTC.
  for (let day = Math.floor(fromMs / DAY_MS) - 1; midnight(day) < toMs; day += 1) {
    const [start, end] = [midnight(day), midnight(day + 1)]
    if (end > fromMs && end > start)
      days.push({ date: new Date(day * DAY_MS).toISOString().slice(0, 10), fromMs: start, toMs: end })
  }
  return days
}
