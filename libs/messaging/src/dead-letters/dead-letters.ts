import { organizationOf } from '@whereabouts/contracts/messages/subjects/organization-of'
import type { StoredMsg } from 'nats'
import { natsOf, type Broker } from '../connect/connection.ts'
import type { DeliveryInfo } from '../messages/delivery.ts'
import { decodedHeader, fromNatsHeaders } from '../messages/headers.ts'
import { publish } from '../messages/publish.ts'
import { unlessGone } from '../messages/stored.ts'

/** A dead letter as operators see it. */
export type DeadLetter = {
  /** Its place in the dead-letter stream. */
  seq: number
  /** Where the message was published. */
  original_subject: string
  stream: string
  durable: string
  stream_seq: number
  delivery_count: number
  reason: string
  /** When the broker stored the original; ISO 8601. */
  received_at: string
  /** When it became a dead letter; ISO 8601. Named like the header of dead letters that are already stored. */
  buried_at: string
  request_id?: string
  /** Only the head of the payload was kept. */
  truncated: boolean
  payload: Uint8Array
}

const MAX_REASON_LENGTH = 500
/** How much of a payload is kept. The whole payload is in the stream of the message, as long as that still has it. */
const HEAD_BYTES = 8 * 1024
/** For the other files of this lib only: the part of the broker's size limit that is reserved for our headers. */
export const HEADER_ROOM = 32 * 1024

/** A message that failed, and where. */
export type FailedMessage = Pick<
  DeliveryInfo,
  'stream' | 'consumer' | 'streamSeq' | 'deliveryCount' | 'receivedAt'
> & {
  subject: string
  data: Uint8Array
  headers: Readonly<Record<string, string>>
  reason: string
}

/**
 * Stores the message in `dead.<org>.<stream>.<durable>`, with the first 8 KiB of its payload. Resolves once it is
 * stored. A second call stores nothing, as long as the broker remembers the id.
 */
export async function keepDeadLetter(broker: Broker, failed: FailedMessage): Promise<void> {
  const { stream, consumer, streamSeq, deliveryCount, receivedAt, subject, data, reason } = failed
  const truncated = data.length > HEAD_BYTES
  const { traceparent, request_id } = failed.headers
  await publish(broker, {
    subject: `dead.${organizationOf(subject) ?? 0}.${stream}.${consumer}`, // each organization has its own share of DEAD,
    payload: truncated ? data.subarray(0, HEAD_BYTES) : data,
    msgId: `${stream}.${consumer}.${streamSeq}.${receivedAt}`,
    headers: {
      original_subject: encodeURIComponent(subject),
      stream_seq: String(streamSeq),
      delivery_count: String(deliveryCount),
      reason: printable(reason),
      received_at: new Date(receivedAt).toISOString(),
      buried_at: new Date().toISOString(),
      ...(truncated && { truncated: 'true' }),
      ...(traceparent !== undefined && { traceparent: traceparent.slice(0, 128) }),
      ...(request_id !== undefined && { request_id: request_id.slice(0, 128) }),
    },
  })
}

/** Headers are lines: a reason that quotes a hostile payload must not add lines. */
export const printable = (text: string): string =>
  text.replaceAll(/[^\x20-\x7e]+/g, ' ').slice(0, MAX_REASON_LENGTH) || 'unknown'

/** The dead letter with this number, with all its headers; undefined if there is none. */
export async function findDeadLetter(
  broker: Broker,
  seq: number,
): Promise<(DeadLetter & { headers: Readonly<Record<string, string>> }) | undefined> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const stored = await unlessGone(jsm.streams.getMessage('DEAD', { seq }))
  return stored && { ...toDeadLetter(stored), headers: fromNatsHeaders(stored.header) }
}

const toDeadLetter = (stored: StoredMsg): DeadLetter => ({
  ...describeDeadLetter(stored.seq, stored.subject, fromNatsHeaders(stored.header)),
  payload: stored.data,
})

/** For the other files of this lib only. */
export function describeDeadLetter(
  seq: number,
  subject: string,
  headers: Readonly<Record<string, string>>,
): Omit<DeadLetter, 'payload'> {
  // Earlier releases left out the organization.
  const tokens = subject.split('.').slice(1)
  const [stream = '', durable = ''] = tokens.length > 2 ? tokens.slice(1) : tokens
  return {
    seq,
    original_subject: decodedHeader(headers['original_subject'] ?? ''),
    stream,
    durable,
    stream_seq: Number(headers['stream_seq']),
    delivery_count: Number(headers['delivery_count']),
    reason: headers['reason'] ?? '',
    received_at: headers['received_at'] ?? '',
    buried_at: headers['buried_at'] ?? '',
    ...(headers['request_id'] !== undefined && { request_id: headers['request_id'] }),
    truncated: headers['truncated'] === 'true',
  }
}
