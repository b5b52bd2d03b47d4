import { createHash } from 'node:crypto'
import {
  mailAlerts,
  unknownRecipients,
  type AlertMails,
} from '@whereabouts/contracts/messages/alerts/alert-notices'
import { ADMINS } from '@whereabouts/contracts/resources/rules/notify'
import { answering } from '@whereabouts/messaging/messages/request'
import type { Db } from '../../db.ts'
import { emailKey } from '../../emails.ts'
import type { Mails } from '../mail/mails.ts'
import { findRecipients, listAdmins } from './recipients.queries.ts'

export type AlertMailDeps = { db: Db; mails: Mails; onMail: () => void }

/** Answers `rpc.keys.unknown-recipients`: addresses that no alert may be mailed to (D14.8). */
export const { answer: answerUnknownRecipients, serve: serveUnknownRecipients } = answering(
  unknownRecipients,
  'not addresses of an organization',
  async ({ db }: Pick<AlertMailDeps, 'db'>, { org_id, emails }) => {
    const found = await findRecipients(db, org_id, emails)
    const known = new Set(found.flatMap((one) => (one.isVerified ? [one.email_key] : [])))
    return { unknown: emails.filter((email) => !known.has(emailKey(email))) }
  },
)

/** Answers `rpc.keys.mail-alerts`. The loop of mails sends them, and looks again whether they may go. */
export const { answer: answerMailAlerts, serve: serveMailAlerts } = answering(
  mailAlerts,
  'not a mail about alerts',
  async ({ db, mails, onMail }: AlertMailDeps, { org_id, id, to, notice }) => {
    const recipients = await recipientsOf(db, org_id, to)
    if (!mails.isConfigured)
      return { mails: recipients.map((one) => ({ to: one.to, mail: 'not configured' as const })) }
    for (const one of recipients)
      if (one.email !== undefined)
        await mails.write(db, {
          id: mailId(id, one.email),
          template: 'alerts',
          to: one.email,
          values: { org_id, notice },
        })
    onMail()
    return {
      mails: recipients.map(({ to: address, email }): AlertMails[number] => ({
        to: address,
        mail: email === undefined ? 'address not verified' : 'sent',
      })),
    }
  },
)

/** Each person once. `email` is undefined where none may be sent. */
async function recipientsOf(
  db: Db,
  orgId: number,
  to: readonly string[],
): Promise<{ to: string; email: string | undefined }[]> {
  const [named, admins] = await Promise.all([
    findRecipients(
      db,
      orgId,
      to.filter((one) => one !== ADMINS),
    ),
    to.includes(ADMINS) ? listAdmins(db, orgId) : [],
  ])
  const byKey = new Map([...named, ...admins].map((one) => [one.email_key, one]))
  const keys = [
    ...to.filter((one) => one !== ADMINS).map((one) => [emailKey(one), one] as const),
    ...admins.map((one) => [one.email_key, one.email] as const),
  ]
  return [...new Map(keys)].map(([key, address]) => {
    const found = byKey.get(key)
    return { to: address, email: found?.isVerified === true ? found.email : undefined }
  })
}

/** The same for the same question, so that one that is asked again writes no second mail while the first waits. */
function mailId(id: string, email: string): string {
  const hex = createHash('sha256').update(`${id} ${email}`).digest('hex')
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
