import type { Actor } from '@whereabouts/contracts/messages/audit'
import type { Role } from '@whereabouts/contracts/principal'
import type { Changes } from '@whereabouts/contracts/resources/keys/audit'
import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import type { Tx } from '../../db.ts'
import { lastAdmin } from '../../errors.ts'
import type { Member } from './find-members.queries.ts'
import {
  deleteInvitationsBy,
  deleteProvisioningLinksBy,
  deleteResetLinksBy,
  hasOtherAdmin,
  updateRole,
} from './members.queries.ts'
import { enqueueMemberState } from './members.state.ts'

/**
 * Throws `lastAdmin`, before anything is written, if the organization would keep no administrator. Call under `lockOrg`.
 * `guest` is who did it, if the request needs no credential.
 */
export async function changeRole(tx: Tx, before: Member, role: Role, guest?: Actor): Promise<Member> {
  if (before.role === role) return before // a new revision would sign the member out
  if (before.role === 'admin') await takeAdminAway(tx, before)
  await enqueueMemberState(tx, await updateRole(tx, before.org_id, before.id, role))
  await auditMember(tx, 'update', before, changesOf({ role: before.role }, { role }), guest)
  return { ...before, role }
}

export const auditMember = (
  tx: Tx,
  verb: string,
  { org_id, id }: Member,
  changes: Changes,
  guest?: Actor,
): Promise<void> =>
  audit(tx, org_id, { action: `member.${verb}`, subject: { type: 'member', id }, changes }, guest)

/** Deletes the invitations and links of an administrator who is demoted or removed. Throws `lastAdmin` for the last one. */
export async function takeAdminAway(tx: Tx, { org_id, id }: Member): Promise<void> {
  if (!(await hasOtherAdmin(tx, org_id, id))) throw lastAdmin()
  await deleteInvitationsBy(tx, org_id, id)
  await deleteResetLinksBy(tx, org_id, id)
  await deleteProvisioningLinksBy(tx, org_id, id)
}
