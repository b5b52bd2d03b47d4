import type { Minute, Observation } from './observation.ts'

const MAX_ASSETS = 2_000_000

/**
 * The newest stored minute of each asset, so that rescans within a minute end here and cost no statement. A hint and
 * nothing more: forgetting it costs an insert that changes nothing.
 */
export class RecentMinutes {
  readonly #newest = new Map<number, Minute>()

  /** Of each asset and minute the first observation in order of arrival, without those known to be stored. */
  fresh(observations: readonly Observation[]): Observation[] {
    const first = new Map<string, Observation>()
    for (const observation of observations) {
      if (this.#newest.get(observation.assetId) === observation.minute) continue
      const key = `${observation.assetId} ${observation.minute}`
      if (!first.has(key)) first.set(key, observation)
    }
    return [...first.values()]
  }

  /** Call after the commit: a batch that rolled back comes again and must not be skipped. */
  add(stored: readonly Observation[]): void {
    if (this.#newest.size > MAX_ASSETS) this.#newest.clear()
    for (const { assetId, minute } of stored)
      if ((this.#newest.get(assetId) ?? -1) < minute) this.#newest.set(assetId, minute)
  }
}
