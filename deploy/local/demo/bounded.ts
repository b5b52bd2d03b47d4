/** Runs `work` on every item, at most `limit` at a time, in order of start. Rejects at the first failure. */
export async function forEachBounded<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const rest = items.values()
  let failed = false
  const takeNext = async (): Promise<void> => {
    const { done, value } = rest.next()
    if (done || failed) return
    try {
      await work(value)
    } catch (error) {
      failed = true // the others finish their current item
      throw error
    }
    await takeNext()
  }
  await Promise.all(Array.from({ length: limit }, takeNext))
}
