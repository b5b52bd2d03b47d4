import type { AssetType } from '@whereabouts/contracts/assets'
import type { Playback } from '@whereabouts/contracts/movements'
import type { Moved } from './playback.queries.ts'

type Place = { asset_id: number; location_id: number | null }
type Window = { fromMs: number; toMs: number }

/** The columns of a playback. Each id is sent once. */
export function playbackOf(
  { fromMs, toMs }: Window,
  places: readonly Place[],
  moved: readonly Moved[],
  isCut: boolean,
  typeOf: (assetId: number) => AssetType,
): Playback {
  const [assets, locations] = [new Ids(), new Ids()]
  const start: Playback['start'] = { asset: [], location: [] }
  for (const { asset_id, location_id } of places) {
    if (location_id === null) continue
    start.asset.push(assets.indexOf(asset_id))
    start.location.push(locations.indexOf(location_id))
  }
  const moves: Playback['moves'] = { seconds: [], asset: [], location: [] }
  let before = Math.floor(fromMs / 1000)
  for (const { at, asset_id, location_id } of moved) {
    const second = Math.floor(at / 1000)
    moves.seconds.push(second - before)
    moves.asset.push(assets.indexOf(asset_id))
    moves.location.push(locations.indexOf(location_id))
    before = second
  }
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
