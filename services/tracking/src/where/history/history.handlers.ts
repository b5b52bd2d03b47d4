import type { SightingRow } from '@whereabouts/contracts/resources/tracking/sightings'
import { withEpc } from '@whereabouts/contracts/resources/catalog/tags'
import type { HistoryRow } from '@whereabouts/contracts/resources/tracking/tracking'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Tables } from '../../db.ts'
import { assetNotFound } from '../../errors.ts'
import type { FindAsset } from '../../catalog/finders.ts'
import { expandRows } from '../../catalog/expand.queries.ts'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import type { firstPageReader } from './first-pages.queries.ts'
import { toHistoryRows } from './history.views.ts'
import { findLocationKeys, readPage, seen } from './page.queries.ts'
import { findWaiting, listSightings } from './sightings.queries.ts'

export type HistoryDeps = {
  db: TenantDatabase<Tables>
  view: CatalogView
  findAsset: FindAsset
  readFirstPage: ReturnType<typeof firstPageReader>
}

export const historyHandlers = (
  deps: HistoryDeps,
): Pick<Handlers<'tracking'>, 'listAssetHistory' | 'listSightings'> => ({
  async listAssetHistory({ principal: { orgId }, params: { asset_id }, query }) {
    // Read meanwhile. The page of a deleted asset is not shown.
    const [asset, page] = await Promise.all([
      deps.findAsset(orgId, asset_id),
      readHistory(deps, orgId, asset_id, query),
    ])
    if (!asset) throw assetNotFound()
    const data = await expandRows(
      { db: deps.db.forOrg(orgId), orgId, view: deps.view },
      query.expand,
      page.data,
      () => asset_id,
    )
    return { ...page, data }
  },

  async listSightings({ principal: { orgId }, params: { asset_id }, query }) {
    if (!(await deps.findAsset(orgId, asset_id))) throw assetNotFound()
    const own = deps.db.forOrg(orgId)
    const { limit, offset } = query
    const { data, total } = await listSightings(own, orgId, asset_id, query, query)
    return {
      data: data.map(toSighting),
      limit,
      offset,
      total_count: total,
      waiting: await findWaiting(own, orgId, asset_id),
    }
  },
})

const toSighting = (row: SightingRow): SightingRow => ({ ...row, tag: row.tag && withEpc(row.tag) })

type HistoryRange = {
  from?: string | undefined
  to?: string | undefined
  limit: number
  offset: number
  /** Only the first counts, because there is only one field to sort by. */
  sort?: readonly { descending: boolean }[] | undefined
}

/** One page of the history of an asset, in the envelope of a list. */
export async function readHistory(
  { db, view, readFirstPage }: Omit<HistoryDeps, 'findAsset'>,
  orgId: number,
  assetId: number,
  { from, to, limit, offset, sort }: HistoryRange,
): Promise<{ data: HistoryRow[]; limit: number; offset: number; total_count: number }> {
  const own = db.forOrg(orgId)
  const descending = sort?.[0]?.descending ?? true
  const isFirst = descending && offset === 0 && from === undefined && to === undefined
  const { total, ...page } = isFirst
    ? await readFirstPage(orgId, { assetId, limit })
    : await readPage({ db: own, orgId, assetId }, { from, to }, { limit, offset, descending }, seen)
  // The view has deleted locations too, but not those of which no state has arrived yet.
  const ids = new Set(page.entries.flatMap((entry) => entry.location_id ?? []))
  const unknown = [...ids].filter((id) => view.location(orgId, id) === undefined)
  const stored = unknown.length > 0 ? await findLocationKeys(own, orgId, unknown) : undefined
  const keyOf = (id: number) => {
    const known = view.location(orgId, id)
    return known ? (known.deleted ? null : known.key) : (stored?.get(id) ?? null)
  }
  return { data: toHistoryRows(page, descending, keyOf), limit, offset, total_count: total }
}
