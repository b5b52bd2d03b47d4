import type { components } from '@whereabouts/client/client'
import type { Places } from '../places.ts'

type Playback = components['schemas']['Playback']

/** The state is kept after each so many movements, so that a jump applies few of them. */
const SNAPSHOT_EVERY = 1_000

/** What moved in a time, for any instant of it. */
export class Timeline {
  readonly fromMs: number
  readonly toMs: number
  readonly #playback: Playback
  /** Of each movement, in milliseconds, ascending. */
  readonly #instants: readonly number[]
  readonly #snapshots: Places[] = []

  constructor(playback: Playback) {
    this.#playback = playback
    this.fromMs = Date.parse(playback.from)
    this.toMs = Date.parse(playback.to)
    let second = Math.floor(this.fromMs / 1000)
    this.#instants = playback.moves.seconds.map((seconds) => (second += seconds) * 1000)
    this.#snapshots.push(this.#start())
    for (let from = 0; from + SNAPSHOT_EVERY <= this.#instants.length; from += SNAPSHOT_EVERY)
      this.#snapshots.push(this.#applied(this.#snapshots.at(-1) ?? new Map(), from, from + SNAPSHOT_EVERY))
  }

  /** The type of each asset that the time has, also of those that are deleted by now. */
  types(): ReadonlyMap<number, string> {
    const { assets, types } = this.#playback
    return new Map(assets.map((id, i) => [id, types[i] ?? '']))
  }

  get moves(): number {
    return this.#instants.length
  }

  /** Where everything was, with all movements until then. */
  placesAt(ms: number): Places {
    const end = this.#countUntil(ms)
    const snapshot = Math.floor(end / SNAPSHOT_EVERY)
    return this.#applied(this.#snapshots[snapshot] ?? new Map(), snapshot * SNAPSHOT_EVERY, end)
  }

  /** The instant of the first movement after this one; undefined after the last. */
  nextAfter(ms: number): number | undefined {
    return this.#instants[this.#countUntil(ms)]
  }

  /** How many movements each of `count` equal parts of the time has. */
  histogram(count: number): number[] {
    const parts = Array.from({ length: count }, () => 0)
    const width = (this.toMs - this.fromMs) / count
    for (const at of this.#instants) {
      const part = Math.min(count - 1, Math.max(0, Math.floor((at - this.fromMs) / width)))
      parts[part] = (parts[part] ?? 0) + 1
    }
    return parts
  }

  #start(): Places {
    const { assets, locations, start } = this.#playback
    return new Map(
      start.asset.map((asset, i) => [assets[asset] ?? 0, locations[start.location[i] ?? 0] ?? 0]),
    )
  }

  #applied(places: Places, from: number, end: number): Places {
    const { assets, locations, moves } = this.#playback
    const next = new Map(places)
    for (let i = from; i < end; i += 1)
      next.set(assets[moves.asset[i] ?? 0] ?? 0, locations[moves.location[i] ?? 0] ?? 0)
    return next
  }

  /** By halves. */
  #countUntil(ms: number): number {
    let [low, high] = [0, this.#instants.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#instants[middle] ?? 0) <= ms) low = middle + 1
      else high = middle
    }
    return low
  }
}
