import { fromLocalInput, toLocalInput } from '../../../parts/time/local-time.ts'
import { SPANS, type Filter } from './filter.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The summary of movements has at most so long a time. */
const LONGEST_MS = 31 * 24 * HOUR_MS
const MOST_BARS = 100
const STEPS_MS = [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * MINUTE_MS)

type Range = Pick<Filter, 'span' | 'from' | 'to'>
/** The time that a chart shows. `isCut`: the time of the filter is longer. */
export type Chart = { fromMs: number; toMs: number; stepMs: number; isCut: boolean }
/** Starts of bars, in milliseconds, and what they have. */
export type Bins = Chart & { starts: readonly number[]; counts: readonly number[] }
/** From the start of a bar to the start of another one, as their places. */
export type Part = [from: number, to: number]

/** The range that the chart shows: without a part that was selected in it. */
export function wholeOf({ span, from, to, whole }: Filter): Range {
  const [ownFrom, ownTo] = whole.split('/')
  if (ownFrom !== undefined && ownTo !== undefined) return { span: 'own', from: ownFrom, to: ownTo }
  const isSpan = SPANS.some(({ value }) => value === whole && value !== 'own')
  return isSpan ? { span: whole, from: '', to: '' } : { span, from, to }
}

/** Undefined if the range ends before it starts. */
export function chartOf(filter: Filter, nowMs: number): Chart | undefined {
  const { span, from, to } = wholeOf(filter)
  const toMs = span === 'own' ? (msOf(to) ?? nowMs) : nowMs
  const fromMs =
    span === 'own'
      ? (msOf(from) ?? Number.NEGATIVE_INFINITY)
      : // A selected part stays in the chart, even if the last hour has left it behind.
        Math.min(nowMs - Number(span) * MINUTE_MS, isPart(filter) ? (msOf(filter.from) ?? nowMs) : nowMs)
  if (fromMs >= toMs) return undefined
  const shownFrom = Math.max(fromMs, toMs - LONGEST_MS)
  const stepMs = STEPS_MS.find((step) => (toMs - shownFrom) / step <= MOST_BARS) ?? 0
  return { fromMs: shownFrom, toMs, stepMs, isCut: shownFrom > fromMs }
}

export const isPart = ({ whole }: Filter): boolean => whole !== ''

/** What is selected of the bars: all of them without a part. */
export function selectedOf(filter: Filter, { starts, stepMs }: Bins): Part {
  const [first, n] = [starts[0] ?? 0, starts.length]
  if (!isPart(filter)) return [0, n]
  const [from, to] = [msOf(filter.from) ?? first, msOf(filter.to) ?? first + n * stepMs]
  const placeOf = (ms: number) => Math.min(n, Math.max(0, ms))
  return [placeOf(Math.floor((from - first) / stepMs)), placeOf(Math.ceil((to - first) / stepMs))]
}

/** The change of the filter that selects these bars. All bars are the whole range. */
export function selecting(filter: Filter, bins: Bins, [from, to]: Part): Partial<Filter> {
  const { starts, stepMs, fromMs, toMs } = bins
  if (from === 0 && to === starts.length) return selectingAll(filter)
  const { span, from: wholeFrom, to: wholeTo } = wholeOf(filter)
  const first = starts[0] ?? 0
  const endMs = Math.ceil(Math.min(toMs, first + to * stepMs) / MINUTE_MS) * MINUTE_MS
  return {
    span: 'own',
    from: localOf(Math.max(fromMs, first + from * stepMs)),
    to: localOf(endMs),
    whole: span === 'own' ? `${wholeFrom}/${wholeTo}` : span,
  }
}

export const selectingAll = (filter: Filter): Partial<Filter> => ({ ...wholeOf(filter), whole: '' })

export const countIn = ({ counts }: Bins, [from, to]: Part): number =>
  counts.slice(from, to).reduce((sum, count) => sum + count, 0)

/** The bar below a pointer, at a share of the width. */
export const barAt = (share: number, n: number): number => Math.min(n - 1, Math.max(0, Math.floor(share * n)))

/** The bars from one to another, both included. */
export const partOf = (one: number, other: number): Part => [Math.min(one, other), Math.max(one, other) + 1]

/** What the keys Home and End make of a part; undefined for other keys. */
export function partAfterKey(key: string, handle: 0 | 1, [from, to]: Part, n: number): Part | undefined {
  if (key === 'Home') return handle === 0 ? [0, to] : [from, from + 1]
  if (key === 'End') return handle === 0 ? [to - 1, to] : [from, n]
  return undefined
}

const msOf = (local: string): number | undefined => {
  const instant = fromLocalInput(local)
  return instant === null ? undefined : Date.parse(instant)
}

const localOf = (ms: number) => toLocalInput(new Date(ms).toISOString())
