import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import type { InvitationRow, Tx } from '../../db.ts'

export function auditInvitation(
  tx: Tx,
  verb: 'create' | 'delete',
  { org_id, id, email, role }: InvitationRow,
): Promise<void> {
  const shown = { email, role }
  const changes = verb === 'create' ? changesOf(undefined, shown) : changesOf(shown, undefined)
  return audit(tx, org_id, { action: `invitation.${verb}`, subject: { type: 'invitation', id }, changes })
}
