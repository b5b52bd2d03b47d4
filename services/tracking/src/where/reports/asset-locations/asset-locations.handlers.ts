import { epochMs } from '@whereabouts/contracts/rules/instant'
import type { AssetLocationsQuery } from '@whereabouts/contracts/resources/tracking/tracking'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import { beforeKeptHistory } from '../../../errors.ts'
import type { CatalogView } from '../../../catalog/catalog-view.ts'
import type { ReportDeps } from '../deps.ts'
import { expandRows } from '../../../catalog/expand.queries.ts'
import { homeFilter } from '../home.sql.ts'
import { readAssetLocations } from './asset-locations.queries.ts'
import { readAssetLocationsAt } from './at-instant.queries.ts'
import { LATEST_FIRST, type AssetLocationsFilter } from './filter.ts'

const DAY_MS = 86_400_000

export const reportHandlers = ({
  db,
  longReads,
  view,
  retentionDays,
  now = Date.now,
}: ReportDeps): Pick<Handlers<'tracking'>, 'listAssetLocations'> => ({
  async listAssetLocations({ principal: { orgId }, query }) {
    const { limit, offset, at } = query
    const filter = toFilter(view, orgId, query)
    const oldest = now() - retentionDays * DAY_MS
    if (at !== undefined && epochMs(at) < oldest) throw beforeKeptHistory('at', oldest)
    const { rows, total } = await (at === undefined
      ? readAssetLocations(db.forOrg(orgId), orgId, filter)
      : readAssetLocationsAt(longReads.forOrg(orgId), orgId, filter, at))
    const data = await expandRows(
      { db: db.forOrg(orgId), orgId, view },
      query.expand,
      rows,
      (row) => row.asset_id,
    )
    return { data, limit, offset, total_count: total }
  },
})

function toFilter(view: CatalogView, orgId: number, query: AssetLocationsQuery): AssetLocationsFilter {
  const ids = query.location_id?.filter((id) => id !== 'none')
  const named = ids ?? idsOf(view, orgId, query.location_external_key)
  const inside = named && query.include_descendants ? view.withDescendants(orgId, named) : named
  return {
    limit: query.limit,
    offset: query.offset,
    sort: query.sort ?? LATEST_FIRST,
    includeDeleted: query.include_deleted ?? false,
    assetIds: query.asset_id,
    assetKeys: query.asset_external_key,
    locationIds: query.location_id?.includes('none') ? 'none' : inside,
    notSeenSince: query.not_seen_since,
    q: query.q === '' ? undefined : query.q,
    home: homeFilter(view, orgId, query),
  }
}

/** A key without a live location matches nothing. Undefined if no keys were sent. */
export const idsOf = (
  view: CatalogView,
  orgId: number,
  keys: readonly string[] | undefined,
): number[] | undefined => keys?.flatMap((key) => view.locationByKey(orgId, key)?.id ?? [])
