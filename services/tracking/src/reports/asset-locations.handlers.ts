import type { AssetLocationsQuery } from '@whereabouts/contracts/tracking'
import { rejectIfAny } from '@whereabouts/service-kit/errors'
import type { Handlers } from '@whereabouts/service-kit/serve'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import { ambiguousFilters } from '../errors.ts'
import { countAssetLocations, listAssetLocations } from './asset-locations.queries.ts'

export const reportHandlers = ({
  db,
}: {
  db: Kysely<Tables>
}): Pick<Handlers<'tracking'>, 'listAssetLocations'> => ({
  async listAssetLocations({ principal: { orgId }, query }) {
    rejectPairs(query)
    const [data, total_count] = await Promise.all([
      listAssetLocations(db, orgId, query),
      countAssetLocations(db, orgId, query),
    ])
    return { data, limit: query.limit, offset: query.offset, total_count }
  },
})

/** The two forms of one filter must not stand together (D8.2). */
function rejectPairs(query: AssetLocationsQuery): void {
  rejectIfAny([
    ...(query.asset_id && query.asset_external_key ? ambiguousFilters('asset_id', 'asset_external_key') : []),
    ...(query.location_id && query.location_external_key
      ? ambiguousFilters('location_id', 'location_external_key')
      : []),
  ])
}
