import type { DecodedMessage } from '@whereabouts/contracts/resources/tracking/reader-messages'
import { DECODED_READS } from '@whereabouts/contracts/resources/tracking/reader-messages'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import { RateBuckets } from '@whereabouts/service-kit/limits/rate-buckets'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import { CatalogUnavailable } from '../../catalog/catalog-resolver.ts'
import { ownKeyOnly, tooManyDecodings } from '../../errors.ts'
import { DecodingTime } from '../../ingest/reads/decoding-time.ts'
import { findReads } from '../../ingest/places/resolve.ts'
import type { Received } from '../../readers/health/problem-message.ts'
import { decodeAsIngest } from './decode-as-ingest.ts'
import { mistakesIn, problemsIn, toDecodedRead } from './decoded-read.ts'
import type { ReaderMessageDeps } from './reader-messages.handlers.ts'
import { messagesOf } from './reader-use.ts'

/** Of one reader, at each replica: a person asks, again and again while they change a setting. */
const PER_SECOND = 5
const BURST_SECONDS = 4

/** What would become of a message if it came over HTTPS. Stores and notes nothing. */
export function messageChecker({ now: _now, db: _db, ...ingest }: ReaderMessageDeps) {
  const time = new DecodingTime()
  return async (orgId: number, received: Received): Promise<DecodedMessage> => {
    if (time.isSpent(orgId)) throw tooManyDecodings()
    const { decoded: message, refused } = time.measure(orgId, () => decodeAsIngest(received, ingest))
    if (!message) return { reads: [], problems: refused }
    const reads = message.decoded.reads.slice(0, DECODED_READS)
    const found = await findReads({ ...message, decoded: { ...message.decoded, reads } }, ingest).catch(
      (error: unknown) => {
        throw error instanceof CatalogUnavailable ? serviceUnavailable(error) : error
      },
    )
    const problems = [...problemsIn(message.decoded, found), ...mistakesIn(found, message.receivedAtMs)]
    return { reads: found.map(toDecodedRead), problems }
  }
}

/** The problems of a reader for a client that has its key alone (D19.4). Asking does not make the reader known. */
export function messagesOfKeyHandlers({
  db,
  askReaderUse,
  now = Date.now,
}: Pick<ReaderMessageDeps, 'db' | 'now' | 'askReaderUse'>): Pick<Handlers<'tracking'>, 'listMessagesOfKey'> {
  const buckets = new RateBuckets<string>(BURST_SECONDS)
  return {
    async listMessagesOfKey({ principal, params: { reader_key: readerKey } }) {
      const { orgId } = principal
      if (principal.readerKey !== readerKey) throw ownKeyOnly(principal, readerKey)
      if (!buckets.take(`${orgId} ${readerKey}`, now(), PER_SECOND)) throw tooManyDecodings()
      return { data: await messagesOf(db.forOrg(orgId), askReaderUse, orgId, readerKey) }
    },
  }
}
