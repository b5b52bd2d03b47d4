import type { SortField } from '@whereabouts/contracts/query'

export type ReportSort = 'asset_last_seen' | 'asset_external_key' | 'location_external_key'

/**
 * The request for one page, after location keys and sub-locations were resolved to ids. Lists match any of their
 * values.
 */
export type AssetLocationsFilter = {
  limit: number
  offset: number
  /** At least one field. */
  sort: readonly SortField<ReportSort>[]
  includeDeleted: boolean
  assetIds?: readonly number[] | undefined
  assetKeys?: readonly string[] | undefined
  /** `none`: only assets without a location. */
  locationIds?: readonly number[] | 'none' | undefined
  /** Only assets that were last seen before this instant. */
  notSeenSince?: string | undefined
  /** Only assets at a location that is not deleted. */
  withLocationOnly?: boolean | undefined
  /** Part of a name, key or tag value, in any case. Not empty. */
  q?: string | undefined
}

export const LATEST_FIRST: readonly SortField<ReportSort>[] = [{ field: 'asset_last_seen', descending: true }]

/** True for a filter that lists assets: a few hundred at most. */
export const namesAssets = ({ assetIds, assetKeys }: AssetLocationsFilter): boolean =>
  assetIds !== undefined || assetKeys !== undefined

/** True for a filter that excludes assets by their location. */
export const isByLocation = ({ locationIds, withLocationOnly }: AssetLocationsFilter): boolean =>
  locationIds !== undefined || withLocationOnly === true
