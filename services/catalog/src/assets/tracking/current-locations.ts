import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import type { Db } from '../../db.ts'
import { tooManyAssetsAtLocations, tooManyMisplaced } from '../../errors.ts'
import { listLiveIds, listLiveKeys } from '../../locations/live-keys.queries.ts'
import { TrackingUnavailable, type Misplaced, type Tracking } from './tracking.ts'

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
  if (locationIds.length === 0) return []
  return allOf(
    (after) => tracking.assetsAt(orgId, locationIds, after),
    () => tooManyAssetsAtLocations(MAX_ASSETS_AT_LOCATIONS),
  )
}

/** The ids of all assets that are not at their home, or of those that are (D21.1). */
export const findMisplaced = (tracking: Tracking, orgId: number, wanted: Misplaced): Promise<number[]> =>
  allOf(
    (after) => tracking.misplaced(orgId, wanted, after),
    () => tooManyMisplaced(MAX_ASSETS_AT_LOCATIONS),
  )

async function allOf(
  next: (after: number) => ReturnType<Tracking['assetsAt']>,
  tooMany: () => Error,
): Promise<number[]> {
  const assetIds: number[] = []
  for (;;) {
    const part = await ifAvailable(next(assetIds.at(-1) ?? 0))
    if (!part) throw serviceUnavailable()
    for (const id of part.assetIds) assetIds.push(id)
    if (assetIds.length > MAX_ASSETS_AT_LOCATIONS) throw tooMany()
    if (part.isLast) return assetIds
  }
}
