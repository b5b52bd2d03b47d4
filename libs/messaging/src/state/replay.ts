import { natsOf, type Broker } from '../connect/connection.ts'
import type { IncomingMessage } from '../messages/delivery.ts'
import { ephemeralConsumer, jsonOf, readBatches } from '../messages/ephemeral-consumer.ts'
import { fromNatsHeaders } from '../messages/headers.ts'
import type { StreamName } from '../connect/topology.ts'
import { withoutNumber } from '../connect/numbers.ts'

/** The first and last sequence of a stream. `created` differs if the stream was re-created, with a new sequence. */
export type StreamExtent = { created: string; firstSeq: number; lastSeq: number }

/** `payload` is parsed JSON, unchecked; undefined if it is not JSON. */
export type StoredMessage = { seq: number; payload: unknown }

export type ReadOptions = { stream: StreamName; subject: string; fromSeq: number; limit: number }

export type ReadSinceOptions = { stream: StreamName; subject: string; since: Date; limit: number }

export type DatedMessage = StoredMessage & { storedAtMs: number }

export async function streamExtent(broker: Broker, stream: StreamName): Promise<StreamExtent> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const { created, state } = await jsm.streams.info(stream)
  return { created, firstSeq: state.first_seq, lastSeq: state.last_seq }
}

/**
 * Up to `limit` messages of a subject from a sequence on, and how many are left after them. The broker keeps nothing
 * between two calls, so a slow caller costs it nothing. Throws if the broker does not answer or loses a message.
 */
export async function readSubject(
  broker: Broker,
  { stream, subject, fromSeq, limit }: ReadOptions,
): Promise<{ messages: StoredMessage[]; left: number }> {
  const consumer = await ephemeralConsumer(broker, { stream, prefix: 'replay', fromSeq, filter: subject })
  try {
    const wanted = Math.min(consumer.pending, limit)
    const batches = await Array.fromAsync(readBatches(broker, consumer, wanted))
    const messages = batches.flat().map((message) => ({ seq: message.seq, payload: jsonOf(message) }))
    return { messages, left: consumer.pending - wanted }
  } finally {
    consumer.remove()
  }
}

/**
 * All messages of a subject that were stored at `since` or later, or undefined if there are more than `limit`. Throws
 * if the broker does not answer or loses a message.
 */
export async function readSince(
  broker: Broker,
  { stream, subject, since, limit }: ReadSinceOptions,
): Promise<DatedMessage[] | undefined> {
  const consumer = await ephemeralConsumer(broker, {
    stream,
    prefix: 'since',
    fromTime: since,
    filter: subject,
  })
  try {
    if (consumer.pending > limit) return undefined
    const batches = await Array.fromAsync(readBatches(broker, consumer, consumer.pending))
    return batches.flat().map((message) => ({
      seq: message.seq,
      payload: jsonOf(message),
      storedAtMs: Math.floor(Math.floor(message.info.timestampNanos / 1e6)),
    }))
  } finally {
    consumer.remove()
  }
}

export type ReadBackOptions = { stream: string; subject: string | string[]; since: Date; batchSize: number }

/**
 * All messages of a subject pattern that were stored at `since` or later, as consumers received them, in batches. Only one
 * batch is held at a time. Throws if the broker does not answer or loses a message.
 */
export async function* readBack(
  broker: Broker,
  { stream, subject, since, batchSize }: ReadBackOptions,
): AsyncGenerator<Pick<IncomingMessage, 'subject' | 'data' | 'receivedAt' | 'headers'>[]> {
  const consumer = await ephemeralConsumer(broker, {
    stream,
    prefix: 'read-back',
    fromTime: since,
    filter: subject,
  })
  try {
    for await (const batch of readBatches(broker, consumer, consumer.pending, batchSize))
      yield batch.map((message) => ({
        subject: withoutNumber(message.subject),
        data: message.data,
        receivedAt: Math.floor(message.info.timestampNanos / 1e6),
        headers: fromNatsHeaders(message.headers),
      }))
  } finally {
    consumer.remove()
  }
}
