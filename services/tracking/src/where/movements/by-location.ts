import type { LocationUse } from '@whereabouts/contracts/resources/tracking/movements'
import { inSlices } from '@whereabouts/service-kit/limits/slices'
import type { Moved } from './playback.queries.ts'

export type Present = { asset_id: number; location_id: number }
/** When an asset was deleted or no longer valid, in milliseconds. */
export type Ended = { asset_id: number; at: number }

type Found = {
  present: readonly Present[]
  /** Oldest first, as are `ended`. */
  moved: readonly Moved[]
  ended: readonly Ended[]
}

/**
 * What each location had from `fromMs` to `toMs`, counted in slices. Of one instant, departures count before arrivals.
 */
export async function usesOf(
  { fromMs, toMs }: { fromMs: number; toMs: number },
  found: Found,
): Promise<LocationUse[]> {
  const counts = new Counts(fromMs)
  const { present, moved, ended } = found
  const endOf = new Map(ended.map(({ asset_id, at }) => [asset_id, at]))
  const isEnded = (asset: number, at: number) => (endOf.get(asset) ?? Number.POSITIVE_INFINITY) <= at
  let next = 0
  const endUntil = (ms: number) => {
    for (let end = ended[next]; end && end.at <= ms; end = ended[(next += 1)])
      counts.leave(end.asset_id, Math.max(fromMs, end.at))
  }
  await inSlices(present, ({ asset_id, location_id }) => counts.enter(asset_id, location_id, fromMs))
  await inSlices(byInstant(moved), (together) => {
    const at = together[0]?.at ?? fromMs
    endUntil(at)
    for (const { asset_id } of together) counts.leave(asset_id, at)
    for (const { asset_id, location_id } of together) {
      counts.arrive(location_id)
      if (!isEnded(asset_id, at)) counts.enter(asset_id, location_id, at)
    }
  })
  endUntil(toMs)
  return counts.until(toMs)
}

/** The movements of each instant. */
function* byInstant(moved: readonly Moved[]): Generator<readonly Moved[]> {
  for (let first = 0, i = 0; first < moved.length; first = i) {
    while (moved[i]?.at === moved[first]?.at) i += 1
    yield moved.slice(first, i)
  }
}

type Count = { arrivals: number; dwellMs: number; here: number; most: number }

class Counts {
  readonly #fromMs: number
  readonly #of = new Map<number, Count>()
  readonly #places = new Map<number, number>()

  constructor(fromMs: number) {
    this.#fromMs = fromMs
  }

  arrive(location: number): void {
    this.#at(location).arrivals += 1
  }

  /** Dwell is the sum of all departures less all arrivals, each counted from the start. */
  enter(asset: number, location: number, ms: number): void {
    this.#places.set(asset, location)
    const count = this.#at(location)
    count.here += 1
    count.most = Math.max(count.most, count.here)
    count.dwellMs -= ms - this.#fromMs
  }

  leave(asset: number, ms: number): void {
    const location = this.#places.get(asset)
    if (location === undefined) return
    this.#places.delete(asset)
    const count = this.#at(location)
    count.here -= 1
    count.dwellMs += ms - this.#fromMs
  }

  until(ms: number): LocationUse[] {
    return [...this.#of].map(([location_id, { arrivals, dwellMs, here, most }]) => ({
      location_id,
      arrivals,
      dwell_seconds: Math.floor((dwellMs + here * (ms - this.#fromMs)) / 1000),
      most_assets: most,
    }))
  }

  #at(location: number): Count {
    const known = this.#of.get(location)
    if (known) return known
    const count = { arrivals: 0, dwellMs: 0, here: 0, most: 0 }
    this.#of.set(location, count)
    return count
  }
}
