import type { SortField } from '@whereabouts/contracts/query'

export type ReportSort = 'asset_last_seen' | 'asset_external_key' | 'location_external_key'

/** What a report is asked for, with everything that named a location resolved to ids. */
export type ReportAsk = {
  limit: number
  offset: number
  /** At least one field. */
  sort: readonly SortField<ReportSort>[]
  includeDeleted: boolean
  assetIds?: readonly number[] | undefined
  assetKeys?: readonly string[] | undefined
  /** What is at any of these. */
  locationIds?: readonly number[] | undefined
  /** Only what is at a location that still exists. */
  placedOnly?: boolean | undefined
  /** Part of a name, key or tag value, in any case. Not empty. */
  q?: string | undefined
}

export const LATEST_FIRST: readonly SortField<ReportSort>[] = [{ field: 'asset_last_seen', descending: true }]

/** True when the ask names assets: a few hundred at most. */
export const namesAssets = ({ assetIds, assetKeys }: ReportAsk): boolean =>
  assetIds !== undefined || assetKeys !== undefined

export const isFiltered = (ask: ReportAsk): boolean =>
  namesAssets(ask) || ask.locationIds !== undefined || ask.q !== undefined
