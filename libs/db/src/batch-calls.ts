import { AsyncLocalStorage } from 'node:async_hooks'

type Call<T, R> = {
  value: T
  resolve: (result: R) => void
  reject: (error: unknown) => void
  /** Calls a function with the trace of this call. */
  within: ReturnType<typeof AsyncLocalStorage.snapshot>
}

export type BatchOptions = {
  /** Largest number of values in one run. */
  atMost: number
  /** How many batches run at the same time, so that a slow one holds up only its own calls. */
  atOnce?: number
}

/**
 * Returns a function for one value whose calls run in batches. Simultaneous calls, and calls during a run, become one
 * call of `run`, which returns the results in the same order. For statements and questions that cost more to send than to run. If a
 * run fails, each of its calls rejects with the error. A run has the trace of its first call. Not `dataloader`, which
 * starts every batch at once: here few batches run at a time, so they grow when the answers are slow.
 */
export function batchCalls<T, R>(
  run: (values: readonly T[]) => Promise<readonly R[]>,
  { atMost, atOnce = 1 }: BatchOptions,
): (value: T) => Promise<R> {
  const waiting: Call<T, R>[] = []
  let running = 0
  const work = async () => {
    for (let first = waiting[0]; first; first = waiting[0])
      await first.within(settle<T, R>, run, waiting.splice(0, atMost))
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

/** Never rejects. */
async function settle<T, R>(
  run: (values: readonly T[]) => Promise<readonly R[]>,
  calls: readonly Call<T, R>[],
): Promise<void> {
  try {
    const results = await run(calls.map(({ value }) => value))
    if (results.length !== calls.length) throw new Error('a run must return a result for every value')
    for (const [i, { resolve }] of calls.entries()) resolve(results[i] as R)
  } catch (error) {
    for (const { reject } of calls) reject(error)
  }
}
