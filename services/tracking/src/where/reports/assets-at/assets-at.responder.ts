import { assetsAt, type AssetsAtReply } from '@whereabouts/contracts/messages/assets-at'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { RefusedError, respond, type Responder } from '@whereabouts/messaging/messages/request'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { sql } from 'kysely'
import type { Tables } from '../../../db.ts'
import { bigints } from '@whereabouts/db/tenant/array-parameters'

/** Serves `rpc.tracking.assets-at`; one of all replicas answers each request. */
export const serveAssetsAt = (broker: Broker, db: TenantDatabase<Tables>, logger: Logger): Responder =>
  respond(broker, assetsAt.subject, 'tracking-assets-at', async (payload) => listAssetsAt(db, payload), {
    logger,
  })

/**
 * One page, including deleted assets. Ordered by asset, so that an asset that moves between two pages is listed once.
 */
export async function listAssetsAt(
  db: Pick<TenantDatabase<Tables>, 'forOrg'>,
  payload: unknown,
): Promise<AssetsAtReply> {
  const parsed = assetsAt.request.safeParse(payload)
  if (!parsed.success) throw new RefusedError('not a request for the assets at locations')
  const { org_id: orgId, location_ids, after, limit } = parsed.data
  const { rows } = await sql<{ asset_id: number }>`
    select p.asset_id
    from unnest(${bigints([...new Set(location_ids)])}) as l (id)
    cross join lateral (
      select asset_id from asset_place
      where org_id = ${orgId} and location_id = l.id and asset_id > ${after}
      order by asset_id limit ${limit}
    ) p
    order by p.asset_id limit ${limit}`.execute(db.forOrg(orgId))
  return { asset_ids: rows.map((row) => row.asset_id) }
}
