import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Db, MailRow, Tx } from '../../db.ts'
import { hashSecret } from '../../credentials/secrets.ts'
import { findRecipients } from '../alerts/recipients.queries.ts'
import { putMailedLink } from '../password-resets/reset-links.queries.ts'
import { findUserByEmail } from '../users/users.queries.ts'
import { claimMail, deleteMail, noteUndelivered, takeExpiredMails } from './mail.queries.ts'
import type { Mails } from './mails.ts'
import type { ValuesOf } from './texts.en.ts'
import type { Outcome, Smtp } from './smtp.ts'

export type MailDeps = {
  db: Db
  mails: Mails
  smtp: Pick<Smtp, 'send'>
  log: Logger
  onOutcome: (outcome: Outcome['kind'] | 'expired') => void
}

/**
 * Sends all mails that are due. Replicas share the work: one claims a mail, and the claim lasts longer than the attempt.
 * A process that dies after the server took the mail and before the row is deleted leaves it to a second attempt, with
 * the same link.
 */
export async function sendMails(deps: MailDeps, stopping: AbortSignal): Promise<void> {
  await dropExpired(deps)
  while (!stopping.aborted) {
    const claimed = await deps.db.transaction().execute((tx) => claim(tx, deps.mails))
    if (!claimed) return
    if (claimed !== 'nobody') await attempt(deps, claimed)
  }
}

/** A request for a new password names an address only; here is the first look for its user, which no answer waits for. */
async function claim(tx: Tx, mails: Mails): Promise<MailRow | 'nobody' | undefined> {
  const mail = await claimMail(tx)
  if (mail?.template === 'alerts' && !(await isStillRecipient(tx, mail))) {
    await deleteMail(tx, mail.id)
    return 'nobody'
  }
  if (mail?.template !== 'password_reset') return mail
  const user = await findUserByEmail(tx, mail.recipient)
  if (!user) {
    await deleteMail(tx, mail.id)
    return 'nobody'
  }
  const link = { userId: user.id, tokenHash: hashSecret(mails.tokenOf(mail.id)) }
  await putMailedLink(tx, { ...link, mailId: mail.id, expiresAt: mail.expires_at })
  // To the address as its user wrote it: other spellings of the key may be other mailboxes.
  return { ...mail, recipient: user.email }
}

/** Who left the organization meanwhile, or changed the address, learns no more of it. */
async function isStillRecipient(tx: Tx, { recipient, details }: MailRow): Promise<boolean> {
  const { org_id } = details as ValuesOf<'alerts'>
  const [found] = await findRecipients(tx, org_id, [recipient])
  return found?.isVerified === true
}

async function attempt({ db, mails, smtp, log, onOutcome }: MailDeps, mail: MailRow): Promise<void> {
  const outcome = await smtp.send(mail.recipient, mails.letterOf(mail))
  onOutcome(outcome.kind)
  const { id: mail_id, template, attempts } = mail
  if (outcome.kind === 'failed') {
    log.warn({ err: outcome.error, mail_id, template, attempts }, 'mail could not be sent; will retry')
    return
  }
  if (outcome.kind === 'refused') {
    log.warn({ err: outcome.error, mail_id, template }, 'mail was refused by the server')
    await noteUndelivered(db, mail_id)
  }
  await deleteMail(db, mail_id)
}

async function dropExpired({ db, log, onOutcome }: MailDeps): Promise<void> {
  for (const { id: mail_id, template, attempts } of await takeExpiredMails(db, 1_000)) {
    onOutcome('expired')
    log.warn({ mail_id, template, attempts }, 'mail expired before the server took it')
    await noteUndelivered(db, mail_id)
  }
}
