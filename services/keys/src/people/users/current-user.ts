import type { CurrentUserView } from '@whereabouts/contracts/resources/keys/members'
import type { Principal } from '@whereabouts/contracts/principal'
import { invalidToken } from '@whereabouts/service-kit/errors/errors'
import type { z } from 'zod'
import { userOf } from '../../organizations/members/acting-member.ts'
import { findMember, listMemberships } from '../../organizations/members/find-members.queries.ts'
import type { UserDeps } from './user-deps.ts'

/** The caller, with all organizations they belong to. Throws 401 if they have left that of the session. */
export async function currentUser(
  { tenants, db }: Pick<UserDeps, 'tenants' | 'db'>,
  principal: Principal,
): Promise<z.infer<typeof CurrentUserView>> {
  const userId = userOf(principal)
  const member = await findMember(tenants.forOrg(principal.orgId), principal.orgId, userId)
  if (!member) throw invalidToken()
  const { id, name, email, org_id, email_verified, second_factor } = member
  const orgs = await listMemberships(db, userId)
  return { id, name, email, email_verified, second_factor, org_id, orgs }
}
