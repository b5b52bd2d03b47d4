/** Pseudo-random numbers from 0 up to 1, the same for the same seed (mulberry32). */
export type Random = () => number

export function seededRandom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One element of a list that is not empty. */
export function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)]
  if (value === undefined) throw new Error('nothing to pick from')
  return value
}

/** A shuffled copy. */
export function shuffled<T>(random: Random, values: readonly T[]): T[] {
  return values
    .map((value) => ({ value, at: random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value)
}
