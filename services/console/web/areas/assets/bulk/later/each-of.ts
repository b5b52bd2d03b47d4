import { reasonOf } from './outcome.ts'

/** As many requests at once as a browser sends to one host. */
const AT_ONCE = 5

export type Outcome<Item, T> = {
  done: { item: Item; result: T }[]
  failed: { item: Item; reason: string }[]
}

/** Does `work` for each item, a few at once. One that fails stops no other. `onDone` counts both. */
export async function eachOf<Item, T>(
  items: readonly Item[],
  work: (item: Item) => Promise<T>,
  onDone: (count: number) => void = () => {},
): Promise<Outcome<Item, T>> {
  const outcome: Outcome<Item, T> = { done: [], failed: [] }
  const rest = items.values()
  const worker = async () => {
    for (const item of rest) {
      try {
        outcome.done.push({ item, result: await work(item) })
      } catch (error) {
        outcome.failed.push({ item, reason: reasonOf(error) })
      }
      onDone(outcome.done.length + outcome.failed.length)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return outcome
}
