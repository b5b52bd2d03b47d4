import type { Asset } from '../../assets/asset-fields.ts'

type Located = { asset_id: number; location?: { external_key: string } | null }

/** Where assets were before a move: locations by key with their assets, and how many were nowhere. */
export function backOf(assets: readonly Asset[], before: readonly Located[]) {
  const keys = new Map(before.map(({ asset_id: id, location }) => [id, location?.external_key]))
  const moves = new Map<string, Asset[]>()
  let without = 0
  for (const asset of assets) {
    const key = keys.get(asset.id)
    if (key === undefined) without += 1
    else moves.set(key, [...(moves.get(key) ?? []), asset])
  }
  return { moves, without }
}
