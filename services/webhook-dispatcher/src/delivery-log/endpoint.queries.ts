import type { Selectable } from 'kysely'
import type { Db, Tables } from '../db.ts'
import { webhookNotFound } from '../errors.ts'

export type Endpoint = Pick<Selectable<Tables['webhook']>, 'id' | 'enabled' | 'event_types' | 'failing_since'>

/** Throws 404 unless the organization has the endpoint; with `primary`, unless it is the contract's webhook. */
export async function getEndpoint(
  db: Db,
  orgId: number,
  id: number,
  { primary = false } = {},
): Promise<Endpoint> {
  const found = await db
    .selectFrom('webhook')
    .select(['id', 'enabled', 'event_types', 'failing_since'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .$if(primary, (q) => q.where('is_primary', '=', true))
    .executeTakeFirst()
  if (!found) throw webhookNotFound()
  return found
}
