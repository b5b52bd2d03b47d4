import { rejectIfAny } from '@whereabouts/service-kit/errors'
import type { BodyOf } from '@whereabouts/contracts/routes'
import { addressBlock } from '@whereabouts/service-kit/address-block'
import type { Handlers } from '@whereabouts/service-kit/serve'
import type { InvitationRow, Tx, UserRow } from '../db.ts'
import { invalidInvitation } from '../errors.ts'
import { insertMembership } from '../members/members.queries.ts'
import { enqueueMemberState } from '../members/members.state.ts'
import { lockOrg } from '../orgs/orgs.queries.ts'
import { required } from '../tokens/credentials.ts'
import { hashSecret } from '../secrets.ts'
import { checkPassword } from '../users/password-check.ts'
import { checkNewPassword } from '../users/password-rules.ts'
import { openSession, sessionReply } from '../users/sessions.ts'
import type { UserDeps } from '../users/user-deps.ts'
import { findUserByEmail, insertUser, type NewUser } from '../users/users.queries.ts'
import { findInvitation, takeInvitation } from './invitations.queries.ts'

type Guest = { id: number } | NewUser

/**
 * Joining with the token of an invitation. The token names the invited address, but does not prove who holds it. A
 * registered address joins only with its user's password.
 */
export function acceptanceHandler(deps: UserDeps): Pick<Handlers<'keys'>, 'acceptInvitation'> {
  const { db, attempts, accessTokens, onChange } = deps
  return {
    async acceptInvitation({ body, clientAddress }) {
      await attempts.admit(clientAddress)
      const invitation = await findInvitation(db, hashSecret(body.token))
      if (!invitation) throw invalidInvitation()
      const user = await findUserByEmail(db, invitation.email)
      const guest = user
        ? await existingUser(deps, user, body, clientAddress)
        : await newUser(deps, invitation.email, body, clientAddress)
      await accessTokens.prepare()
      const session = await db.transaction().execute((tx) => join(tx, invitation, guest))
      onChange()
      return sessionReply(accessTokens, session)
    },
  }
}

type Accepting = BodyOf<'acceptInvitation'>

/** Limits and checks the password as for a login, so that an invitation gives no extra guesses. */
async function existingUser(
  deps: UserDeps,
  user: UserRow,
  { password }: Accepting,
  clientAddress: string,
): Promise<Guest> {
  if (password === undefined) rejectIfAny([required('password')])
  await checkPassword(deps, { email: user.email, password: password ?? '', clientAddress })
  return { id: user.id }
}

async function newUser(
  { passwords }: UserDeps,
  email: string,
  { name, password }: Accepting,
  clientAddress: string,
): Promise<Guest> {
  rejectIfAny([
    ...(name === undefined ? [required('name')] : []),
    ...(password === undefined ? [required('password')] : []),
  ])
  checkNewPassword(password ?? '', email)
  return { name: name ?? '', email, ...(await passwords.hash(addressBlock(clientAddress), password ?? '')) }
}

async function join(tx: Tx, { org_id, id }: InvitationRow, guest: Guest) {
  await lockOrg(tx, org_id)
  const invitation = await takeInvitation(tx, org_id, id)
  if (!invitation) throw invalidInvitation()
  const userId = 'id' in guest ? guest.id : await insertUser(tx, guest)
  await enqueueMemberState(tx, await insertMembership(tx, org_id, userId, invitation.role))
  const session = await openSession(tx, org_id, userId)
  if (!session) throw new Error('a membership is missing in the transaction that created it')
  return session
}
