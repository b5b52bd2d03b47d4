import { trackingUsage, type Usage } from '@whereabouts/contracts/messages/usage'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { readUsage } from '@whereabouts/db/schema/usage'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { respond, type Responder } from '@whereabouts/messaging/messages/request'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { sql } from 'kysely'
import { mostKept } from '../health/reader-messages.queries.ts'
import { PACKED_UNTIL } from '../../positions/packed/packing-state.queries.ts'
import type { Db, Tables } from '../../db.ts'

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

/** With what has limits of its own: kept messages, and the days since the oldest row of the history. */
export async function usageOf(db: Db, orgId: number, retentionDays: number): Promise<Usage[]> {
  const { rows } = await sql<{ days: number; messages: number }>`
    select (select count(*)::int from reader_message where org_id = ${orgId}) as messages,
      coalesce(ceil(extract(epoch from now() - least(
        (select min(minute) from scan where org_id = ${orgId} and minute >= ${PACKED_UNTIL}),
        (select min(day)::timestamp at time zone 'UTC' from day_packed where org_id = ${orgId}))) / 86400), 0)::int as days`.execute(
    db,
  )
  const [{ days, messages } = { days: 0, messages: 0 }] = rows
  const counted = await readUsage(db, orgId)
  const readers = counted.find(({ name }) => name === 'readers')?.limit ?? 0
  return [
    ...counted,
    { name: 'kept_messages', limit: mostKept(readers), used: messages },
    { name: 'history_days', limit: retentionDays, used: Math.min(days, retentionDays) },
  ]
}
