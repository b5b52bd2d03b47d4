import {
  currentLocations,
  type CurrentLocationsReply,
} from '@whereabouts/contracts/messages/current-locations'
import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import type { Broker } from '@whereabouts/messaging/connection'
import { RefusedError, respond, type Responder } from '@whereabouts/messaging/request'
import type { Logger } from '@whereabouts/service-kit/logging'
import { sql } from 'kysely'
import type { Tables } from '../db.ts'
import { bigints } from '@whereabouts/db/array-parameters'

/** Answers `rpc.tracking.current-locations`; of all replicas, one answers each request. */
export const answerCurrentLocations = (
  broker: Broker,
  db: TenantDatabase<Tables>,
  logger: Logger,
): Responder =>
  respond(
    broker,
    currentLocations.subject,
    'tracking-current-locations',
    async (payload) => locate(db, payload),
    {
      logger,
    },
  )

/** The answer to one request. Refuses what is no such request. */
export async function locate(
  db: Pick<TenantDatabase<Tables>, 'forOrg'>,
  payload: unknown,
): Promise<CurrentLocationsReply> {
  const asked = currentLocations.request.safeParse(payload)
  if (!asked.success) throw new RefusedError('not a request for current locations')
  const { org_id: orgId, asset_ids } = asked.data
  const { rows } = await sql<CurrentLocationsReply['locations'][number]>`
    select p.asset_id, l.id as location_id, l.external_key as location_external_key
    from position p join location l on l.org_id = ${orgId} and l.id = p.location_id and l.deleted_at is null
    where p.org_id = ${orgId} and p.asset_id = any(${bigints(asset_ids)})`.execute(db.forOrg(orgId))
  return { locations: rows }
}
