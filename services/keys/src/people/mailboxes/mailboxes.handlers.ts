import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import { invalidToken } from '@whereabouts/service-kit/errors/errors'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tx, UserRow } from '../../db.ts'
import { invalidMailLink, tooManyAttempts, wrongPassword } from '../../errors.ts'
import { hashSecret } from '../../credentials/secrets.ts'
import { userOf } from '../../organizations/members/acting-member.ts'
import { findUser, lockUser } from '../users/own-sessions.queries.ts'
import { auditUser } from '../users/user-audit.ts'
import type { UserDeps } from '../users/user-deps.ts'
import { endLinks, findProof, updateEmail } from './mailbox-proofs.queries.ts'
import { proveMailbox } from './prove-mailbox.ts'
import { writeProof } from './write-proof.ts'

type MailboxOperation = 'sendVerification' | 'verifyEmail' | 'changeEmail' | 'confirmEmail'

/** Users prove that they read the mailbox of their address, or of the one they want (ADR 124). */
export function mailboxHandlers(deps: UserDeps): Pick<Handlers<'keys'>, MailboxOperation> {
  const { db, passwords, attempts, mails, onChange } = deps

  /** Runs `use` with the user of the token, locked. Throws 401 unless the mail went to the address that `isFor` accepts. */
  async function useProof(
    token: string,
    isFor: (user: UserRow, emailKeyOfMail: string) => boolean,
    use: (tx: Tx, user: UserRow, email: string) => Promise<void>,
  ): Promise<void> {
    const tokenHash = hashSecret(token)
    const found = await findProof(db, tokenHash)
    if (!found) throw invalidMailLink()
    await db.transaction().execute(async (tx) => {
      const user = await lockUser(tx, found.user_id)
      const proof = await findProof(tx, tokenHash) // again under the lock: of two uses at once, one wins
      if (!user || !proof || !isFor(user, proof.email_key)) throw invalidMailLink()
      await use(tx, user, proof.email)
    })
    onChange()
  }

  return {
    async sendVerification({ principal }) {
      const user = await findUser(db, userOf(principal))
      if (!user) throw invalidToken()
      if (!mails.isConfigured) return { data: { mail: 'not configured' } }
      if (!(await attempts.mayMail('verification', user.email))) throw tooManyAttempts(1200)
      await db
        .transaction()
        .execute((tx) => writeProof(tx, mails, { template: 'verification', userId: user.id, to: user.email }))
      onChange()
      return { data: { mail: 'sent' } }
    },

    // The link may be opened again: it changes nothing then.
    async verifyEmail({ body, clientAddress }) {
      await attempts.admit(clientAddress)
      await useProof(
        body.token,
        (user, key) => user.email_key === key,
        (tx, { id }) => proveMailbox(tx, id),
      )
      return undefined
    },

    // Requires the password, because the access token may be stolen. The answer does not tell if the address is taken.
    async changeEmail({ principal, body, clientAddress }) {
      await attempts.admit(clientAddress)
      const user = await findUser(db, userOf(principal))
      if (!user) throw invalidToken()
      const attempt = await attempts.onAccount(user.email, clientAddress)
      if (!(await passwords.matches(addressBlock(clientAddress), body.password, user))) throw wrongPassword()
      await attempt.succeeded()
      if (!mails.isConfigured) return { data: { mail: 'not configured' } }
      if (!(await attempts.mayMail('email_change', body.email))) throw tooManyAttempts(1200)
      const mail = { template: 'email_change', userId: user.id, to: body.email } as const
      await db.transaction().execute((tx) => writeProof(tx, mails, mail))
      onChange()
      return { data: { mail: 'sent' } }
    },

    async confirmEmail({ body, clientAddress }) {
      await attempts.admit(clientAddress)
      await useProof(
        body.token,
        (user, key) => user.email_key !== key,
        async (tx, { id, email: before }, email) => {
          await updateEmail(tx, id, email)
          await auditUser(tx, id, {
            action: 'user.update',
            changes: { email: { from: before, to: email } },
          })
          await endLinks(tx, id)
          await mails.write(tx, {
            id: mails.newId(),
            template: 'email_changed',
            to: before,
            values: { email },
          })
        },
      )
      return undefined
    },
  }
}
