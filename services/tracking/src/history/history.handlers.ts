import type { Handlers } from '@whereabouts/service-kit/serve'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import { assetNotFound } from '../errors.ts'
import type { FindAsset } from '../projections/finders.ts'
import { countHistory, listHistory } from './history.queries.ts'

export type HistoryDeps = { db: Kysely<Tables>; findAsset: FindAsset }

export const historyHandlers = ({
  db,
  findAsset,
}: HistoryDeps): Pick<Handlers<'tracking'>, 'getAssetHistory'> => ({
  async getAssetHistory({ principal: { orgId }, params: { asset_id }, query }) {
    const { from, to, limit, offset, sort } = query
    if (!(await findAsset(orgId, asset_id))) throw assetNotFound()
    const filter = { from, to, limit, offset, descending: sort?.[0]?.descending ?? true }
    const [data, total_count] = await Promise.all([
      listHistory(db, orgId, asset_id, filter),
      countHistory(db, orgId, asset_id, filter),
    ])
    return { data, limit, offset, total_count }
  },
})
