import { invalidToken, validationFailed } from '@whereabouts/service-kit/errors/errors'
import type { BodyOf } from '@whereabouts/contracts/routes'
import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import type { AppError } from '@whereabouts/service-kit/errors/app-error'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { InvitationRow, Tx } from '../../db.ts'
import { invalidInvitation, invalidLogin, invitationUnusable, invitedSomebodyElse } from '../../errors.ts'
import { userOf } from '../../organizations/members/acting-member.ts'
import { insertMembership } from '../../organizations/members/members.queries.ts'
import { auditJoin, enqueueMemberState } from '../../organizations/members/members.state.ts'
import { lockOrg } from '../../organizations/orgs/orgs.queries.ts'
import { required } from '../../credentials/tokens/credentials.ts'
import { hashSecret } from '../../credentials/secrets.ts'
import { currentUser } from '../users/current-user.ts'
import { findUser, lockUser } from '../users/own-sessions.queries.ts'
import { checkPassword } from '../users/password-check.ts'
import { checkNewPassword } from '../users/password-rules.ts'
import { openSession, sessionReply } from '../users/sessions.ts'
import type { UserDeps } from '../users/user-deps.ts'
import { findUserByEmail, insertUser, type NewUser } from '../users/users.queries.ts'
import { describeInvitation, findInvitation, takeInvitation } from './invitations.queries.ts'

/** A registered user has proved who they are, with the password of this hash if there is one. */
type Guest = { id: number; passwordHash?: Buffer } | NewUser

type AcceptanceOperation = 'describeInvitation' | 'acceptInvitation' | 'joinOrg'

/**
 * Joining with the token of an invitation. The token names the invited address, but does not prove who holds it. A
 * registered address joins only with its user's password.
 */
export function acceptanceHandler(deps: UserDeps): Pick<Handlers<'keys'>, AcceptanceOperation> {
  const { db, attempts, accessTokens, onChange } = deps
  return {
    async describeInvitation({ body, clientAddress }) {
      await attempts.admit(clientAddress)
      const found = await describeInvitation(db, hashSecret(body.token))
      if (!found) throw invitationUnusable()
      const { org_id, org_name, ...shown } = found
      return { data: { ...shown, org: { id: org_id, name: org_name } } }
    },

    async joinOrg({ principal, body, clientAddress }) {
      await attempts.admit(clientAddress)
      const invitation = await findInvitation(db, hashSecret(body.token))
      if (!invitation) throw invitationUnusable()
      const user = await findUser(db, userOf(principal))
      if (!user) throw invalidToken()
      if (user.email_key !== invitation.email_key) throw invitedSomebodyElse()
      await db.transaction().execute((tx) => join(tx, invitation, { id: user.id }, invitationUnusable))
      onChange()
      return { data: await currentUser(deps, principal) }
    },

    async acceptInvitation({ body, clientAddress }) {
      await attempts.admit(clientAddress)
      const invitation = await findInvitation(db, hashSecret(body.token))
      if (!invitation) throw invalidInvitation()
      const guest = await guestOf(deps, invitation.email, body, clientAddress)
      await accessTokens.prepare()
      const session = await db
        .transaction()
        .execute(async (tx) =>
          startSession(tx, invitation.org_id, await join(tx, invitation, guest, invalidInvitation)),
        )
      onChange()
      return sessionReply(accessTokens, session)
    },
  }
}

/**
 * A new user if a name is sent and the address is free. Otherwise the password is limited and checked as for a login: an
 * invitation gives no extra guesses, and a free address without a name gets the answer of a wrong password. The password
 * that comes with a name is checked first, or the error would tell whether the address is registered.
 */
async function guestOf(
  deps: UserDeps,
  email: string,
  { name, password }: BodyOf<'acceptInvitation'>,
  clientAddress: string,
): Promise<Guest> {
  if (password === undefined) throw validationFailed([required('password')])
  if (name !== undefined) {
    checkNewPassword(password, email)
    if (!(await findUserByEmail(deps.db, email)))
      return { name, email, ...(await deps.passwords.hash(addressBlock(clientAddress), password)) }
  }
  const { id, password_hash } = await checkPassword(deps, { email, password, clientAddress })
  return { id, passwordHash: password_hash }
}

/** Returns the user's id. `gone` is the error if somebody was faster. */
async function join(
  tx: Tx,
  { org_id, id }: InvitationRow,
  guest: Guest,
  gone: () => AppError,
): Promise<number> {
  await lockOrg(tx, org_id)
  const invitation = await takeInvitation(tx, org_id, id)
  if (!invitation) throw gone()
  const userId = 'id' in guest ? await lockGuest(tx, guest) : await insertUser(tx, guest)
  const membership = await insertMembership(tx, org_id, userId, invitation.role)
  await enqueueMemberState(tx, membership)
  await auditJoin(tx, membership, { type: 'user', id: userId })
  return userId
}

/** Throws 401 if the password was changed in between: then the guest may not be the user any more. */
async function lockGuest(
  tx: Tx,
  { id, passwordHash }: { id: number; passwordHash?: Buffer },
): Promise<number> {
  const now = await lockUser(tx, id)
  if (passwordHash && !now?.password_hash.equals(passwordHash)) throw invalidLogin()
  return id
}

async function startSession(tx: Tx, orgId: number, userId: number) {
  const session = await openSession(tx, orgId, userId)
  if (!session) throw new Error('a membership is missing in the transaction that created it')
  return session
}
