import type { SortField } from '@whereabouts/contracts/rules/query'
import type {
  CurrentLocationRow,
  CurrentLocationsQuery,
} from '@whereabouts/contracts/resources/tracking/tracking'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import { idsOf } from '../asset-locations/asset-locations.handlers.ts'
import { readAssetLocations } from '../asset-locations/asset-locations.queries.ts'
import { LATEST_FIRST, type AssetLocationsFilter, type ReportSort } from '../asset-locations/filter.ts'
import type { ReportDeps } from '../deps.ts'

const SORTS = {
  last_seen: 'asset_last_seen',
  asset: 'asset_external_key',
  location: 'location_external_key',
} as const satisfies Record<string, ReportSort>

/** Asset locations by external keys; the legacy operation answers the same (D1.4). */
export function currentLocationsHandlers({
  db,
  view,
}: Pick<ReportDeps, 'db' | 'view'>): Pick<
  Handlers<'tracking'>,
  'listCurrentLocations' | 'listLegacyCurrentLocations'
> {
  const list = async ({
    principal: { orgId },
    query,
  }: {
    principal: { orgId: number }
    query: CurrentLocationsQuery
  }) => {
    const filter: AssetLocationsFilter = {
      limit: query.limit,
      offset: query.offset,
      sort: query.sort?.map(toReportSort) ?? LATEST_FIRST,
      includeDeleted: false,
      assetKeys: query.asset,
      locationIds: idsOf(view, orgId, query.location),
      withLocationOnly: true,
      q: query.q === '' ? undefined : query.q,
    }
    const { rows, total } = await readAssetLocations(db.forOrg(orgId), orgId, filter)
    return { data: rows.flatMap(toRow), limit: query.limit, offset: query.offset, total_count: total }
  }
  return { listCurrentLocations: list, listLegacyCurrentLocations: list }
}

const toReportSort = ({ field, descending }: SortField<keyof typeof SORTS>): SortField<ReportSort> => ({
  field: SORTS[field],
  descending,
})

/** No row if the location was deleted between the count and the page. */
const toRow = (row: {
  asset_external_key: string
  location_external_key: string | null
  asset_last_seen: string
}): CurrentLocationRow[] =>
  row.location_external_key === null
    ? []
    : [{ asset: row.asset_external_key, location: row.location_external_key, last_seen: row.asset_last_seen }]
