import { invalidToken, validationFailed } from '@whereabouts/service-kit/errors/errors'
import { changesOf, SECRET } from '@whereabouts/db/outbox/audit'
import type { BodyOf } from '@whereabouts/contracts/routes'
import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import type { AppError } from '@whereabouts/service-kit/errors/app-error'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { InvitationRow, Tx, UserRow } from '../../db.ts'
import { invalidInvitation, invalidLogin, invitationUnusable, invitedSomebodyElse } from '../../errors.ts'
import { userOf } from '../../organizations/members/acting-member.ts'
import { insertMembership } from '../../organizations/members/members.queries.ts'
import { auditJoin, enqueueMemberState } from '../../organizations/members/members.state.ts'
import { lockOrg } from '../../organizations/orgs/orgs.queries.ts'
import { required } from '../../credentials/tokens/credentials.ts'
import { hashSecret } from '../../credentials/secrets.ts'
import { currentUser } from '../users/current-user.ts'
import { enqueueChainEnds } from '../../credentials/tokens/chains.ts'
import { endLinks } from '../mailboxes/mailbox-proofs.queries.ts'
import { proveMailbox } from '../mailboxes/prove-mailbox.ts'
import {
  endOtherSessions,
  findUser,
  lockUser,
  updateName,
  updatePassword,
} from '../users/own-sessions.queries.ts'
import type { PasswordHash } from '../users/passwords.ts'
import { checkPassword, isUnchanged } from '../users/password-check.ts'
import { checkCode } from '../second-factor/code-check.ts'
import { checkNewPassword } from '../users/password-rules.ts'
import { openSession, sessionReply } from '../users/sessions.ts'
import { auditUser } from '../users/user-audit.ts'
import type { UserDeps } from '../users/user-deps.ts'
import { findUserByEmail, insertUser, type NewUser } from '../users/users.queries.ts'
import { describeInvitation, findInvitation, takeInvitation } from './invitations.queries.ts'

/**
 * A registered user has proved who they are, by what was checked if they have no session. An owner reads the mailbox
 * of an account whose address nobody has verified, and takes it over.
 */
type Guest =
  | { id: number; checked?: UserRow }
  | { owned: UserRow; name: string; hash: PasswordHash }
  | NewUser

type AcceptanceOperation = 'describeInvitation' | 'acceptInvitation' | 'joinOrg'

/**
 * Joining with the token of an invitation. That of the link which an administrator hands over does not prove who holds
 * the invited address. That of the mail does: it verifies the address, and where nobody has verified it, its holder
 * needs no password of who signed up with it (ADR 124).
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
      const proof = provesMailbox(invitation, body.token)
      await db
        .transaction()
        .execute((tx) => join(tx, invitation, { id: user.id }, { proof, gone: invitationUnusable }))
      onChange()
      return { data: await currentUser(deps, principal) }
    },

    async acceptInvitation({ body, clientAddress }) {
      await attempts.admit(clientAddress)
      const invitation = await findInvitation(db, hashSecret(body.token))
      if (!invitation) throw invalidInvitation()
      const guest = await guestOf(deps, invitation, body, clientAddress)
      const proof = provesMailbox(invitation, body.token)
      await accessTokens.prepare()
      const session = await db
        .transaction()
        .execute(async (tx) =>
          startSession(
            tx,
            invitation.org_id,
            await join(tx, invitation, guest, { proof, gone: invalidInvitation }),
          ),
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
  invitation: InvitationRow,
  { token, name, password, code }: BodyOf<'acceptInvitation'>,
  clientAddress: string,
): Promise<Guest> {
  const { email } = invitation
  if (password === undefined) throw validationFailed([required('password')])
  if (name !== undefined) {
    checkNewPassword(password, email)
    const hash = () => deps.passwords.hash(addressBlock(clientAddress), password)
    const user = await findUserByEmail(deps.db, email)
    if (!user) return { name, email, ...(await hash()) }
    if (user.email_verified_at === null && provesMailbox(invitation, token)) {
      // A mailbox is not a second factor, also where it stands for the password.
      await checkCode(deps, user, code)
      return { owned: user, name, hash: await hash() }
    }
  }
  const checked = await checkPassword(deps, { email, password, code, clientAddress })
  return { id: checked.id, checked }
}

/** Returns the user's id. `gone` is the error if somebody was faster. */
async function join(
  tx: Tx,
  { org_id, id }: InvitationRow,
  guest: Guest,
  { proof, gone }: { proof: boolean; gone: () => AppError },
): Promise<number> {
  await lockOrg(tx, org_id)
  const invitation = await takeInvitation(tx, org_id, id)
  if (!invitation) throw gone()
  const userId = await admit(tx, guest)
  const membership = await insertMembership(tx, org_id, userId, invitation.role)
  await enqueueMemberState(tx, membership)
  await auditJoin(tx, membership, { type: 'user', id: userId })
  if (proof) await proveMailbox(tx, userId)
  return userId
}

async function admit(tx: Tx, guest: Guest): Promise<number> {
  if ('id' in guest) return lockGuest(tx, guest)
  return 'owned' in guest ? takeOver(tx, guest) : insertUser(tx, guest)
}

/** The person who signed up with the address loses it: password, sessions and links. Throws 401 if it was verified meanwhile. */
async function takeOver(
  tx: Tx,
  { owned, name, hash }: { owned: UserRow; name: string; hash: PasswordHash },
): Promise<number> {
  const { id } = owned
  const now = await lockUser(tx, id)
  if (!now || now.email_verified_at !== null || now.second_factor_at !== owned.second_factor_at)
    throw invalidLogin()
  await updateName(tx, id, name)
  await updatePassword(tx, id, hash)
  const changes = { ...changesOf({ name: now.name }, { name }), password: SECRET }
  await auditUser(tx, id, { action: 'user.update', changes })
  await enqueueChainEnds(tx, await endOtherSessions(tx, id, undefined))
  await endLinks(tx, id)
  return id
}

const provesMailbox = ({ mail_token_hash }: InvitationRow, token: string): boolean =>
  mail_token_hash?.equals(hashSecret(token)) ?? false

/** Throws 401 if the password was changed in between: then the guest may not be the user any more. */
async function lockGuest(tx: Tx, { id, checked }: { id: number; checked?: UserRow }): Promise<number> {
  const now = await lockUser(tx, id)
  if (checked && !isUnchanged(now, checked)) throw invalidLogin()
  return id
}

async function startSession(tx: Tx, orgId: number, userId: number) {
  const session = await openSession(tx, orgId, userId)
  if (!session) throw new Error('a membership is missing in the transaction that created it')
  return session
}
