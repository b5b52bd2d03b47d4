import type { Actor } from '@whereabouts/contracts/messages/audit'
import { audited, type Act } from '@whereabouts/db/outbox/audit'
import { enqueueAll } from '@whereabouts/db/outbox/outbox'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db.ts'

/**
 * Records what concerns an account in each organization of its user, at most the hundred that they joined first. Of a user
 * who is in none, nobody may read it. `guest` is the user if left out.
 */
export async function auditUser(
  tx: Tx,
  userId: number,
  { action, changes = {}, id = userId }: Pick<Act, 'action' | 'changes'> & { id?: number | null },
  guest: Actor = { type: 'user', id: userId },
): Promise<void> {
  const { rows } = await sql<{ org_id: number }>`
    select org_id from membership where user_id = ${userId} order by created_at, org_id limit 100`.execute(tx)
  const subject = { type: action.slice(0, action.indexOf('.')), id }
  await enqueueAll(
    tx,
    rows.flatMap(({ org_id }) => audited(org_id, [{ action, subject, changes }], guest)),
  )
}

/** A session that its user has ended. */
export const auditSessionEnd = (
  tx: Tx,
  { org_id, id }: { org_id: number; id: string },
  userId: number,
): Promise<void> =>
  enqueueAll(
    tx,
    audited(
      org_id,
      [{ action: 'session.delete', subject: { type: 'session', id: null, external_key: id } }],
      {
        type: 'user',
        id: userId,
      },
    ),
  )

/**
 * A failed sign-in. Takes about as long for an address without an account, which has no organization: the commit does not wait for the disk.
 * So the last rows may be missing after a crash of the database.
 */
export const auditFailure = (db: Db, userId: number): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await sql`set local synchronous_commit = off`.execute(tx)
    await auditUser(tx, userId, { action: 'session.fail', id: null })
  })
