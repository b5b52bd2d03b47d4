import { nextRevision } from '@whereabouts/db/revisions'
import type { Db, OrgRow, Tx } from '../db.ts'

export function insertOrg(tx: Tx, name: string): Promise<OrgRow> {
  return tx.insertInto('org').values({ name }).returningAll().executeTakeFirstOrThrow()
}

export function findOrg(db: Db, orgId: number): Promise<OrgRow | undefined> {
  return db.selectFrom('org').selectAll().where('id', '=', orgId).executeTakeFirst()
}

/**
 * Undefined when there is none. Taken, in a statement of its own, before the organization or anything about its members
 * is changed: what holds for all members together, that one of them is an administrator, cannot be kept by locking
 * single rows, and a membership that is made again gets its revision after the one it replaces.
 */
export function lockOrg(tx: Tx, orgId: number): Promise<OrgRow | undefined> {
  return tx.selectFrom('org').selectAll().where('id', '=', orgId).forNoKeyUpdate().executeTakeFirst()
}

/** Call under `lockOrg`. Null is never. Undefined when it is so already. */
export function updateSubscription(
  tx: Tx,
  orgId: number,
  endsAt: string | null,
): Promise<OrgRow | undefined> {
  return tx
    .updateTable('org')
    .set({ subscription_ends_at: endsAt, revision: nextRevision })
    .where('id', '=', orgId)
    .where('subscription_ends_at', 'is distinct from', endsAt)
    .returningAll()
    .executeTakeFirst()
}
