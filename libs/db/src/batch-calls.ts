type Call<T, R> = { value: T; resolve: (result: R) => void; reject: (error: unknown) => void }

export type BatchOptions = {
  /** Largest number of values in one run. */
  atMost: number
}

/**
 * Returns a function for one value whose calls run in batches. Simultaneous calls, and calls during a run, become one
 * call of `run`, which returns the results in the same order. For statements that cost more to send than to run. If a
 * run fails, each of its calls rejects with the error. Not `dataloader`, which starts every batch at once: here one
 * batch runs at a time, so batches grow when the database is slow.
 */
export function batchCalls<T, R>(
  run: (values: readonly T[]) => Promise<readonly R[]>,
  { atMost }: BatchOptions,
): (value: T) => Promise<R> {
  const waiting: Call<T, R>[] = []
  let isBusy = false
  const work = async () => {
    while (waiting.length > 0) await settle(run, waiting.splice(0, atMost))
    isBusy = false
  }
  return (value) =>
    new Promise((resolve, reject) => {
      waiting.push({ value, resolve, reject })
      if (isBusy) return
      isBusy = true
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
