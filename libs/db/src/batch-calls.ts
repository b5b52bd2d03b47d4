type Call<T, R> = { value: T; resolve: (result: R) => void; reject: (error: unknown) => void }

export type BatchOptions = {
  /** Values in one run. */
  atMost: number
}

/**
 * A function for one value that runs as a batch: calls of the same moment, and calls during a run, become one call of
 * `run`, which returns results in their order. For statements that cost more to send than to run. If a run fails, every
 * call in it rejects with its error.
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
      setImmediate(() => void work()) // so that calls of the same moment share a batch
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
