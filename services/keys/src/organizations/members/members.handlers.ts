import type { Changes } from '@whereabouts/contracts/resources/keys/audit'
import { audit, changesOf } from '@whereabouts/db/outbox/audit'
import { hasRole, type Principal } from '@whereabouts/contracts/principal'
import type { ListedMember, MemberView } from '@whereabouts/contracts/resources/keys/members'
import { roleRequired } from '@whereabouts/service-kit/errors/errors'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tenants, Tx } from '../../db.ts'
import { lastAdmin, memberNotFound } from '../../errors.ts'
import { lockMembers, lockMembersAsAdmin } from './acting-member.ts'
import { findMember, type Member } from './find-members.queries.ts'
import {
  countMembers,
  deleteInvitationsBy,
  deleteMembership,
  deleteProvisioningLinksBy,
  deleteResetLinksBy,
  hasOtherAdmin,
  listMembers,
  updateRole,
  type ListedRow,
} from './members.queries.ts'
import { enqueueMemberState } from './members.state.ts'

export type MemberDeps = {
  tenants: Tenants
  /** Called after a commit that put something into the outbox. */
  onChange: () => void
}

type MemberOperation = 'listMembers' | 'updateMember' | 'removeMember'

export function memberHandlers({ tenants, onChange }: MemberDeps): Pick<Handlers<'keys'>, MemberOperation> {
  return {
    async listMembers({ principal, query }) {
      const { orgId } = principal
      const own = tenants.forOrg(orgId)
      const [rows, total_count] = await Promise.all([
        listMembers(own, orgId, query),
        countMembers(own, orgId),
      ])
      const data = rows.map((row) => toListed(row, principal))
      return { data, limit: query.limit, offset: query.offset, total_count }
    },

    async updateMember({ principal, params, body: { role } }) {
      const member = await tenants.transaction(principal.orgId, async (tx) => {
        const { orgId } = await lockMembersAsAdmin(tx, principal)
        const before = await getMember(tx, orgId, params.user_id)
        if (before.role === role) return before // a new revision would sign the member out
        if (before.role === 'admin') await takeAdminAway(tx, before)
        await enqueueMemberState(tx, await updateRole(tx, orgId, before.id, role))
        await auditMember(tx, 'update', before, changesOf({ role: before.role }, { role }))
        return { ...before, role }
      })
      onChange()
      return { data: toView(member) }
    },

    async removeMember({ principal, params }) {
      await tenants.transaction(principal.orgId, async (tx) => {
        const { orgId, userId, role } = await lockMembers(tx, principal)
        if (role !== 'admin' && params.user_id !== userId) throw roleRequired('admin')
        const member = await getMember(tx, orgId, params.user_id)
        if (member.role === 'admin') await takeAdminAway(tx, member)
        await enqueueMemberState(tx, await deleteMembership(tx, orgId, member.id))
        await auditMember(tx, 'delete', member, changesOf({ role: member.role }, undefined))
      })
      onChange()
      return undefined
    },
  }
}

const auditMember = (tx: Tx, verb: string, { org_id, id }: Member, changes: Changes): Promise<void> =>
  audit(tx, org_id, { action: `member.${verb}`, subject: { type: 'member', id }, changes })

async function getMember(tx: Tx, orgId: number, userId: number): Promise<Member> {
  const member = await findMember(tx, orgId, userId)
  if (!member) throw memberNotFound()
  return member
}

/** Deletes the invitations and links of an administrator who is demoted or removed. Throws `lastAdmin` for the last one. */
async function takeAdminAway(tx: Tx, { org_id, id }: Member): Promise<void> {
  if (!(await hasOtherAdmin(tx, org_id, id))) throw lastAdmin()
  await deleteInvitationsBy(tx, org_id, id)
  await deleteResetLinksBy(tx, org_id, id)
  await deleteProvisioningLinksBy(tx, org_id, id)
}

const toView = ({ id, name, email, role, joined_at }: Member): MemberView => ({
  id,
  name,
  email,
  role,
  joined_at,
})

/** When members signed in is for administrators only, and the addresses of others are not for viewers (D15.3). */
const toListed = (member: ListedRow, { role, userId }: Principal): ListedMember => ({
  ...toView(member),
  email: hasRole(role, 'member') || member.id === userId ? member.email : null,
  last_signed_in_at: role === 'admin' ? member.last_signed_in_at : null,
})
