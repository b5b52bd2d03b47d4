/** In which order assets come in front of an antenna: all in turn, those in a hurry before the others. */
export type Rounds<T> = {
  next(count: number): T[]
  /** To be seen as soon as possible, once. */
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
