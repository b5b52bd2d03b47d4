import { AsyncLocalStorage } from 'node:async_hooks'
import { withoutClient } from '@whereabouts/service-kit/observe/trace'
import { LRUCache } from 'lru-cache'

type Call<T, R> = {
  value: T
  resolve: (result: R) => void
  reject: (error: unknown) => void
  /** Calls a function with the trace of this call. */
  within: ReturnType<typeof AsyncLocalStorage.snapshot>
}

/** Returns the results in the order of the values. An error rejects the call of its value alone. */
type Run<T, R> = (values: readonly T[]) => Promise<readonly (R | Error)[]>

export type BatchOptions<T> = {
  /** Largest number of values in one run. A function counts how many of the first waiting values may run together. */
  atMost: number | ((waiting: readonly T[]) => number)
  /** How many batches run at the same time, so that a slow one holds up only its own calls. */
  atOnce?: number
}

/**
 * Returns a function for one value whose calls run in batches. Simultaneous calls, and calls during a run, become one
 * call of `run`. For statements and questions that cost more to send than to run. If a run fails, each of its calls
 * rejects with the error. A run has the trace of its first call, but not its client: when that leaves, the others still
 * want the results. Not `dataloader`, which starts every batch at once: here few batches run at a time, so they grow when
 * the answers are slow.
 */
export function batchCalls<T, R>(
  run: Run<T, R>,
  { atMost, atOnce = 1 }: BatchOptions<T>,
): (value: T) => Promise<R> {
  const waiting: Call<T, R>[] = []
  let running = 0
  const sizeOfNext = () =>
    typeof atMost === 'number' ? atMost : Math.max(1, atMost(waiting.map(({ value }) => value)))
  const work = async () => {
    for (let first = waiting[0]; first; first = waiting[0])
      await first.within(settle<T, R>, run, waiting.splice(0, sizeOfNext()))
    running -= 1
  }
  return (value) =>
    new Promise((resolve, reject) => {
      waiting.push({ value, resolve, reject, within: AsyncLocalStorage.snapshot() })
      if (running === atOnce) return
      running += 1
      setImmediate(() => void work()) // so that simultaneous calls share a batch
    })
}

/** How many keys keep their waiting calls together. Those of an evicted one are still answered. */
const MAX_KEYS = 1_000

/** The same for each key, such as an organization: a batch has calls of one key, and keys do not wait for each other. */
export function batchCallsByKey<K extends number | string, T, R>(
  run: (key: K, values: readonly T[]) => ReturnType<Run<T, R>>,
  options: BatchOptions<T>,
): (key: K, value: T) => Promise<R> {
  const callOf = new LRUCache<K, (value: T) => Promise<R>>({ max: MAX_KEYS })
  return async (key, value) => {
    const call = callOf.get(key) ?? batchCalls<T, R>((values) => run(key, values), options)
    callOf.set(key, call)
    return call(value)
  }
}

/** Never rejects. */
async function settle<T, R>(run: Run<T, R>, calls: readonly Call<T, R>[]): Promise<void> {
  try {
    const results = await withoutClient(() => run(calls.map(({ value }) => value)))
    if (results.length !== calls.length) throw new Error('a run must return a result for every value')
    for (const [i, { resolve, reject }] of calls.entries()) {
      const result = results[i] as R | Error
      if (result instanceof Error) reject(result)
      else resolve(result)
    }
  } catch (error) {
    for (const { reject } of calls) reject(error)
  }
}
