import type { Handlers } from '@whereabouts/service-kit/serve'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import { countAssetLocations, listAssetLocations } from './asset-locations.queries.ts'

export const reportHandlers = ({
  db,
}: {
  db: Kysely<Tables>
}): Pick<Handlers<'tracking'>, 'listAssetLocations'> => ({
  async listAssetLocations({ principal: { orgId }, query }) {
    const [data, total_count] = await Promise.all([
      listAssetLocations(db, orgId, query),
      countAssetLocations(db, orgId, query),
    ])
    return { data, limit: query.limit, offset: query.offset, total_count }
  },
})
