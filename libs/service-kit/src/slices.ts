import { setImmediate } from 'node:timers/promises'

/** What others may have to wait behind one slice; one item may take longer by itself. */
const SLICE_MS = 10

/**
 * As `items.map(work)`, with turns for everybody else in between once some time has passed: for work whose amount a
 * caller decides. Items are worked on in order, one after the other.
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

/** The JSON of a list, made item by item. */
export const jsonInSlices = async (items: readonly unknown[]): Promise<string> =>
  `[${(await mapInSlices(items, (item) => JSON.stringify(item))).join()}]`
