import type { Principal, Role } from '@whereabouts/contracts/principal'
import { roleRequired, invalidToken } from '@whereabouts/service-kit/errors/errors'
import type { Tx } from '../../db.ts'
import { sessionOnly } from '../../errors.ts'
import { lockOrg } from '../orgs/orgs.queries.ts'
import { findMembership } from './members.queries.ts'

export type ActingMember = { orgId: number; userId: number; role: Role }

/** The user of a session. The gateway has already refused keys. */
export function userOf({ userId }: Principal): number {
  if (userId === undefined) throw sessionOnly()
  return userId
}

/**
 * Locks the members of the caller's organization until the transaction ends, and returns the caller's current role. A
 * removal or demotion binds here before it reaches the gateway.
 */
export async function lockMembers(tx: Tx, principal: Principal): Promise<ActingMember> {
  const { orgId } = principal
  const userId = userOf(principal)
  await lockOrg(tx, orgId)
  const member = await findMembership(tx, orgId, userId)
  if (!member) throw invalidToken()
  return { orgId, userId, role: member.role }
}

/** The same, for administrators only. */
export async function lockMembersAsAdmin(tx: Tx, principal: Principal): Promise<ActingMember> {
  const acting = await lockMembers(tx, principal)
  if (acting.role !== 'admin') throw roleRequired('admin')
  return acting
}
