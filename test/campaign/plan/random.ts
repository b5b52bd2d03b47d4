/** A seeded source of choices: the same seed gives the same ones. */
export type Random = {
  /** From 0 to below 1. */
  next(): number
  /** A whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number
  /** Throws if there is nothing to pick from. */
  pick<T>(from: readonly T[]): T
}

/** The generator mulberry32. `purpose` separates sequences of one seed. */
export function randomOf(seed: number, purpose = ''): Random {
  let state = Array.from(purpose).reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), seed) | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    whole,
    pick(from) {
      const picked = from[whole(0, from.length - 1)]
      if (picked === undefined) throw new Error('nothing to pick from')
      return picked
    },
  }
}
