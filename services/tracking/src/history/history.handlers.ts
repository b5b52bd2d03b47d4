import type { HistoryRow } from '@whereabouts/contracts/tracking'
import type { Handlers } from '@whereabouts/service-kit/serve'
import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import { assetNotFound } from '../errors.ts'
import type { FindAsset } from '../projections/finders.ts'
import { countHistory, findMinutes, listHistory } from './history.queries.ts'
import { listSightings } from './sightings.queries.ts'

export type HistoryDeps = { db: TenantDatabase<Tables>; findAsset: FindAsset }

export const historyHandlers = ({
  db,
  findAsset,
}: HistoryDeps): Pick<Handlers<'tracking'>, 'getAssetHistory' | 'listSightings'> => ({
  async getAssetHistory({ principal: { orgId }, params: { asset_id }, query }) {
    if (!(await findAsset(orgId, asset_id))) throw assetNotFound()
    return readHistory(db.forOrg(orgId), orgId, asset_id, query)
  },

  async listSightings({ principal: { orgId }, params: { asset_id }, query }) {
    if (!(await findAsset(orgId, asset_id))) throw assetNotFound()
    const own = db.forOrg(orgId)
    const { limit, offset } = query
    const minutes = await findMinutes(own, orgId, asset_id, query)
    const total_count = await countHistory(own, orgId, asset_id, minutes)
    const data = offset >= total_count ? [] : await listSightings(own, orgId, asset_id, minutes, query)
    return { data, limit, offset, total_count }
  },
})

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
  db: Kysely<Tables>,
  orgId: number,
  assetId: number,
  { from, to, limit, offset, sort }: HistoryRange,
): Promise<{ data: HistoryRow[]; limit: number; offset: number; total_count: number }> {
  const minutes = await findMinutes(db, orgId, assetId, { from, to })
  const total_count = await countHistory(db, orgId, assetId, minutes)
  const page = { limit, offset, descending: sort?.[0]?.descending ?? true }
  const data = offset >= total_count ? [] : await listHistory(db, orgId, assetId, minutes, page)
  return { data, limit, offset, total_count }
}
