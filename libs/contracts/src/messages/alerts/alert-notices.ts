import { z } from 'zod'
import { chatKinds } from '../../resources/rules/notify.ts'

/** What people read of alerts of a rule, in plain text. `notes`: what is to be said of all of it. */
export const AlertNotice = z.object({
  rule: z.object({ id: z.int(), name: z.string() }),
  severity: z.string(),
  title: z.string(),
  lines: z.array(z.string()).max(50),
  notes: z.array(z.string()).max(5),
})
export type AlertNotice = z.infer<typeof AlertNotice>

/** Asks which of these addresses are not the verified address of a member of the organization. */
export const unknownRecipients = {
  subject: 'rpc.keys.unknown-recipients',
  request: z.object({ org_id: z.int(), emails: z.array(z.string()).max(20) }),
  reply: z.object({ unknown: z.array(z.string()) }),
} as const

/** Asks for mails about alerts: once for each `id`, however often it is asked. */
export const mailAlerts = {
  subject: 'rpc.keys.mail-alerts',
  request: z.object({
    org_id: z.int(),
    id: z.guid(),
    to: z.array(z.string()).max(20),
    notice: AlertNotice,
  }),
  reply: z.object({
    mails: z.array(
      z.object({ to: z.string(), mail: z.enum(['sent', 'not configured', 'address not verified']) }),
    ),
  }),
} as const
export type AlertMails = z.output<typeof mailAlerts.reply>['mails']

/** An address of a channel as only the dispatcher can read it. */
const Sealed = z.object({ ciphertext: z.base64(), key_id: z.string() })
export type SealedChat = z.output<typeof Sealed>

/** Asks to encrypt addresses of channels. `shown`: what people may see. `problem`: why one cannot be used. */
export const sealChats = {
  subject: 'rpc.webhook-dispatcher.seal-chats',
  request: z.object({ org_id: z.int(), urls: z.array(z.string()).max(5) }),
  reply: z.object({
    chats: z.array(
      z.union([z.object({ sealed: Sealed, shown: z.string() }), z.object({ problem: z.string() })]),
    ),
  }),
} as const

/** Asks to encrypt addresses with the key of now. Null: it is, or it cannot be read any more. */
export const resealChats = {
  subject: 'rpc.webhook-dispatcher.reseal-chats',
  request: z.object({ chats: z.array(z.object({ org_id: z.int(), sealed: Sealed })).max(500) }),
  reply: z.object({ chats: z.array(Sealed.nullable()) }),
} as const

/** Asks to post to a channel, at most `attempts` times. `status_code` and `error` are those of the last attempt. */
export const postChat = {
  subject: 'rpc.webhook-dispatcher.post-chat',
  request: z.object({
    org_id: z.int(),
    kind: z.enum(chatKinds),
    sealed: Sealed,
    attempts: z.int().min(1).max(3),
    notice: AlertNotice,
  }),
  reply: z.object({ status_code: z.int().nullable(), error: z.string().nullable() }),
} as const
export type ChatResult = z.output<typeof postChat.reply>
