import { epochMs } from '@whereabouts/contracts/rules/instant'
import type {
  HourOfMovements,
  MovementSummary,
  MovementSummaryQuery,
} from '@whereabouts/contracts/resources/tracking/movements'
import { validationFailed } from '@whereabouts/service-kit/errors/errors'

const HOUR_MS = 3_600_000
export const DAY_MS = 24 * HOUR_MS
/** The summary reads every scan of the window; ADR 37 has the cost. */
const LONGEST_MS = 31 * DAY_MS
/** The earliest instant a request can name. */
const YEAR_1 = epochMs('0001-01-01T00:00:00.000Z')

/** In milliseconds: `from` is included, `to` is not. */
export type Window = { fromMs: number; toMs: number }

/** The requested window. Throws if it ends before it starts, or is empty or too long. */
export function windowOf(
  { from, to }: Pick<MovementSummaryQuery, 'from' | 'to'>,
  nowMs: number,
  longestMs = LONGEST_MS,
): Window {
  const toMs = to === undefined ? nowMs : epochMs(to)
  const fromMs = from === undefined ? Math.max(toMs - DAY_MS, YEAR_1) : epochMs(from)
  if (fromMs >= toMs)
    throw validationFailed([
      { field: 'from', code: 'invalid_value', message: 'from must be earlier than to' },
    ])
  if (toMs - fromMs <= longestMs) return { fromMs, toMs }
  const min = new Date(toMs - longestMs).toISOString()
  throw validationFailed([
    { field: 'from', code: 'too_small', message: `from must be ≥ ${min}`, params: { min } },
  ])
}

const MOST_STEPS = 1_000

/** Throws if the window has too many steps. */
export function checkSteps({ fromMs, toMs }: Window, stepSeconds: number): void {
  const min = Math.ceil((toMs - fromMs) / 1000 / MOST_STEPS)
  if (stepSeconds >= min) return
  const message = `step_seconds must be ≥ ${min}`
  throw validationFailed([{ field: 'step_seconds', code: 'too_small', message, params: { min } }])
}

/** Every step that the window touches; `found` are those with a movement. */
export function summaryOf(
  { fromMs, toMs }: Window,
  found: readonly HourOfMovements[],
  { stepSeconds, area }: { stepSeconds: number; area?: { isDeep: boolean } | undefined },
) {
  const stepMs = stepSeconds * 1000
  const known = new Map(found.map((row) => [epochMs(row.hour), row]))
  const hours: HourOfMovements[] = []
  for (let ms = Math.floor(fromMs / stepMs) * stepMs; ms < toMs; ms += stepMs)
    hours.push(known.get(ms) ?? quietHour(ms, area))
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString()) as [string, string]
  return { from, to, hours } satisfies MovementSummary
}

const quietHour = (ms: number, area: { isDeep: boolean } | undefined): HourOfMovements => ({
  hour: new Date(ms).toISOString(),
  moves: 0,
  ...(area && { in: 0, out: 0 }),
  ...(area?.isDeep && { within: 0 }),
})
