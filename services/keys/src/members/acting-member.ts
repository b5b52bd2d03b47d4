import type { Principal, Role } from '@whereabouts/contracts/principal'
import { adminOnly, invalidToken } from '@whereabouts/service-kit/errors'
import type { Tx } from '../db.ts'
import { sessionOnly } from '../errors.ts'
import { lockOrg } from '../orgs/orgs.queries.ts'
import { findMembership } from './members.queries.ts'

export type ActingMember = { orgId: number; userId: number; role: Role }

/** The user of a session. Keys are refused by the gateway already. */
export function userOf({ userId }: Principal): number {
  if (userId === undefined) throw sessionOnly()
  return userId
}

/**
 * Keeps the members of the caller's organization from changing until the transaction ends, and returns what the caller
 * is among them now: a removal or demotion binds here before the gateway has heard of it.
 */
export async function lockMembers(tx: Tx, principal: Principal): Promise<ActingMember> {
  const { orgId } = principal
  const userId = userOf(principal)
  await lockOrg(tx, orgId)
  const member = await findMembership(tx, orgId, userId)
  if (!member) throw invalidToken()
  return { orgId, userId, role: member.role }
}

/** The same for what an administrator alone may do. */
export async function lockMembersAsAdmin(tx: Tx, principal: Principal): Promise<ActingMember> {
  const acting = await lockMembers(tx, principal)
  if (acting.role !== 'admin') throw adminOnly()
  return acting
}
