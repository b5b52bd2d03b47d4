import { trackingUsage, type Usage } from '@whereabouts/contracts/messages/usage'
import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import { readUsage } from '@whereabouts/db/usage'
import type { Broker } from '@whereabouts/messaging/connection'
import { respond, type Responder } from '@whereabouts/messaging/request'
import type { Logger } from '@whereabouts/service-kit/logging'
import { sql } from 'kysely'
import type { Db, Tables } from '../db.ts'

/** Answers `rpc.tracking.usage`. One replica answers each request. */
export const serveUsage = (
  broker: Broker,
  db: TenantDatabase<Tables>,
  retentionDays: number,
  logger: Logger,
): Responder =>
  respond(
    broker,
    trackingUsage.subject,
    'tracking-usage',
    async (payload) => {
      const { org_id: orgId } = trackingUsage.request.parse(payload)
      return usageOf(db.forOrg(orgId), orgId, retentionDays)
    },
    { logger },
  )

/** With the days since the oldest row of the history, which is dropped after `retentionDays`. */
export async function usageOf(db: Db, orgId: number, retentionDays: number): Promise<Usage[]> {
  const { rows } = await sql<{ days: number }>`
    select coalesce(ceil(extract(epoch from now() - min(minute)) / 86400), 0)::int as days
    from scan where org_id = ${orgId}`.execute(db)
  const days = Math.min(rows[0]?.days ?? 0, retentionDays)
  return [...(await readUsage(db, orgId)), { name: 'history_days', limit: retentionDays, used: days }]
}
