import { natsOf, type Broker } from './connection.ts'
import { ephemeralConsumer, jsonOf, readBatches } from './ephemeral-consumer.ts'
import type { StreamName } from './topology.ts'

/** What a stream holds. `created` tells it from another one of the same name, whose numbers began again. */
export type StreamExtent = { created: string; firstSeq: number; lastSeq: number }

/** `payload` is parsed JSON, unchecked; undefined if it is not JSON. */
export type StoredMessage = { seq: number; payload: unknown }

export type ReadOptions = { stream: StreamName; subject: string; fromSeq: number; limit: number }

export async function streamExtent(broker: Broker, stream: StreamName): Promise<StreamExtent> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const { created, state } = await jsm.streams.info(stream)
  return { created, firstSeq: state.first_seq, lastSeq: state.last_seq }
}

/**
 * Up to `limit` messages of a subject from a sequence on, and the number of messages left after them. The broker keeps
 * nothing between two calls, so a slow reader costs it nothing. Throws when the broker is away or loses a message.
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
