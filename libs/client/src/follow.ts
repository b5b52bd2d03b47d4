import type { components } from './api.d.ts'

export type Movement = components['schemas']['Movement']
export type MovementPage = components['schemas']['MovementPage']

/** The bounds of the next request, which is for the newest movements first. */
export type Bounds = { from?: string; to?: string; after?: string }

const HOUR_MS = 3_600_000
/** A day of movements at a time, at first, if the start lies in the past. */
const FIRST_STEP_MS = 24 * HOUR_MS
/** More in a step make it shorter, fewer longer. */
const MANY = 5_000
/** How often the whole overlap is read. In between, a page without anything new is the last one. */
const SWEEP_MS = 60_000

/**
 * What to ask for next, and what is new in a page, without I/O. Reads from `overlapMs` before the newest movement, because late
 * reads and saves are inserted into the past; remembers the movements of that time alone. Without `from`, it begins with what
 * moves from now on.
 */
export class Follower {
  readonly #seen = new Map<string, Movement>()
  readonly #overlapMs: number
  #rows: Movement[] = []
  #after: string | undefined
  #isFirst: boolean
  /** Nothing before it is read. */
  #startMs: number | undefined
  /** The end of what is read in steps. Undefined once the present is reached. */
  #step: { toMs: number; ms: number } | undefined
  #newestMs = Number.NEGATIVE_INFINITY
  #sweptAt = Number.NEGATIVE_INFINITY
  /** Whether the caller waits before the next request. */
  isIdle = false
  /** Movements of the last round that are none any more: the asset was back in the same minute. */
  withdrawn: Movement[] = []
  /** What the first round found, if it is not to be followed. */
  known: Movement[] = []

  constructor(from: string | undefined, overlapMs: number, now: number) {
    this.#overlapMs = overlapMs
    this.#isFirst = from === undefined
    if (from === undefined) return
    this.#startMs = Date.parse(from)
    if (Number.isNaN(this.#startMs)) throw new RangeError(`from is not an instant: ${from}`)
    this.#step = stepFrom(this.#startMs, FIRST_STEP_MS, now)
  }

  get next(): Bounds {
    const fromMs = this.#fromMs
    return {
      ...(fromMs !== undefined && { from: new Date(fromMs).toISOString() }),
      ...(this.#step && { to: new Date(this.#step.toMs).toISOString() }),
      ...(this.#after !== undefined && { after: this.#after }),
    }
  }

  /** Takes the page of `next`. Returns what is new, oldest first, once a round is complete. */
  take({ data, cursor }: MovementPage, now: number): Movement[] {
    this.#rows.push(...data)
    const isLast = this.#isLast(data, now)
    this.#after = isLast ? undefined : (cursor ?? undefined)
    this.isIdle = this.#after === undefined && this.#step === undefined
    this.withdrawn = []
    this.known = []
    return this.#after === undefined ? this.#finish(cursor === null, now) : []
  }

  /** A request failed: the round begins again. */
  restart(): void {
    this.#rows = []
    this.#after = undefined
  }

  get #fromMs(): number | undefined {
    if (this.#step || !Number.isFinite(this.#newestMs)) return this.#startMs
    return Math.max(this.#startMs ?? Number.NEGATIVE_INFINITY, this.#newestMs - this.#overlapMs)
  }

  #isLast(data: readonly Movement[], now: number): boolean {
    if (this.#isFirst) {
      const [newest, oldest] = [this.#rows[0], this.#rows.at(-1)]
      return !newest || !oldest || msOf(oldest) < msOf(newest) - this.#overlapMs
    }
    return !this.#step && now - this.#sweptAt < SWEEP_MS && data.every((row) => this.#seen.has(idOf(row)))
  }

  #finish(isWhole: boolean, now: number): Movement[] {
    const rows = this.#rows
    const fromMs = isWhole ? (this.#fromMs ?? Number.NEGATIVE_INFINITY) : rows.at(-1) ? msOf(rows.at(-1) as Movement) + 1 : Number.POSITIVE_INFINITY
    const toMs = this.#step?.toMs ?? Number.POSITIVE_INFINITY
    const ids = new Set(rows.map(idOf))
    for (const [id, row] of this.#seen)
      if (!ids.has(id) && msOf(row) >= fromMs && msOf(row) <= toMs) {
        this.#seen.delete(id)
        this.withdrawn.push(row)
      }
    const fresh = rows.filter((row) => !this.#seen.has(idOf(row))).toReversed()
    for (const row of fresh) {
      this.#seen.set(idOf(row), row)
      this.#newestMs = Math.max(this.#newestMs, msOf(row))
    }
    if (isWhole || this.#isFirst) this.#sweptAt = now
    const moved = this.#isFirst ? [] : fresh
    if (this.#isFirst) this.known = fresh
    this.#advance(rows.length, now)
    for (const [id, row] of this.#seen) if (msOf(row) < this.#newestMs - this.#overlapMs) this.#seen.delete(id)
    return moved
  } // oxfmt-ignore

  #advance(read: number, now: number): void {
    this.#rows = []
    this.#isFirst = false
    if (!this.#step) return
    const { toMs, ms } = this.#step
    this.#startMs = Math.max(toMs - this.#overlapMs, this.#startMs ?? toMs)
    const longer = read > MANY ? Math.max(HOUR_MS, ms / 2) : ms * 2
    this.#step = stepFrom(toMs, longer, now)
  }
}

const stepFrom = (fromMs: number, ms: number, now: number) =>
  fromMs + ms < now ? { toMs: fromMs + ms, ms } : undefined

const idOf = ({ asset, occurred_at, to_location }: Movement) => `${asset.id} ${occurred_at} ${to_location.id}`
const msOf = ({ occurred_at }: Movement) => Date.parse(occurred_at)
