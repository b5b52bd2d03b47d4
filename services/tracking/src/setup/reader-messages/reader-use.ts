import { readerUse } from '@whereabouts/contracts/messages/reader-use'
import type { ReaderMessageView } from '@whereabouts/contracts/resources/tracking/reader-messages'
import { KEPT_MESSAGES } from '@whereabouts/contracts/resources/tracking/reader-messages'
import { epochMs } from '@whereabouts/contracts/rules/instant'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { request, RequestError } from '@whereabouts/messaging/messages/request'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import type { Db } from '../../db.ts'
import { findLastSeen } from '../../readers/health/reader-health.queries.ts'
import { nothingArrived } from '../../readers/health/problem-message.ts'
import { listReaderMessages } from '../../readers/health/reader-messages.queries.ts'

/** When a device last used a key that is bound to the reader; null if none did. */
export type AskReaderUse = (orgId: number, readerKey: string) => Promise<string | null>

const TIMEOUT_MS = 2_000

/** Asks keys. Throws 503 if it does not answer; keys of the release before does not know the question. */
export const askReaderUseOver =
  (broker: Broker): AskReaderUse =>
  async (orgId, readerKey) => {
    const question = { org_id: orgId, reader_key: readerKey }
    try {
      const answer = await request(broker, readerUse.subject, question, { timeoutMs: TIMEOUT_MS })
      return readerUse.reply.parse(answer).used_at
    } catch (error) {
      if (error instanceof RequestError && error.failure === 'no_responders') return null
      throw serviceUnavailable(error)
    }
  }

/** The broker reports use once a minute while a device is connected, so the report may be that much newer than the message. */
const LATE_MS = 120_000

/** The messages of a reader with a problem, newest first, and what the broker did not let through (ADR 109). */
export async function messagesOf(
  db: Db,
  askReaderUse: AskReaderUse,
  orgId: number,
  readerKey: string,
): Promise<ReaderMessageView[]> {
  const [usedAt, heardAt, messages] = await Promise.all([
    askReaderUse(orgId, readerKey),
    findLastSeen(db, orgId, readerKey),
    listReaderMessages(db, orgId, readerKey),
  ])
  if (usedAt === null || (heardAt !== null && epochMs(usedAt) - epochMs(heardAt) < LATE_MS)) return messages
  const lost = {
    id: epochMs(usedAt), // no row has it; the same for the same use
    received_at: usedAt,
    via: 'broker',
    subject: '',
    size: 0,
    head: '',
    problems: [nothingArrived(orgId, readerKey)],
  }
  return [lost, ...messages].slice(0, KEPT_MESSAGES)
}
