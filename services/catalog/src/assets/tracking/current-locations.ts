import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import type { Db } from '../../db.ts'
import { tooManyAssetsAtLocations } from '../../errors.ts'
import { listLiveIds, listLiveKeys } from '../../locations/live-keys.queries.ts'
import { TrackingUnavailable, type Tracking } from './tracking.ts'

/** Key of the location where an asset was last seen; null if at none. Undefined if tracking is away. */
export type LocationOf = (assetId: number) => string | null | undefined

export const unknownLocations: LocationOf = () => undefined

/** Asks once for a whole page. */
export async function findCurrentLocations(
  db: Db,
  tracking: Tracking,
  orgId: number,
  assetIds: readonly number[],
): Promise<LocationOf> {
  if (assetIds.length === 0) return unknownLocations
  const found = await ifAvailable(tracking.locationsOf(orgId, assetIds))
  if (!found) return unknownLocations
  // Catalog looks up the keys, because tracking learns about a rename or a deletion later.
  const keys = await listLiveKeys(db, orgId, [...new Set(found.values())])
  return (assetId) => keys.get(found.get(assetId) ?? 0) ?? null
}

/** The result, or undefined if tracking is away. */
export async function ifAvailable<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof TrackingUnavailable) return undefined
    throw error
  }
}

/** About four megabytes for each page of the list, through three processes (ADR 21). */
export const MAX_ASSETS_AT_LOCATIONS = 250_000

/** The ids of all assets that were last seen at one of these locations. */
export async function findAssetsAt(
  db: Db,
  tracking: Tracking,
  orgId: number,
  locationKeys: readonly string[],
): Promise<number[]> {
  const locationIds = await listLiveIds(db, orgId, locationKeys)
  const assetIds: number[] = []
  while (locationIds.length > 0) {
    const part = await ifAvailable(tracking.assetsAt(orgId, locationIds, assetIds.at(-1) ?? 0))
    if (!part) throw serviceUnavailable()
    for (const id of part.assetIds) assetIds.push(id)
    if (assetIds.length > MAX_ASSETS_AT_LOCATIONS) throw tooManyAssetsAtLocations(MAX_ASSETS_AT_LOCATIONS)
    if (part.isLast) break
  }
  return assetIds
}
