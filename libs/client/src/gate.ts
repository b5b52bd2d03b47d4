/** The turn of one request. It keeps its order if the API refuses it with 429. */
export type Place = {
  readonly order: number
  readonly giveUpAt: number
  /** While it is sent. */
  startedAt?: number | undefined
}

/** What a response says: `limit` requests are allowed in `windowMs`, and `remaining` are left. */
export type Rate = { limit: number; windowMs: number; remaining: number }

const LONGEST_BACKOFF_MS = 15_000
/** A waiting request looks this often whether it may start earlier than it seemed. */
const LOOK_AGAIN_MS = 1_000
/** Requests left to other programs with the same key while this one waits: the one that is faster would starve them otherwise. */
const RESERVE = 3
/** Slower than the rate, for the same reason, where responses do not say what is left. */
const SLOWER = 1.05

/**
 * When the requests of one client may start, in the order in which they came. Until the API says what is left, they start at
 * once. Then the gate counts along, with each response as the truth, and a 429 closes it for all. Without I/O: the caller waits
 * for as long as `pause` says, and asks again. Times are in milliseconds.
 */
export class Gate {
  readonly #queue: Place[] = []
  readonly #random: () => number
  #orders = 0
  #limit = 60
  #spacingMs: number
  /** When the next request may start. Each start moves it by an interval, so that before now it is a supply. */
  #readyAt = Number.NEGATIVE_INFINITY
  #isPaced = false
  #inFlight = 0
  #refusals = 0
  #refusedAt = Number.NEGATIVE_INFINITY

  constructor(spacingMs = 1_000, random: () => number = Math.random) {
    this.#spacingMs = spacingMs
    this.#random = random
  }

  get #intervalMs(): number {
    return this.#spacingMs * (this.#isPaced ? SLOWER : 1)
  }

  /** The end of the queue. `giveUpAt`: until when it may wait. */
  join(giveUpAt: number): Place {
    const place: Place = { order: (this.#orders += 1), giveUpAt }
    this.#queue.push(place)
    return place
  }

  /** Its place for another attempt: before those that came later. */
  again(place: Place): void {
    if (this.#queue.includes(place)) return
    const next = this.#queue.findIndex(({ order }) => order > place.order)
    this.#queue.splice(next < 0 ? this.#queue.length : next, 0, place)
  }

  /** The request is over, or given up in the queue or on its way. */
  leave(place: Place): void {
    const at = this.#queue.indexOf(place)
    if (at >= 0) this.#queue.splice(at, 1)
    this.#end(place)
  }

  /** 0: the request has left the queue and starts now. Infinity: its time will be over before its turn. */
  pause(place: Place, now: number): number {
    const at = this.#queue.indexOf(place)
    const due = this.#readyAt + at * this.#intervalMs
    if (due <= now) {
      this.#queue.splice(at, 1)
      place.startedAt = now
      this.#inFlight += 1
      const full = now - (this.#limit - 1) * this.#intervalMs
      if (Number.isFinite(this.#readyAt)) this.#readyAt = Math.max(this.#readyAt, full) + this.#intervalMs
      return 0
    }
    this.#isPaced = true
    if (now >= place.giveUpAt || this.#readyAt > place.giveUpAt) return Number.POSITIVE_INFINITY
    return Math.max(1, Math.min(due, Math.max(this.#readyAt, now) + LOOK_AGAIN_MS, place.giveUpAt) - now)
  }

  /** How long the gate stays closed. */
  closedFor(now: number): number {
    return Math.max(0, this.#readyAt - now)
  }

  /** The request has its response, or none. */
  answered(place: Place, now: number, rate?: Rate): void {
    this.#end(place)
    this.#refusals = 0
    if (rate === undefined) return
    this.#limit = rate.limit
    this.#spacingMs = rate.windowMs / rate.limit
    if (rate.remaining >= rate.limit / 2) this.#isPaced = false
    if (rate.remaining >= rate.limit) this.#readyAt = Number.NEGATIVE_INFINITY // the API counts beyond it, unseen
    else {
      const left = rate.remaining - (this.#isPaced ? Math.min(RESERVE, Math.floor(rate.limit / 20)) : 0)
      const counted = (now - this.#readyAt) / this.#intervalMs + 1
      const tokens = Math.min(left, Math.max(left - this.#inFlight, counted))
      this.#readyAt = now - (tokens - 1) * this.#intervalMs
    }
  }

  /** The API refused the request. It takes its place again, before those that came later. */
  refused(place: Place, now: number, retryAfterMs: number): void {
    if ((place.startedAt ?? now) >= this.#refusedAt) this.#refusals += 1 // otherwise it belongs to the refusal before
    this.#end(place)
    this.again(place)
    this.#refusedAt = now
    const backoff = Math.min(LONGEST_BACKOFF_MS, this.#intervalMs * (2 ** (this.#refusals - 1) - 1))
    const pause =
      Math.max(retryAfterMs, backoff) + (this.#refusals > 1 ? this.#random() * this.#intervalMs : 0)
    this.#readyAt = Math.max(this.#readyAt, now + pause)
    this.#isPaced = true
  }

  #end(place: Place): void {
    if (place.startedAt !== undefined) this.#inFlight -= 1
    place.startedAt = undefined
  }
}

/** Undefined if the response has no headers of a rate. Only those to GET and HEAD have them. */
export function rateOf(headers: Headers): Rate | undefined {
  const [, limit, seconds] = /(\d+)\s*;\s*w=(\d+)/.exec(headers.get('ratelimit-policy') ?? '') ?? []
  const rate = {
    limit: Number(limit ?? headers.get('x-ratelimit-limit') ?? 0),
    windowMs: Number(seconds ?? 60) * 1_000,
    remaining: Number(headers.get('x-ratelimit-remaining') ?? Number.NaN),
  }
  return rate.limit > 0 && rate.windowMs > 0 && rate.remaining >= 0 ? rate : undefined
}
