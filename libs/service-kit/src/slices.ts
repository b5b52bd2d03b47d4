import { setImmediate } from 'node:timers/promises'

/** How long other work waits for one slice. A single item may take longer. */
const SLICE_MS = 10

/**
 * Like `items.map(work)`, but pauses after each slice so that other work can run: for work whose amount a caller
 * decides. Items are handled in order, one after the other.
 */
export async function mapInSlices<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const results: R[] = []
  let began = performance.now()
  for (const item of items) {
    results.push(work(item))
    if (performance.now() - began < SLICE_MS) continue
    await setImmediate()
    began = performance.now()
  }
  return results
}

/** The JSON of a list, made in slices. */
export const jsonInSlices = async (items: readonly unknown[]): Promise<string> =>
  `[${(await mapInSlices(items, (item) => JSON.stringify(item))).join()}]`
