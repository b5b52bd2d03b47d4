import { scanSubject } from '@whereabouts/contracts/messages/subjects/scan-subject'
import { matchValue } from '@whereabouts/contracts/resources/catalog/tag-matching'
import type { TagType } from '@whereabouts/contracts/resources/catalog/tags'
import type { TestRead } from '@whereabouts/contracts/resources/tracking/test-reads'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import type { OutgoingMessage } from '@whereabouts/messaging/messages/publish'
import { invalidToken, serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import type { Handlers } from '@whereabouts/service-kit/http/serve'
import type { Tables } from '../../db.ts'
import { readerNotFound, tooManyTestReads, unreadableTag } from '../../errors.ts'
import { decodeCanonical } from '../../formats/canonical.ts'
import { RateBuckets } from '@whereabouts/service-kit/limits/rate-buckets'
import { findReader } from '../../readers/readers.queries.ts'

export type TestReadDeps = {
  db: TenantDatabase<Tables>
  /** Resolves when the broker has stored the message. Rejects if it does not answer. */
  publishRead: (message: OutgoingMessage) => Promise<unknown>
  now?: () => number
}

/** Test reads that a user may send, at each replica. The message rate of the organization applies too (ADR 43). */
const PER_SECOND = 2
const BURST_SECONDS = 2

/** Always canonical: the subject names the format of a message, so the device may send another one. */
const FORMAT = 'canonical'

const expectedValues: Record<TagType, string> = {
  rfid: 'an even number of hex digits, or an EPC as a URN',
  ble: 'a Bluetooth address of 12 hex digits, or a beacon as uuid/major/minor',
  barcode: 'text that a scanner can send',
}

/**
 * Publishes reads for a person without a device, to the subject of the reader. Everything after that is the way of real
 * reads: the message rate, decoding, the scan, the event and the webhook.
 */
export function testReadHandlers({
  db,
  publishRead,
  now = Date.now,
}: TestReadDeps): Pick<Handlers<'tracking'>, 'sendTestRead'> {
  const buckets = new RateBuckets(BURST_SECONDS)
  return {
    async sendTestRead({ principal: { orgId, userId }, params: { reader_id }, body }) {
      if (userId === undefined) throw invalidToken() // a session has one
      if (!buckets.take(userId, now(), PER_SECOND)) throw tooManyTestReads()
      const reader = await findReader(db.forOrg(orgId), orgId, reader_id)
      if (!reader) throw readerNotFound()
      const payload = messageOf(body)
      rejectUnreadable(payload, body, { reader: reader.reader_key, received_at_ms: now() })
      const subject = scanSubject({ orgId, readerKey: reader.reader_key, format: FORMAT })
      await publishRead({ subject, payload }).catch((error: unknown) => {
        throw serviceUnavailable(error)
      })
      return { data: { published_at: new Date(now()).toISOString() } }
    },
  }
}

/** People write values with spaces and colons, which match the tag (D6.5), but readers do not send them. */
const messageOf = ({ tag_type: type, value, antenna }: TestRead): Buffer =>
  Buffer.from(
    JSON.stringify({
      reads: [{ tag: { type, value: matchValue(type, value) }, ...(antenna !== undefined && { antenna }) }],
    }),
  )

/** The decoder decides, so that no test read is answered with success and dropped later. */
function rejectUnreadable(
  payload: Buffer,
  { tag_type }: TestRead,
  context: { reader: string; received_at_ms: number },
): void {
  const { reads } = decodeCanonical(payload, context)
  if (reads.length === 0) throw unreadableTag(expectedValues[tag_type])
}
