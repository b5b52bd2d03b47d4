type Stay = { since: string }

const MOST = 5
const DAY_MS = 86_400_000

/**
 * The assets that stayed at their location for the longest, longest first: at most five. Only where it stands out: a
 * day, and twice as long as half of all assets.
 */
export function longestHere(stays: ReadonlyMap<number, Stay>, now: number): { id: number; since: string }[] {
  const found = [...stays]
    .map(([id, { since }]) => ({ id, since, ms: now - Date.parse(since) }))
    .toSorted((a, b) => b.ms - a.ms || a.id - b.id)
  const median = found[Math.floor(found.length / 2)]?.ms ?? 0
  return found
    .slice(0, MOST)
    .filter(({ ms }) => ms >= DAY_MS && ms >= 2 * median)
    .map(({ id, since }) => ({ id, since }))
}
