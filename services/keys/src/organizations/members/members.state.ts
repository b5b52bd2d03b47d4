import type { Actor } from '@whereabouts/contracts/messages/audit'
import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import { memberState } from '@whereabouts/contracts/messages/keys-state'
import type { MemberState } from '@whereabouts/contracts/messages/keys-state'
import { enqueue } from '@whereabouts/db/outbox/outbox'
import type { MembershipRow, Tx } from '../../db.ts'

type Changed = Pick<MembershipRow, 'org_id' | 'user_id' | 'revision' | 'role'> & { deleted_at?: string }

export const toMemberState = (member: Changed): MemberState => ({
  org_id: member.org_id,
  user_id: member.user_id,
  revision: member.revision,
  role: member.role,
  deleted_at: member.deleted_at ?? null,
})

/** Call under the lock of the organization's row, with the row that the change returned. */
export const enqueueMemberState = (tx: Tx, member: Changed): Promise<void> =>
  enqueue(tx, memberState, [toMemberState(member)])

/** Somebody has become a member. */
export const auditJoin = (tx: Tx, { org_id, user_id, role }: MembershipRow, guest?: Actor): Promise<void> => {
  const subject = { type: 'member', id: user_id }
  return audit(
    tx,
    org_id,
    { action: 'member.create', subject, changes: changesOf(undefined, { role }) },
    guest,
  )
}
