import { serviceUnavailable } from '@whereabouts/service-kit/errors'
import type { Db } from '../db.ts'
import { tooManyAssetsThere } from '../errors.ts'
import { listLiveIds, listLiveKeys } from '../locations/live-keys.queries.ts'
import { TrackingUnavailable, type Tracking } from './tracking.ts'

/** Key of the location where an asset was last seen; null: at none. Undefined: nobody can be asked. */
export type LocationOf = (assetId: number) => string | null | undefined

export const unknownLocations: LocationOf = () => undefined

/** Of a whole page in one question. */
export async function findCurrentLocations(
  db: Db,
  tracking: Tracking,
  orgId: number,
  assetIds: readonly number[],
): Promise<LocationOf> {
  if (assetIds.length === 0) return unknownLocations
  const found = await unlessAway(tracking.locationsOf(orgId, assetIds))
  if (!found) return unknownLocations
  // Keys are ours to tell: tracking learns of a rename or a deletion a moment later.
  const keys = await listLiveKeys(db, orgId, [...new Set(found.values())])
  return (assetId) => keys.get(found.get(assetId) ?? 0) ?? null
}

/** The result, or undefined when tracking could not be asked. */
export async function unlessAway<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof TrackingUnavailable) return undefined
    throw error
  }
}

/** Some four megabytes on their way through three processes, for each page of the list (ADR 21). */
export const MAX_ASSETS_THERE = 250_000

/** All assets that were last seen at one of these locations, to be listed among. */
export async function findAssetsAt(
  db: Db,
  tracking: Tracking,
  orgId: number,
  locationKeys: readonly string[],
): Promise<number[]> {
  const locationIds = await listLiveIds(db, orgId, locationKeys)
  const assetIds: number[] = []
  while (locationIds.length > 0) {
    const part = await unlessAway(tracking.assetsAt(orgId, locationIds, assetIds.at(-1) ?? 0))
    if (!part) throw serviceUnavailable()
    for (const id of part.assetIds) assetIds.push(id)
    if (assetIds.length > MAX_ASSETS_THERE) throw tooManyAssetsThere(MAX_ASSETS_THERE)
    if (part.isLast) break
  }
  return assetIds
}
