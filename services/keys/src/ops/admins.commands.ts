import type { Db, OrgRow, Tx } from '../db.ts'
import { hashSecret, randomToken } from '../credentials/secrets.ts'
import { changeRole } from '../organizations/members/change-role.ts'
import { findMember, type Member } from '../organizations/members/find-members.queries.ts'
import { insertMembership } from '../organizations/members/members.queries.ts'
import { auditJoin, enqueueMemberState } from '../organizations/members/members.state.ts'
import { lockOrg } from '../organizations/orgs/orgs.queries.ts'
import { auditInvitation } from '../people/invitations/invitation-audit.ts'
import { putInvitation } from '../people/invitations/invitations.queries.ts'
import { lockUser } from '../people/users/own-sessions.queries.ts'
import { findUserByEmail } from '../people/users/users.queries.ts'
import { linesOf, linkTo } from './console-link.ts'
import { orgMissing } from './failures.ts'
import { printable, type Report } from './report.ts'

type Wanted = { email: string; consoleUrl: string | undefined }

/**
 * A member becomes an administrator, and so does somebody with an account whose address is verified. Others are invited:
 * anybody can sign up with an address, so an account does not prove that its holder is who the operator means.
 */
export async function addAdmin(db: Db, orgId: number, { email, consoleUrl }: Wanted): Promise<Report> {
  const token = randomToken()
  const { org, admin, changed, invitation } = await db.transaction().execute(async (tx) => {
    const locked = await lockOrg(tx, orgId)
    if (!locked) throw orgMissing(orgId)
    const user = await findUserByEmail(tx, email)
    const member = user && (await findMember(tx, orgId, user.id))
    if (member) {
      const promoted = await changeRole(tx, member, 'admin')
      return { org: locked, admin: promoted, changed: promoted !== member }
    }
    const joined = user && (await joinVerified(tx, orgId, user))
    if (joined) return { org: locked, admin: joined, changed: true }
    const tokenHash = hashSecret(token)
    const wanted = { email, role: 'admin', tokenHash, createdBy: null, mail: undefined } as const
    const row = await putInvitation(tx, orgId, wanted)
    await auditInvitation(tx, 'create', row)
    return { org: locked, changed: true, invitation: { email, expires_at: row.expires_at } }
  })
  const link = linkTo('accept-invitation', { token, consoleUrl })
  const user = admin ? { id: admin.id, name: admin.name, email: admin.email } : null
  const invited = invitation ? { ...invitation, link } : null
  const lines = user
    ? [
        `${printable(user.name)} <${printable(user.email)}> is an administrator of ${named(org)}${changed ? '' : ' already'}.`,
      ]
    : [
        `${printable(email)} can become an administrator of ${named(org)} with this link, once, until ${invitation?.expires_at}:`,
        ...linesOf(link, consoleUrl),
        'It is shown this once. Give it to this person only.',
      ]
  const json = { org: { id: org.id, name: org.name }, user, invitation: invited, changed }
  return { json, text: lines.join('\n') }
}

/** Undefined if nobody has verified the address of the account, or it has changed. */
async function joinVerified(
  tx: Tx,
  orgId: number,
  found: { id: number; email_key: string },
): Promise<Member | undefined> {
  const user = await lockUser(tx, found.id)
  if (user?.email_key !== found.email_key || user.email_verified_at === null) return undefined
  const membership = await insertMembership(tx, orgId, user.id, 'admin')
  await enqueueMemberState(tx, membership)
  await auditJoin(tx, membership)
  return findMember(tx, orgId, user.id)
}

const named = ({ id, name }: OrgRow) => `organization ${id} "${printable(name)}"`
