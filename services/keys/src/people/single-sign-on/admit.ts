import type { Role } from '@whereabouts/contracts/principal'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import type { Tx } from '../../db.ts'
import { changeRole } from '../../organizations/members/change-role.ts'
import { findFirstMembership, findMember } from '../../organizations/members/find-members.queries.ts'
import { hasOtherAdmin, insertMembership } from '../../organizations/members/members.queries.ts'
import { auditJoin, enqueueMemberState } from '../../organizations/members/members.state.ts'
import { lockOrg } from '../../organizations/orgs/orgs.queries.ts'
import { proveMailbox } from '../mailboxes/prove-mailbox.ts'
import { lockUser } from '../users/own-sessions.queries.ts'
import type { PasswordHash } from '../users/passwords.ts'
import { findUserByEmail, insertUser } from '../users/users.queries.ts'
import type { Identity } from './claims.rules.ts'
import { SignOnRefusal } from './sign-on-refusal.ts'
import { auditLink, findLinkedUser, linkSubject, lockSubject } from './sign-on.queries.ts'

type OrgRole = readonly [orgId: number, role: Role]
/** Of the mapped organizations: those that are not there, and those that would have lost their last administrator. */
type Admitted = { userId: number; missingOrgs: number[]; keptAdminOf: number[] }

/**
 * The user of an identity, with the roles of their groups, all in one transaction. Throws `SignOnRefusal` if there is none
 * and none may be made. `wanted` is ordered by organization, so that sign-ons at once lock in one order; the user comes
 * after the organizations, as when an invitation is accepted.
 */
export async function admit(
  tx: Tx,
  identity: Identity,
  wanted: readonly OrgRole[],
  noPassword: PasswordHash,
): Promise<Admitted> {
  await lockSubject(tx, identity.issuer, identity.subject)
  const missingOrgs: number[] = []
  for (const [orgId] of wanted) if (!(await lockOrg(tx, orgId))) missingOrgs.push(orgId)
  const given = wanted.filter(([orgId]) => !missingOrgs.includes(orgId))
  const found = await findUser(tx, identity)
  const userId = found ?? (await createUser(tx, identity, given.length > 0, noPassword))
  const keptAdminOf: number[] = []
  for (const [orgId, role] of given) if (!(await giveRole(tx, orgId, userId, role))) keptAdminOf.push(orgId)
  if (!(await findFirstMembership(tx, userId))) throw new SignOnRefusal('no_access')
  if (found === undefined && identity.emailVerified) await proveMailbox(tx, userId)
  return { userId, missingOrgs, keptAdminOf }
}

/** The linked user, or the one to link. Throws `SignOnRefusal` if the address belongs to an account that may be another's. */
async function findUser(tx: Tx, identity: Identity): Promise<number | undefined> {
  const { issuer, subject, email, emailVerified } = identity
  const linked = await findLinkedUser(tx, issuer, subject)
  if (linked !== undefined || email === undefined) return linked
  const sameAddress = await findUserByEmail(tx, email)
  if (!sameAddress) return undefined
  const user = await lockUser(tx, sameAddress.id)
  if (!emailVerified) throw new SignOnRefusal('address_unverified')
  // Anybody can sign up with an address. Who has not proved it here may not be the person whom the provider knows.
  if (user?.email_key !== sameAddress.email_key || user.email_verified_at === null)
    throw new SignOnRefusal('address_taken')
  await linkSubject(tx, issuer, subject, user.id)
  await auditLink(tx, user.id, { from: null, to: issuer })
  return user.id
}

async function createUser(
  tx: Tx,
  { issuer, subject, email, name }: Identity,
  mayJoin: boolean,
  noPassword: PasswordHash,
): Promise<number> {
  if (!mayJoin) throw new SignOnRefusal('no_access')
  if (email === undefined) throw new SignOnRefusal('no_address')
  const user = { name: name ?? email.slice(0, email.indexOf('@')), email, ...noPassword }
  const userId = await insertUser(tx, user).catch((error: unknown) => {
    // Somebody signed up with it at the same moment.
    throw error instanceof AppError ? new SignOnRefusal('address_taken', error) : error
  })
  await linkSubject(tx, issuer, subject, userId)
  return userId
}

/** False if the user stays an administrator, because the organization has no other one. */
async function giveRole(tx: Tx, orgId: number, userId: number, role: Role): Promise<boolean> {
  const self = { type: 'user', id: userId } as const
  const before = await findMember(tx, orgId, userId)
  if (!before) {
    const membership = await insertMembership(tx, orgId, userId, role)
    await enqueueMemberState(tx, membership)
    await auditJoin(tx, membership, self)
    return true
  }
  if (before.role === 'admin' && role !== 'admin' && !(await hasOtherAdmin(tx, orgId, userId))) return false
  await changeRole(tx, before, role, self)
  return true
}
