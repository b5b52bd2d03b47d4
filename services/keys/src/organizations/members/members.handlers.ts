import { changesOf } from '@whereabouts/db/outbox/audit'
import { hasRole, type Principal } from '@whereabouts/contracts/principal'
import type { ListedMember, MemberView } from '@whereabouts/contracts/resources/keys/members'
import { roleRequired } from '@whereabouts/service-kit/errors/errors'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tenants, Tx } from '../../db.ts'
import { memberNotFound } from '../../errors.ts'
import { lockMembers, lockMembersAsAdmin } from './acting-member.ts'
import { auditMember, changeRole, takeAdminAway } from './change-role.ts'
import { findMember, type Member } from './find-members.queries.ts'
import { countMembers, deleteMembership, listMembers, type ListedRow } from './members.queries.ts'
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
        return changeRole(tx, before, role)
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

async function getMember(tx: Tx, orgId: number, userId: number): Promise<Member> {
  const member = await findMember(tx, orgId, userId)
  if (!member) throw memberNotFound()
  return member
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
