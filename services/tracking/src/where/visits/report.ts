import type { Window } from '../reports/movement-summary/movement-summary.rules.ts'
import type { LocalDay } from './report-window.ts'

/** A stay until it ended, or until the asset was last seen. In milliseconds. */
export type Span = { assetId: number; place: number; fromMs: number; toMs: number }

/** The group of a part of a stay, and its figures. */
export type Figures = {
  visits: number
  assets: number
  seconds_total: number
  seconds_median: number
  seconds_p95: number
  over_limit: number | null
}

/** What is within a window. A span of no length is within it if it begins there; undefined if nothing is. */
export function cut({ fromMs, toMs, ...span }: Span, window: Window): Span | undefined {
  const part = { ...span, fromMs: Math.max(fromMs, window.fromMs), toMs: Math.min(toMs, window.toMs) }
  const isThere = fromMs < window.toMs && (toMs > window.fromMs || fromMs >= window.fromMs)
  return isThere ? part : undefined
}

/** The parts of a span in each of these days, which are in order. */
export function* cutByDay(span: Span, days: readonly LocalDay[]): Generator<[date: string, part: Span]> {
  for (const day of days) {
    const part = cut(span, day)
    if (part) yield [day.date, part]
  }
}

/** Adds up spans by group. */
export class Totals<G> {
  readonly #groups = new Map<G, { seconds: number[]; assets: Set<number> }>()

  add(group: G, { assetId, fromMs, toMs }: Span): void {
    const known = this.#groups.get(group) ?? { seconds: [], assets: new Set<number>() }
    this.#groups.set(group, known)
    known.seconds.push(Math.floor((toMs - fromMs) / 1_000))
    known.assets.add(assetId)
  }

  figures(limitSeconds: number | undefined): [G, Figures][] {
    return Array.from(this.#groups, ([group, { seconds, assets }]) => {
      const sorted = Float64Array.from(seconds).toSorted()
      return [
        group,
        {
          visits: sorted.length,
          assets: assets.size,
          seconds_total: sorted.reduce((sum, one) => sum + one, 0),
          seconds_median: nearestRank(sorted, 50),
          seconds_p95: nearestRank(sorted, 95),
          over_limit: limitSeconds === undefined ? null : sorted.filter((one) => one > limitSeconds).length,
        },
      ]
    })
  }
}

/** The least value that so many percent of the values do not exceed. Whole numbers, because 0.95 is not exact. */
const nearestRank = (sorted: Float64Array, percent: number): number =>
  sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0
