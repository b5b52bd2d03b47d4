import type { Minute, Observation } from './observation.ts'

const MAX_ASSETS = 2_000_000

/**
 * The newest stored minute of each asset, so that rescans within a minute end here and cost no statement. A hint and
 * nothing more: forgetting it costs an insert that changes nothing.
 */
export class RecentMinutes {
  /** By asset, as `codeOf` says: numbers, since there may be millions. */
  readonly #newest = new Map<number, number>()

  /**
   * Of each asset and minute the first observation with a location in order of arrival, or the first of all when none
   * has one; without those known to be stored.
   */
  fresh(observations: readonly Observation[]): Observation[] {
    const first = new Map<string, Observation>()
    for (const observation of observations) {
      if (this.#isStored(observation)) continue
      const key = `${observation.assetId} ${observation.minute}`
      const before = first.get(key)
      if (!before || (before.locationId === null && observation.locationId !== null))
        first.set(key, observation)
    }
    return [...first.values()]
  }

  /** Call after the commit: a batch that rolled back comes again and must not be skipped. */
  add(stored: readonly Observation[]): void {
    if (this.#newest.size > MAX_ASSETS) this.#newest.clear()
    for (const observation of stored) {
      const code = codeOf(observation.minute, observation.locationId !== null)
      if ((this.#newest.get(observation.assetId) ?? -1) < code) this.#newest.set(observation.assetId, code)
    }
  }

  #isStored({ assetId, minute, locationId }: Observation): boolean {
    const newest = this.#newest.get(assetId)
    return newest === codeOf(minute, true) || (locationId === null && newest === codeOf(minute, false))
  }
}

/** Rises with the minute, and within it once the row has a location. */
const codeOf = (minute: Minute, isPlaced: boolean) => 2 * minute + Number(isPlaced)
