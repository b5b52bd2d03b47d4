import {
  mailAlerts,
  postChat,
  resealChats,
  sealChats,
  unknownRecipients,
  type AlertMails,
  type AlertNotice,
  type ChatResult,
  type SealedChat,
} from '@whereabouts/contracts/messages/alerts/alert-notices'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { request } from '@whereabouts/messaging/messages/request'
import type { z } from 'zod'
import type { StoredChat } from '../settings/stored-notify.ts'

const SHORT_MS = 5_000
/** Three attempts of five seconds, the pauses between them, and the way. */
const POST_MS = 30_000

type SealedOrProblem = { sealed: SealedChat; shown: string } | { problem: string }

/** The ways to people: keys writes mails, and the dispatcher posts to addresses that only it can read. */
export type Channels = {
  /** Those of these addresses that no mail may go to. */
  unknownRecipients: (orgId: number, emails: readonly string[]) => Promise<string[]>
  seal: (orgId: number, urls: readonly string[]) => Promise<SealedOrProblem[]>
  /** Null: as it is. */
  reseal: (chats: readonly { org_id: number; sealed: SealedChat }[]) => Promise<(SealedChat | null)[]>
  /** Once for each `id`. */
  mail: (orgId: number, to: readonly string[], id: string, notice: AlertNotice) => Promise<AlertMails>
  post: (orgId: number, chat: StoredChat, attempts: 1 | 3, notice: AlertNotice) => Promise<ChatResult>
}

type Question<Q, A> = { subject: string; request: z.ZodType<Q>; reply: z.ZodType<A> }

/** Each rejects with a RequestError if nobody answers. */
export function channelsOver(broker: () => Broker): Channels {
  const ask = async <Q, A>(
    { subject, reply }: Question<Q, A>,
    payload: Q,
    timeoutMs = SHORT_MS,
  ): Promise<A> => reply.parse(await request(broker(), subject, payload, { timeoutMs }))
  return {
    unknownRecipients: async (orgId, emails) =>
      (await ask(unknownRecipients, { org_id: orgId, emails: [...emails] })).unknown,
    seal: async (orgId, urls) => (await ask(sealChats, { org_id: orgId, urls: [...urls] })).chats,
    reseal: async (chats) => (await ask(resealChats, { chats: [...chats] })).chats,
    mail: async (orgId, to, id, notice) =>
      (await ask(mailAlerts, { org_id: orgId, to: [...to], id, notice })).mails,
    post: async (orgId, { kind, sealed }, attempts, notice) =>
      ask(postChat, { org_id: orgId, kind, sealed, attempts, notice }, POST_MS),
  }
}
