import { setImmediate } from 'node:timers/promises'

/** How long other work waits for one slice. A single item may take longer. */
const SLICE_MS = 10

let lastTurn: Promise<unknown> = Promise.resolve()

/**
 * Resolves when the event loop has served what waits. One caller at a time, so that other work waits for one slice and not
 * for one of each job.
 */
const nextTurn = (): Promise<unknown> => (lastTurn = lastTurn.then(() => setImmediate()))

/**
 * Calls `work` with each item, but pauses after each slice so that other work can run: for work whose amount a caller
 * decides. Items are handled in order, one after the other.
 */
export async function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let began = performance.now()
  for (const item of items) {
    work(item)
    if (performance.now() - began < SLICE_MS) continue
    await nextTurn()
    began = performance.now()
  }
}

/** Like `items.map(work)`, in slices. */
export async function mapInSlices<T, R>(items: readonly T[], work: (item: T) => R): Promise<R[]> {
  const results: R[] = []
  await inSlices(items, (item) => results.push(work(item)))
  return results
}

/** The JSON of a list, made in slices. */
export const jsonInSlices = async (items: readonly unknown[]): Promise<string> =>
  `[${(await mapInSlices(items, (item) => JSON.stringify(item))).join()}]`
