export const STEP_MS = 10_000
export const STEPS = 30

/** Movements per step of the last minutes. The key is the number of the step since 1970. */
export type Rate = ReadonlyMap<number, number>

const stepOf = (ms: number) => Math.floor(ms / STEP_MS)

/** Counts by time of arrival: a late movement counts now. */
export function count(rate: Rate, movements: number, nowMs: number): Rate {
  const now = stepOf(nowMs)
  const kept = [...rate].filter(([step]) => step > now - STEPS)
  return new Map([...kept, [now, (rate.get(now) ?? 0) + movements]])
}

export type RatePoint = { atMs: number; movements: number }

/** All steps up to now, oldest first, including empty ones. */
export function pointsOf(rate: Rate, nowMs: number): RatePoint[] {
  const now = stepOf(nowMs)
  return Array.from({ length: STEPS }, (_, i) => {
    const step = now - STEPS + 1 + i
    return { atMs: step * STEP_MS, movements: rate.get(step) ?? 0 }
  })
}

const sum = (points: readonly RatePoint[]) => points.reduce((all, { movements }) => all + movements, 0)

export function rateText(points: readonly RatePoint[]): string {
  const lastMinute = sum(points.slice(-60_000 / STEP_MS))
  const all = sum(points)
  const minutes = (STEPS * STEP_MS) / 60_000
  const number = new Intl.NumberFormat()
  return `${number.format(lastMinute)} in the last minute, ${number.format(all)} in the last ${minutes} minutes`
}
