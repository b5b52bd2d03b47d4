import type { SortField } from '@whereabouts/contracts/query'
import type { CurrentLocationRow, CurrentLocationsQuery } from '@whereabouts/contracts/tracking'
import type { Handlers } from '@whereabouts/service-kit/serve'
import { idsOf, type ReportDeps } from './asset-locations.handlers.ts'
import { LATEST_FIRST, type ReportAsk, type ReportSort } from './report.ask.ts'
import { readReport } from './report.queries.ts'

const SORTS = {
  last_seen: 'asset_last_seen',
  asset: 'asset_external_key',
  location: 'location_external_key',
} as const satisfies Record<string, ReportSort>

/** The report in natural keys, in both vocabularies alike (D1.4). */
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
    const ask: ReportAsk = {
      limit: query.limit,
      offset: query.offset,
      sort: query.sort?.map(toReportSort) ?? LATEST_FIRST,
      includeDeleted: false,
      assetKeys: query.asset,
      locationIds: idsOf(view, orgId, query.location),
      placedOnly: true,
      q: query.q === '' ? undefined : query.q,
    }
    const { rows, total } = await readReport(db.forOrg(orgId), orgId, ask)
    return { data: rows.flatMap(toRow), limit: query.limit, offset: query.offset, total_count: total }
  }
  return { listCurrentLocations: list, listLegacyCurrentLocations: list }
}

const toReportSort = ({ field, descending }: SortField<keyof typeof SORTS>): SortField<ReportSort> => ({
  field: SORTS[field],
  descending,
})

/** None for a location that was deleted between counting and reading. */
const toRow = (row: {
  asset_external_key: string
  location_external_key: string | null
  asset_last_seen: string
}): CurrentLocationRow[] =>
  row.location_external_key === null
    ? []
    : [{ asset: row.asset_external_key, location: row.location_external_key, last_seen: row.asset_last_seen }]
