import { randomOf } from '../positions/rooms.ts'

/**
 * `typical`: four movements a day, and the first read of a minute within three seconds, because readers report each second.
 * `uniform`: the same at any time of the minute. `walking`: an asset passes forty antennas a day.
 */
export const SHAPES = ['typical', 'uniform', 'walking'] as const
export type Shape = (typeof SHAPES)[number]

/** Columns of `scan`. */
export type SimulatedRow = {
  assetId: number
  minute: number
  observedAtMs: number
  locationId: number
  readerKey: string
  antenna: number
  tagId: number
  scanPointId: number
}

const WORKING_MINUTES = 600
const READERS = 10
const ANTENNAS = 4
/** Two antennas that are side by side belong to one location. */
const LOCATIONS = (READERS * ANTENNAS) / 2
/** Of minutes in view. */
const MISSED = 0.1
/** A second antenna is the first to see the asset. */
const BY_NEIGHBOR = 0.15
const LEAVES = 1 / 60
const RETURNS = 1 / 30
const HAVE_TWO_TAGS = 0.2

/** Assets, locations and rows that look like those of readers at doors: in view for 361 minutes of a working day. */
export class Simulation {
  readonly assetIds: readonly number[]
  readonly locationIds: readonly number[]
  readonly #random = randomOf(7)
  readonly #shape: Shape
  readonly #scanPointIds: readonly number[]
  readonly #assets: { id: number; tags: number[]; isInView: boolean; antenna: number }[]

  constructor(assets: number, shape: Shape) {
    this.#shape = shape
    this.locationIds = this.#ids(LOCATIONS)
    this.#scanPointIds = this.#ids(READERS * ANTENNAS)
    this.#assets = this.#ids(assets).map((id) => ({
      id,
      tags: this.#ids(this.#random() < HAVE_TWO_TAGS ? 2 : 1),
      isInView: true,
      antenna: this.#below(READERS * ANTENNAS),
    }))
    this.assetIds = this.#assets.map(({ id }) => id)
  }

  /** The rows of ten hours, in the order in which they were read. */
  *day(startMs: number): Generator<SimulatedRow> {
    const moves = (this.#shape === 'walking' ? READERS * ANTENNAS : 4) / WORKING_MINUTES
    const span = this.#shape === 'uniform' ? 60_000 : 3_000
    for (let n = 0; n < WORKING_MINUTES; n += 1) {
      const minute = startMs / 60_000 + 420 + n
      for (const asset of this.#assets) {
        if (this.#random() < (asset.isInView ? LEAVES : RETURNS)) asset.isInView = !asset.isInView
        if (this.#random() < moves) asset.antenna = this.#below(READERS * ANTENNAS)
        if (!asset.isInView || this.#random() < MISSED) continue
        // The other one of its location.
        const antenna = this.#random() < BY_NEIGHBOR ? asset.antenna ^ 1 : asset.antenna
        yield {
          assetId: asset.id,
          minute,
          observedAtMs: minute * 60_000 + this.#below(span),
          locationId: this.locationIds[antenna >> 1] ?? 0,
          readerKey: `dock-${String(Math.floor(antenna / ANTENNAS)).padStart(2, '0')}-cs463`,
          antenna: (antenna % ANTENNAS) + 1,
          tagId: asset.tags[this.#below(asset.tags.length)] ?? 0,
          scanPointId: this.#scanPointIds[antenna] ?? 0,
        }
      }
    }
  }

  #below(n: number): number {
    return Math.floor(this.#random() * n)
  }

  /** As large as those of the product. */
  #ids(n: number): number[] {
    return Array.from({ length: n }, () => this.#below(2 ** 52))
  }
}
