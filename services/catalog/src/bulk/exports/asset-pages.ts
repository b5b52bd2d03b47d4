import { setTimeout } from 'node:timers/promises'
import type { AssetExportQuery } from '@whereabouts/contracts/resources/catalog/imports'
import type { AssetWithHome, Db } from '../../db.ts'
import { locationsUnavailable } from '../../errors.ts'
import { listLiveNames } from '../../locations/live-keys.queries.ts'
import type { Tagged } from '../../tags/live-tags.ts'
import { TrackingUnavailable, type LastSeen, type Tracking } from '../../assets/tracking/tracking.ts'
import { findAssetsInOrder, listAssetIds } from './exports.queries.ts'

/** Rows of a page. The largest row has about 100 KiB. Tracking locates as many assets per request. */
export const PAGE = 200

export type LocatedAsset = Tagged<AssetWithHome> & {
  location_external_key: string | null
  location_name: string | null
  asset_last_seen: string | null
}

/** The assets that match, with their locations, in pages. Throws `locationsUnavailable`. */
export async function* assetPages(
  db: Db,
  tracking: Tracking,
  orgId: number,
  query: AssetExportQuery,
): AsyncGenerator<LocatedAsset[]> {
  const ids = await listAssetIds(db, orgId, query)
  const includeDeleted = query.include_deleted ?? false
  for (let at = 0; at < ids.length; at += PAGE) {
    const assets = await findAssetsInOrder(db, orgId, { ids: ids.slice(at, PAGE), includeDeleted })
    yield await locate(db, { tracking, retryAfterMs: at === 0 ? [] : RETRY_AFTER_MS }, orgId, assets)
  }
}

type Locations = { tracking: Tracking; retryAfterMs: readonly number[] }

/** A replica of tracking may restart while a long file is made. At the start, the client can retry itself. */
const RETRY_AFTER_MS = [200, 1_000, 3_000]

async function locate(
  db: Db,
  from: Locations,
  orgId: number,
  assets: readonly Tagged<AssetWithHome>[],
): Promise<LocatedAsset[]> {
  const seen = await lastSeenOf(
    from,
    orgId,
    assets.map(({ id }) => id),
  )
  // Catalog looks up the names, because tracking learns about a rename or a deletion later.
  const locationIds = [...seen.values()].flatMap(({ locationId }) => locationId ?? [])
  const names = await listLiveNames(db, orgId, [...new Set(locationIds)])
  return assets.map((asset) => {
    const last = seen.get(asset.id)
    const location = names.get(last?.locationId ?? 0)
    return {
      ...asset,
      location_external_key: location?.external_key ?? null,
      location_name: location?.name ?? null,
      asset_last_seen: last ? new Date(last.at).toISOString() : null,
    }
  })
}

async function lastSeenOf(
  { tracking, retryAfterMs }: Locations,
  orgId: number,
  assetIds: readonly number[],
): Promise<Map<number, LastSeen>> {
  for (const waitMs of retryAfterMs)
    try {
      return await tracking.lastSeenOf(orgId, assetIds)
    } catch (error) {
      if (!(error instanceof TrackingUnavailable)) throw error
      await setTimeout(waitMs)
    }
  return tracking.lastSeenOf(orgId, assetIds).catch((error: unknown) => {
    throw error instanceof TrackingUnavailable ? locationsUnavailable(error) : error
  })
}
