import type { AssetType } from '@whereabouts/contracts/resources/catalog/assets'
import type { Playback } from '@whereabouts/contracts/resources/tracking/movements'
import { inSlices } from '@whereabouts/service-kit/limits/slices'
import type { Moved } from './playback.queries.ts'

type Place = { asset_id: number; location_id: number | null }
type Window = { fromMs: number; toMs: number }

/** The columns of a playback, made in slices. Each id is sent once. */
export async function playbackOf(
  { fromMs, toMs }: Window,
  places: readonly Place[],
  moved: readonly Moved[],
  isCut: boolean,
  typeOf: (assetId: number) => AssetType,
): Promise<Playback> {
  const [assets, locations] = [new Ids(), new Ids()]
  const start: Playback['start'] = { asset: [], location: [] }
  await inSlices(places, ({ asset_id, location_id }) => {
    if (location_id === null) return
    start.asset.push(assets.indexOf(asset_id))
    start.location.push(locations.indexOf(location_id))
  })
  const moves: Playback['moves'] = { seconds: [], asset: [], location: [] }
  let before = Math.floor(fromMs / 1000)
  await inSlices(moved, ({ at, asset_id, location_id }) => {
    const second = Math.floor(at / 1000)
    moves.seconds.push(second - before)
    moves.asset.push(assets.indexOf(asset_id))
    moves.location.push(locations.indexOf(location_id))
    before = second
  })
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString()) as [string, string]
  return {
    from,
    to,
    assets: assets.all,
    types: assets.all.map(typeOf),
    locations: locations.all,
    start,
    moves,
    is_cut: isCut,
  }
}

class Ids {
  readonly all: number[] = []
  readonly #indexes = new Map<number, number>()

  indexOf(id: number): number {
    const known = this.#indexes.get(id)
    if (known !== undefined) return known
    this.#indexes.set(id, this.all.length)
    return this.all.push(id) - 1
  }
}
