/** Parallel reads of the stream. Other clients wait for their turn. */
const MAX_READING = 8

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

export function readingTurns(): InTurn {
  const waiting: (() => void)[] = []
  let reading = 0
  return async (work) => {
    if (reading >= MAX_READING) await new Promise<void>((resolve) => waiting.push(resolve))
    else reading += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else reading -= 1
    }
  }
}
