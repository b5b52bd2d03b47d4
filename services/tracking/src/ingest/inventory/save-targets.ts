import { MAX_ASSET_KEYS, type CatalogLookup } from '@whereabouts/contracts/messages/catalog-lookup'
import type { AssetIdentity, LocationPlace } from '@whereabouts/contracts/messages/catalog-state'
import { CatalogUnavailable, type AskCatalog } from '../../catalog/catalog-resolver.ts'

/** The keys in a save; each asset once. */
export type SavedKeys = { assetKeys: readonly string[]; locationKey: string }

/** The live assets and locations that keys name now, by key. */
export type SaveTargets = {
  assets: ReadonlyMap<string, AssetIdentity>
  locations: ReadonlyMap<string, LocationPlace>
}

/** Parallel requests. Catalog has other requests to answer, and ten thousand keys make twenty requests. */
const PARALLEL = 4

/** A location in a reply has its description, so it takes up to four times as much room as an asset. */
const ROOM_OF_LOCATION = 4

/** How much of the `MAX_ASSET_KEYS` of one request the keys of a save take. */
export const roomOf = ({ assetKeys }: SavedKeys): number => assetKeys.length + ROOM_OF_LOCATION

/**
 * Asks catalog, not our view, because assets that were created or deleted a moment ago must count at once (D8.9).
 * Saves that fit into one request (`roomOf`) make one. Throws CatalogUnavailable.
 */
export async function findSaveTargets(
  ask: AskCatalog,
  orgId: number,
  saves: readonly SavedKeys[],
): Promise<SaveTargets> {
  const assetKeys = saves.flatMap((save) => save.assetKeys)
  const location_keys = [...new Set(saves.map(({ locationKey }) => locationKey))]
  const requests: CatalogLookup[] = []
  for (let at = 0; at < assetKeys.length; at += MAX_ASSET_KEYS)
    requests.push({ org_id: orgId, asset_keys: assetKeys.slice(at, at + MAX_ASSET_KEYS) })
  const room = saves.reduce((sum, save) => sum + roomOf(save), 0)
  if (requests[0] && room <= MAX_ASSET_KEYS) requests[0].location_keys = location_keys
  else requests.push({ org_id: orgId, location_keys })
  const parallel = Array.from(
    { length: PARALLEL },
    (_, first) =>
    askInTurn(ask, requests.filter((_request, i) => i % PARALLEL === first)), // oxfmt-ignore
  )
  const found = (await Promise.all(parallel)).flat()
  return {
    assets: byKey(found.flatMap(({ assets }) => assets)),
    locations: byKey(found.flatMap(({ locations }) => locations)),
  }
}

const byKey = <T extends { external_key: string }>(states: readonly T[]) =>
  new Map(states.map((state) => [state.external_key, state]))

type Found = { assets: AssetIdentity[]; locations: LocationPlace[] }

async function askInTurn(ask: AskCatalog, requests: readonly CatalogLookup[]): Promise<Found[]> {
  const found: Found[] = []
  for (const request of requests) {
    const { assets_by_key, locations } = await ask(request)
    if (request.asset_keys && !assets_by_key)
      throw new CatalogUnavailable('this release of catalog cannot be asked for keys of assets')
    found.push({ assets: assets_by_key ?? [], locations })
  }
  return found
}
