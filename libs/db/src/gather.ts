type Call<T, R> = { value: T; resolve: (result: R) => void; reject: (error: unknown) => void }

export type GatherOptions = {
  /** Values in one run. */
  atMost: number
}

/**
 * A function for one value that works on many at a time: calls that come together, or while a run is under way, become
 * one call of `run`, which answers in their order. For statements whose cost lies in being sent. When a run fails, every
 * call in it rejects with its error.
 */
export function gather<T, R>(
  run: (values: readonly T[]) => Promise<readonly R[]>,
  { atMost }: GatherOptions,
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
      setImmediate(() => void work()) // so that those of the same moment come along
    })
}

/** Never rejects. */
async function settle<T, R>(
  run: (values: readonly T[]) => Promise<readonly R[]>,
  calls: readonly Call<T, R>[],
): Promise<void> {
  try {
    const results = await run(calls.map(({ value }) => value))
    if (results.length !== calls.length) throw new Error('a run must answer every value')
    for (const [i, { resolve }] of calls.entries()) resolve(results[i] as R)
  } catch (error) {
    for (const { reject } of calls) reject(error)
  }
}
