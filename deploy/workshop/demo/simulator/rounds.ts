/** The order in which items are seen: all in turn, urgent ones first. */
export type Rounds<T> = {
  next(count: number): T[]
  /** Puts items first, once. */
  hurry(items: Iterable<T>): void
}

export function createRounds<T>(items: readonly T[]): Rounds<T> {
  const urgent = new Set<T>()
  let turn = 0
  const nextInTurn = () => items.slice(turn++ % items.length).slice(0, 1)
  const takeUrgent = (count: number) => {
    const taken = [...urgent].slice(0, count)
    for (const item of taken) urgent.delete(item)
    return taken
  }
  return {
    next(count) {
      const first = takeUrgent(count)
      return [...first, ...Array.from({ length: count - first.length }, nextInTurn).flat()]
    },
    hurry(more) {
      for (const item of more) urgent.add(item)
    },
  }
}
