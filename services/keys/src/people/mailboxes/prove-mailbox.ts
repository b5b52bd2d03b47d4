import type { Tx } from '../../db.ts'
import { markVerified } from '../users/own-sessions.queries.ts'
import { auditUser } from '../users/user-audit.ts'

/** The user has used a link that only their mailbox had. Records the first time. */
export async function proveMailbox(tx: Tx, userId: number): Promise<void> {
  if (!(await markVerified(tx, userId))) return
  await auditUser(tx, userId, {
    action: 'user.update',
    changes: { email_verified: { from: false, to: true } },
  })
}
