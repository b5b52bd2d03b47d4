import type { AppError } from '../errors/app-error.ts'
import { serviceUnavailable, tooManyWaiting } from '../errors/errors.ts'
import { onAbort } from './on-abort.ts'

type Options<K> = {
  /** Places: how much work runs at a time. */
  running: number
  /** Places of one key. Half of all by default, rounded up, so that others find one free. */
  runningPerKey?: number
  /** Places of one key while other keys come. Absent: as otherwise. */
  runningBeside?: number
  /**
   * Place time that a key gets beyond one place while other keys come. Then it gets one place. Time in which it holds none
   * is given back. Absent: no limit.
   */
  burstMs?: number
  /** How many wait, of all keys. Absent: the caller bounds them. */
  waiting?: number
  /** How many of one key wait. Absent: only `waiting` bounds them. */
  waitingPerKey?: number
  /** After this wait, work is refused. Absent: it waits as long as it must. */
  maxWaitMs?: number
  /** Called for each refusal. It also counts them, so they get no log lines of their own. */
  onRefusal?: (key: K) => void
}

/** `excessMs`: the place time beyond one place that was not given back, at most `burstMs`. As of `at`. */
type Use = { running: number; excessMs: number; at: number }

/** Nobody else waits for a key that was alone for this long. */
const ALONE_MS = 1_000

/** `end` admits the waiter to `gate`, or refuses it with an error. */
type Waiter<K> = { gate: FairGate<K>; end(error?: unknown): void }

/**
 * Runs work of many keys (organizations, address blocks) in a limited number of places. The keys that wait take turns,
 * first in first out within one. So a key waits for as many others as there are keys, however much work each has.
 *
 * Refused work has not begun. A key with its share waiting gets `rate_limited`. If the gate is full, a key with nothing
 * waiting displaces the newest of the key with most, which gets `rate_limited`; all others get `service_unavailable`,
 * and so does work that has waited too long. Not `p-queue`: it has neither turns nor bounds.
 */
export class FairGate<K> {
  readonly #options: Options<K>
  readonly #perKey: number
  #running = 0
  #waiting = 0
  /** Without the keys that hold no place and have given back all. */
  readonly #uses = new Map<K, Use>()
  #newest: K | undefined
  /** Until then, at least two keys count as present. */
  #sharedUntil = 0
  /** No queue is empty. */
  readonly #queues = new Map<K, Set<Waiter<K>>>()
  /** The keys with a queue and fewer running than they may, in the order in which they get the next places. */
  readonly #turns = new Set<K>()

  constructor(options: Options<K>) {
    this.#options = options
    this.#perKey = options.runningPerKey ?? Math.ceil(options.running / 2)
  }

  /** Runs `work` when a place is free. Rejects with its reason if `signal` aborts before that. */
  async run<T>(key: K, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    const entered = this.enter(key, { signal })
    const gate = entered ? await entered : this
    try {
      return await work()
    } finally {
      gate.leave(key)
    }
  }

