import { epochMs } from '@whereabouts/contracts/instant'
import type { AssetLocationsQuery } from '@whereabouts/contracts/tracking'
import type { Handlers } from '@whereabouts/service-kit/serve'
import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import type { Tables } from '../db.ts'
import { beforeKeptHistory } from '../errors.ts'
import type { CatalogView } from '../projections/catalog-view.ts'
import { readPastReport } from './past.queries.ts'
import { LATEST_FIRST, type ReportAsk } from './report.ask.ts'
import { readReport } from './report.queries.ts'

export type ReportDeps = {
  db: TenantDatabase<Tables>
  /** For statements that take long: few connections of their own, so that they keep nobody else waiting. */
  past: TenantDatabase<Tables>
  view: CatalogView
  retentionDays: number
  now?: () => number
}

const DAY_MS = 86_400_000

export const reportHandlers = ({
  db,
  past,
  view,
  retentionDays,
  now = Date.now,
}: ReportDeps): Pick<Handlers<'tracking'>, 'listAssetLocations'> => ({
  async listAssetLocations({ principal: { orgId }, query }) {
    const { limit, offset, at } = query
    const ask = toAsk(view, orgId, query)
    const oldest = now() - retentionDays * DAY_MS
    if (at !== undefined && epochMs(at) < oldest) throw beforeKeptHistory('at', oldest)
    const { rows, total } = await (at === undefined
      ? readReport(db.forOrg(orgId), orgId, ask)
      : readPastReport(past.forOrg(orgId), orgId, ask, at))
    return { data: rows, limit, offset, total_count: total }
  },
})

function toAsk(view: CatalogView, orgId: number, query: AssetLocationsQuery): ReportAsk {
  const named = query.location_id ?? idsOf(view, orgId, query.location_external_key)
  return {
    limit: query.limit,
    offset: query.offset,
    sort: query.sort ?? LATEST_FIRST,
    includeDeleted: query.include_deleted ?? false,
    assetIds: query.asset_id,
    assetKeys: query.asset_external_key,
    locationIds: named && query.include_descendants ? view.withDescendants(orgId, named) : named,
    q: query.q === '' ? undefined : query.q,
  }
}

/** Keys that name no live location match nothing; undefined when none were sent. */
export const idsOf = (
  view: CatalogView,
  orgId: number,
  keys: readonly string[] | undefined,
): number[] | undefined => keys?.flatMap((key) => view.locationByKey(orgId, key)?.id ?? [])
