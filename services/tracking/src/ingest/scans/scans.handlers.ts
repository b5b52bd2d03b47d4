import { BURST_SECONDS } from '@whereabouts/contracts/messages/reader-rates'
import { scanSubject } from '@whereabouts/contracts/messages/subjects/scan-subject'
import type { DecodedMessage } from '@whereabouts/contracts/resources/tracking/reader-messages'
import type { Principal } from '@whereabouts/contracts/principal'
import type { OutgoingMessage } from '@whereabouts/messaging/messages/publish'
import { invalidToken, serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import { RateBuckets } from '@whereabouts/service-kit/limits/rate-buckets'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import { otherReaderOnly, ownKeyOnly, tooManyMessages } from '../../errors.ts'
import { type Received, VIA_HEADER } from '../../readers/health/problem-message.ts'
import type { KeyRates } from '../rate/key-rates.ts'

export type ScanDeps = {
  /** Resolves when the broker has stored the message. Rejects if it does not answer. */
  publishRead: (message: OutgoingMessage) => Promise<unknown>
  rates: Pick<KeyRates, 'rateOf'>
  /** What would become of a message. */
  checkMessage: (orgId: number, received: Received) => Promise<DecodedMessage>
  now?: () => number
}

/** Of one reader, at each replica. Over NATS and MQTT only the organization has a rate. */
const PER_SECOND = 50
const BURST_OF_READER = 2

/**
 * Publishes messages that readers send over HTTPS, unread, to the subject to which they would publish over NATS. What
 * ingest would drop is refused here, where the device learns of it.
 */
export function scanHandlers({
  publishRead,
  rates,
  checkMessage,
  now = Date.now,
}: ScanDeps): Pick<Handlers<'tracking'>, 'sendReaderMessage'> {
  const ofReaders = new RateBuckets<string>(BURST_OF_READER)
  const messages = new RateBuckets(BURST_SECONDS.messages)
  const bytes = new RateBuckets(BURST_SECONDS.bytes)

  const isAllowed = (orgId: number, readerKey: string, size: number): boolean => {
    const at = now()
    const { messagesPerSecond, bytesPerSecond } = rates.rateOf(orgId, at)
    return (
      ofReaders.take(`${orgId} ${readerKey}`, at, PER_SECOND) &&
      bytes.take(orgId, at, bytesPerSecond, size) &&
      messages.take(orgId, at, messagesPerSecond)
    )
  }

  return {
    async sendReaderMessage({ principal, params: { reader_key: readerKey, format }, query, message }) {
      checkReader(principal, readerKey)
      const { orgId } = principal
      const isCheck = query.check === true
      if (isCheck && principal.readerKey !== readerKey) throw ownKeyOnly(principal, readerKey)
      if (!isAllowed(orgId, readerKey, message.length)) throw tooManyMessages()
      const subject = scanSubject({ orgId, readerKey, format })
      const headers = { [VIA_HEADER]: 'https' }
      if (isCheck) {
        const data = await checkMessage(orgId, { subject, data: message, receivedAt: now(), headers })
        return { data }
      }
      await publishRead({ subject, payload: message, headers }).catch((error: unknown) => {
        throw serviceUnavailable(error)
      })
      return undefined
    },
  }
}

/** Throws unless the caller may publish for the reader. A token of the release before does not say (D16.1). */
function checkReader({ kind, readerKey: bound }: Principal, readerKey: string): void {
  if (kind === 'session' || bound === null || bound === readerKey) return
  throw bound === undefined ? invalidToken() : otherReaderOnly(bound)
}