  /**
   * Takes a place, for work that is more than one function. The caller must call `leave` of the gate that is returned
   * (`moveWaiting`). Undefined if this gate had a free place, because a promise would delay most statements for nothing. For
   * the same reason the signal of `waiter` is read only if it has to wait.
   */
  enter(
    key: K,
    waiter: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<FairGate<K>> | undefined {
    this.#noteArrival(key)
    // If a place is free, nobody who may run waits, apart from who may run since a moment ago.
    if (this.#running >= this.#options.running || this.#queues.has(key) || !this.#mayRun(key))
      return this.#wait(key, waiter.signal)
    this.take(key)
    return undefined
  }

  /** Gives the place to the next key in turn at once, so that no new work can take it. */
  leave(key: K): void {
    const use = this.#useOf(key)
    use.running -= 1
    if (use.running === 0 && use.excessMs === 0) this.#uses.delete(key)
    this.#running -= 1
    this.#joinTurns(key)
    this.#admit()
  }

  /** Takes a place even if none is free, for work that already runs. Until it is free again, nobody is admitted. */
  take(key: K): void {
    this.#useOf(key).running += 1
    this.#running += 1
  }

  /** Moves all that wait of a key to the end of its queue at another gate. */
  moveWaiting(key: K, to: FairGate<K>): void {
    for (const waiter of this.#queues.get(key) ?? []) {
      this.#remove(key, waiter)
      to.#add(key, waiter)
    }
    to.#admit()
  }

  /** For metrics. */
  sizes(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#waiting }
  }

  #mayRun(key: K): boolean {
    if (!this.#uses.has(key)) return true
    const { running, excessMs } = this.#useOf(key)
    const { burstMs = Infinity, runningBeside = this.#perKey } = this.#options
    if (this.#now() >= this.#sharedUntil) return running < this.#perKey
    return running < (excessMs >= burstMs ? 1 : runningBeside)
  }

  /** As of now. */
  #useOf(key: K): Use {
    const at = this.#now()
    let use = this.#uses.get(key)
    if (!use) this.#uses.set(key, (use = { running: 0, excessMs: 0, at }))
    const { burstMs = 0 } = this.#options
    use.excessMs = Math.min(burstMs, Math.max(0, use.excessMs + (use.running - 1) * (at - use.at)))
    use.at = at
    return use
  }

  /** In ms. Constant for gates that do not measure bursts, because each statement would ask for the time. */
  #now(): number {
    return this.#options.burstMs === undefined ? 0 : performance.now()
  }

  #noteArrival(key: K): void {
    if (key !== this.#newest && this.#newest !== undefined) this.#sharedUntil = this.#now() + ALONE_MS
    this.#newest = key
  }

  #wait(key: K, signal: AbortSignal | undefined): Promise<FairGate<K>> {
    signal?.throwIfAborted()
    this.#makeRoom(key)
    const { maxWaitMs } = this.#options
    return new Promise((resolve, reject) => {
      const waiter: Waiter<K> = {
        gate: this,
        end(error) {
          clearTimeout(timer)
          stopListening?.()
          if (error === undefined) resolve(waiter.gate)
          else reject(error)
        },
      }
      const giveUp = (error: unknown) => {
        waiter.gate.#remove(key, waiter)
        waiter.end(error)
      }
      const timer = maxWaitMs === undefined ? undefined : setTimeout(() => giveUp(this.#full(key)), maxWaitMs)
      const stopListening = signal && onAbort(signal, () => giveUp(signal.reason))
      this.#add(key, waiter)
      this.#admit()
    })
  }

  /** Throws if `key` may not wait. */
  #makeRoom(key: K): void {
    const { waiting = Infinity, waitingPerKey = Infinity } = this.#options
    const own = this.#queues.get(key)?.size ?? 0
    if (own >= waitingPerKey) throw this.#tooManyOf(key)
    if (this.#waiting < waiting) return
    const [longest, queue] = [...this.#queues].reduce(
      (a, b) => (b[1].size > a[1].size ? b : a),
      [key, new Set()],
    )
    const newest = [...queue].at(-1)
    if (own > 0 || queue.size < 2 || !newest) throw this.#full(key)
    this.#remove(longest, newest)
    newest.end(this.#tooManyOf(longest))
  }

  #tooManyOf(key: K): AppError {
    this.#options.onRefusal?.(key)
    return tooManyWaiting()
  }

  #full(key: K): AppError {
    this.#options.onRefusal?.(key)
    return serviceUnavailable(undefined, this.#options.onRefusal !== undefined)
  }

  #add(key: K, waiter: Waiter<K>): void {
    waiter.gate = this
    const queue = this.#queues.get(key) ?? new Set()
    this.#queues.set(key, queue.add(waiter))
    this.#waiting += 1
    this.#joinTurns(key)
  }

  #remove(key: K, waiter: Waiter<K>): void {
    const queue = this.#queues.get(key)
    if (!queue?.delete(waiter)) return
    this.#waiting -= 1
    if (queue.size > 0) return
    this.#queues.delete(key)
    this.#turns.delete(key)
  }

  /** At the end, after all other keys. A key that has its turn keeps it. */
  #joinTurns(key: K): void {
    if (this.#queues.has(key) && this.#mayRun(key)) this.#turns.add(key)
  }

  #admit(): void {
    for (const key of this.#turns) {
      if (this.#running >= this.#options.running) return
      const [next] = this.#queues.get(key) ?? []
      this.#turns.delete(key)
      if (!next || !this.#mayRun(key)) continue
      this.#remove(key, next)
      this.take(key)
      this.#joinTurns(key)
      next.end()
    }
  }
}
