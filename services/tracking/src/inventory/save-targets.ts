import { MAX_ASSET_KEYS, type CatalogLookup } from '@whereabouts/contracts/messages/catalog-lookup'
import type { AssetIdentity, LocationPlace } from '@whereabouts/contracts/messages/catalog-state'
import { CatalogUnavailable, type AskCatalog } from '../projections/catalog-resolver.ts'

/** The live assets and the location that the keys of a save name now. */
export type SaveTargets = { assets: AssetIdentity[]; location: LocationPlace | undefined }

/** Parallel requests. Catalog has other requests to answer, and ten thousand keys make twenty requests. */
const PARALLEL = 4

/**
 * Asks catalog, not our view, because assets that were created or deleted a moment ago must count at once (D8.9).
 * Throws CatalogUnavailable.
 */
export async function findSaveTargets(
  ask: AskCatalog,
  orgId: number,
  { assetKeys, locationKey }: { assetKeys: readonly string[]; locationKey: string },
): Promise<SaveTargets> {
  const requests: CatalogLookup[] = []
  for (let at = 0; at < assetKeys.length; at += MAX_ASSET_KEYS)
    requests.push({ org_id: orgId, asset_keys: assetKeys.slice(at, at + MAX_ASSET_KEYS) })
  requests.push({ org_id: orgId, location_keys: [locationKey] })
  const parallel = Array.from(
    { length: PARALLEL },
    (_, first) =>
    askInTurn(ask, requests.filter((_request, i) => i % PARALLEL === first)), // oxfmt-ignore
  )
  const found = (await Promise.all(parallel)).flat()
  return {
    assets: found.flatMap(({ assets }) => assets),
    location: found.flatMap(({ locations }) => locations)[0],
  }
}

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
