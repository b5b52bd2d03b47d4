import type { Changes } from '@whereabouts/contracts/resources/keys/audit'
import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import type { InvitationView } from '@whereabouts/contracts/resources/keys/members'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import type { InvitationRow, Tenants, Tx } from '../../db.ts'
import { alreadyMember, invitationNotFound } from '../../errors.ts'
import { lockMembersAsAdmin } from '../../organizations/members/acting-member.ts'
import { isMemberByEmail } from '../../organizations/members/members.queries.ts'
import { hashSecret, NO_STORE, randomToken } from '../../credentials/secrets.ts'
import { findMember } from '../../organizations/members/find-members.queries.ts'
import {
  countInvitations,
  listInvitations,
  putInvitation,
  takeInvitation,
  type ListedInvitation,
} from './invitations.queries.ts'

type InvitationOperation = 'listInvitations' | 'createInvitation' | 'revokeInvitation'

/** For administrators. For guests: acceptance.ts. */
export function invitationHandlers({
  tenants,
}: {
  tenants: Tenants
}): Pick<Handlers<'keys'>, InvitationOperation> {
  return {
    async listInvitations({ principal: { orgId }, query }) {
      const own = tenants.forOrg(orgId)
      const [rows, total_count] = await Promise.all([
        listInvitations(own, orgId, query),
        countInvitations(own, orgId),
      ])
      return { data: rows.map(toView), limit: query.limit, offset: query.offset, total_count }
    },

    async createInvitation({ principal, body }) {
      const token = randomToken()
      const invitation = await tenants.transaction(principal.orgId, async (tx) => {
        const { orgId, userId } = await lockMembersAsAdmin(tx, principal)
        if (await isMemberByEmail(tx, orgId, body.email)) throw alreadyMember()
        const row = await putInvitation(tx, orgId, {
          ...body,
          tokenHash: hashSecret(token),
          createdBy: userId,
        })
        const host = await findMember(tx, orgId, userId)
        await auditInvitation(tx, 'create', row, changesOf(undefined, shown(row)))
        return { ...row, created_by_name: host?.name ?? '' }
      })
      return new Reply({ data: { ...toView(invitation), token } }, NO_STORE)
    },

    async revokeInvitation({ principal, params }) {
      await tenants.transaction(principal.orgId, async (tx) => {
        const { orgId } = await lockMembersAsAdmin(tx, principal)
        const taken = await takeInvitation(tx, orgId, params.invitation_id)
        if (!taken) throw invitationNotFound()
        await auditInvitation(tx, 'delete', taken, changesOf(shown(taken), undefined))
      })
      return undefined
    },
  }
}

const auditInvitation = (
  tx: Tx,
  verb: string,
  { org_id, id }: InvitationRow,
  changes: Changes,
): Promise<void> =>
  audit(tx, org_id, { action: `invitation.${verb}`, subject: { type: 'invitation', id }, changes })

const shown = ({ email, role }: InvitationRow) => ({ email, role })

const toView = ({ id, email, role, created_at, expires_at, ...by }: ListedInvitation): InvitationView => ({
  id,
  email,
  role,
  created_at,
  created_by: by.created_by,
  created_by_name: by.created_by_name,
  expires_at,
})
