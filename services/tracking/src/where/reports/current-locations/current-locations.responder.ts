import {
  currentLocations,
  type CurrentLocationsReply,
} from '@whereabouts/contracts/messages/current-locations'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { answering } from '@whereabouts/messaging/messages/request'
import { sql } from 'kysely'
import type { Tables } from '../../../db.ts'
import { bigints } from '@whereabouts/db/tenant/array-parameters'

type Seen = {
  asset_id: number
  observed_at: string
  location_id: number | null
  location_external_key: string | null
}

/** Answers `rpc.tracking.current-locations`. */
export const { answer: findCurrentLocations, serve: serveCurrentLocations } = answering(
  currentLocations,
  'not a request for current locations',
  async (
    db: Pick<TenantDatabase<Tables>, 'forOrg'>,
    { org_id: orgId, asset_ids, with_last_seen: withLastSeen = false },
  ): Promise<CurrentLocationsReply> => {
    const { rows } = await sql<Seen>`
    select p.asset_id, p.observed_at, l.id as location_id, l.external_key as location_external_key
    from position p left join location l on l.org_id = ${orgId} and l.id = p.location_id and l.deleted_at is null
    where p.org_id = ${orgId} and p.asset_id = any(${bigints(asset_ids)}) and p.minute > '-infinity'`.execute(
      db.forOrg(orgId),
    )
    const locations = rows.flatMap(({ asset_id, location_id, location_external_key }) =>
      location_id === null || location_external_key === null
        ? []
        : [{ asset_id, location_id, location_external_key }],
    )
    if (!withLastSeen) return { locations }
    return { locations, last_seen: rows.map(({ asset_id, observed_at }) => ({ asset_id, at: observed_at })) }
  },
)
