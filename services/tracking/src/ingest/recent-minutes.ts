import type { Minute, Observation } from './observation.ts'

const MAX_ASSETS = 2_000_000

/**
 * The newest stored minute of each asset, so that rescans within a minute cost no statement. It is only a hint: a
 * missing entry costs an insert that changes nothing.
 */
export class RecentMinutes {
  /**
   * By asset, a `codeOf`: numbers, because there may be millions. Not an LRUCache, which would take as many lines.
   * Measured in alternating rounds with 100 000 assets: a read took 0.34 µs instead of 0.13 µs, and the memory was 51
   * MB instead of 14 MB.
   */
  readonly #newest = new Map<number, number>()

  /** Whether a row of this minute is known to be stored, which a read at this location does not change. */
  isStored(assetId: number, minute: Minute, locationId: number | null): boolean {
    const newest = this.#newest.get(assetId)
    return newest === codeOf(minute, true) || (locationId === null && newest === codeOf(minute, false))
  }

  /** Call after the commit: a batch that rolled back is redelivered and must not be skipped. */
  add(stored: readonly Observation[]): void {
    if (this.#newest.size > MAX_ASSETS) this.#newest.clear()
    for (const observation of stored) {
      const code = codeOf(observation.minute, observation.locationId !== null)
      if ((this.#newest.get(observation.assetId) ?? -1) < code) this.#newest.set(observation.assetId, code)
    }
  }
}

/** Higher for a later minute, and within a minute for a row with a location. */
const codeOf = (minute: Minute, hasLocation: boolean) => 2 * minute + Number(hasLocation)

/**
 * The first observation with a location of each asset and minute, in order of arrival, or the first one if none has a
 * location.
 */
export function firstOfMinutes(observations: readonly Observation[]): Observation[] {
  const first = new Map<string, Observation>()
  for (const observation of observations) {
    const key = `${observation.assetId} ${observation.minute}`
    const before = first.get(key)
    if (!before || (before.locationId === null && observation.locationId !== null))
      first.set(key, observation)
  }
  return [...first.values()]
}
