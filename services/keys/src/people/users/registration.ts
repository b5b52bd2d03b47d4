import type { Tx } from '../../db.ts'
import type { Member } from '../../organizations/members/find-members.queries.ts'
import { insertMembership } from '../../organizations/members/members.queries.ts'
import { auditJoin, enqueueMemberState } from '../../organizations/members/members.state.ts'
import { insertOrg } from '../../organizations/orgs/orgs.queries.ts'
import { auditOrg, enqueueOrgState } from '../../organizations/orgs/orgs.state.ts'
import { insertUser, type NewUser } from './users.queries.ts'

/** An organization with its first administrator. Throws `emailTaken`. */
export async function register(tx: Tx, orgName: string, user: NewUser): Promise<Member> {
  const org = await insertOrg(tx, orgName)
  const id = await insertUser(tx, user)
  const membership = await insertMembership(tx, org.id, id, 'admin')
  await enqueueOrgState(tx, org)
  await enqueueMemberState(tx, membership)
  const self = { type: 'user', id } as const
  await auditOrg(tx, undefined, org, self)
  await auditJoin(tx, membership, self)
  const { role, revision, created_at: joined_at } = membership
  const { name, email } = user
  const [email_verified, second_factor] = [false, false]
  const inOrg = { org_id: org.id, org_name: org.name, org_created_at: org.created_at }
  return { id, name, email, email_verified, second_factor, ...inOrg, role, revision, joined_at }
}
