import { audit, SECRET } from '@whereabouts/db/outbox/audit'
import { auditUser } from '../users/user-audit.ts'
import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import { Reply, type Handlers } from '@whereabouts/service-kit/http/serve'
import { belongsElsewhere, invalidResetLink, memberNotFound, ownResetLink } from '../../errors.ts'
import { lockMembersAsAdmin, userOf } from '../../organizations/members/acting-member.ts'
import { belongsToAnotherOrg, findMember } from '../../organizations/members/find-members.queries.ts'
import { findMembership } from '../../organizations/members/members.queries.ts'
import { hashSecret, NO_STORE, randomToken } from '../../credentials/secrets.ts'
import { enqueueChainEnds } from '../../credentials/tokens/chains.ts'
import { endOtherSessions, findUser, lockUser, updatePassword } from '../users/own-sessions.queries.ts'
import { endProofs } from '../mailboxes/mailbox-proofs.queries.ts'
import { proveMailbox } from '../mailboxes/prove-mailbox.ts'
import { refuseEmailAsPassword } from '../users/password-rules.ts'
import type { PasswordHash } from '../users/passwords.ts'
import type { UserDeps } from '../users/user-deps.ts'
import { findResetUser, putResetLink, spendResetLinks } from './reset-links.queries.ts'

/** Passwords are recovered by link (ADR 54). The operator's links come from `ops/users.commands.ts`. */
export function passwordResetHandlers(
  deps: UserDeps,
): Pick<Handlers<'keys'>, 'createResetLink' | 'forgotPassword' | 'resetPassword'> {
  const { tenants, db, passwords, attempts, mails, onChange } = deps

  /** The user row is locked, so that no session starts with the old password, and no organization is joined. */
  const choosePassword = (userId: number, tokenHash: Buffer, hash: PasswordHash): Promise<void> =>
    db.transaction().execute(async (tx) => {
      await lockUser(tx, userId)
      const link = await findResetUser(tx, tokenHash)
      if (link?.userId !== userId) throw invalidResetLink()
      await updatePassword(tx, userId, hash)
      await auditUser(tx, userId, { action: 'user.update', changes: { password: SECRET } })
      await endProofs(tx, userId)
      if (link.byMail) await proveMailbox(tx, userId)
      await enqueueChainEnds(tx, await endOtherSessions(tx, userId, undefined))
      // After the sessions: a removal of a member locks in this order too.
      if (!(await spendResetLinks(tx, userId, tokenHash))) throw invalidResetLink()
    })

  return {
    async createResetLink({ principal, params: { user_id: userId } }) {
      const { orgId } = principal
      if (userId === userOf(principal)) throw ownResetLink()
      if (!(await findMember(tenants.forOrg(orgId), orgId, userId))) throw memberNotFound()
      // For a plain answer only: the link is checked again when it is used.
      if (await belongsToAnotherOrg(db, orgId, userId)) throw belongsElsewhere()
      const token = randomToken()
      const expires_at = await tenants.transaction(orgId, async (tx) => {
        const acting = await lockMembersAsAdmin(tx, principal)
        if (!(await findMembership(tx, orgId, userId))) throw memberNotFound()
        const org = { id: orgId, createdBy: acting.userId }
        await audit(tx, orgId, { action: 'reset_link.create', subject: { type: 'reset_link', id: userId } })
        return putResetLink(tx, { userId, tokenHash: hashSecret(token), org })
      })
      return new Reply({ data: { token, expires_at } }, NO_STORE)
    },

    // The loop that sends the mail looks for the user: an answer, and its time, must not tell who has an account.
    async forgotPassword({ body: { email }, clientAddress }) {
      await attempts.admit(clientAddress)
      if (!mails.isConfigured || !(await attempts.mayMail('password_reset', email))) return undefined
      await mails.write(db, { id: mails.newId(), template: 'password_reset', to: email, values: {} })
      onChange()
      return undefined
    },

    async resetPassword({ body: { token, password }, clientAddress }) {
      await attempts.admit(clientAddress)
      const tokenHash = hashSecret(token)
      const link = await findResetUser(db, tokenHash)
      const user = link && (await findUser(db, link.userId))
      if (!user) throw invalidResetLink()
      refuseEmailAsPassword('password', password, user.email)
      const hash = await passwords.hash(addressBlock(clientAddress), password)
      await choosePassword(user.id, tokenHash, hash)
      onChange()
      return undefined
    },
  }
}
