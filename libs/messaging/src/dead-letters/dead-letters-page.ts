import type { JsMsg } from 'nats'
import { natsOf, type Broker } from '../connect/connection.ts'
import { describeDeadLetter, type DeadLetter } from './dead-letters.ts'
import { fromNatsHeaders } from '../messages/headers.ts'
import { ephemeralConsumer } from '../messages/ephemeral-consumer.ts'

/** A dead letter without its payload; `size` is the payload's length in bytes. */
export type DeadLetterHead = Omit<DeadLetter, 'payload'> & { size: number }

/** Selects by stream and durable; all if left out. */
export type DeadLetterFilter = { stream?: string | undefined; durable?: string | undefined }

type Page = DeadLetterFilter & { fromSeq: number; limit: number }

const EXPIRES_MS = 2_000

/** The first and last number of the dead letters, and how many there are. */
export async function deadLetterExtent(broker: Broker) {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const { state } = await jsm.streams.info('DEAD')
  return { firstSeq: state.first_seq, lastSeq: state.last_seq, total: state.messages }
}

/**
 * Up to `limit` dead letters from a number on, oldest first, and how many are left after them. Their payloads stay at
 * the broker. The broker keeps nothing between two calls, so a caller may be slow.
 */
export async function readDeadLetters(
  broker: Broker,
  { stream = '*', durable = '*', fromSeq, limit }: Page,
): Promise<{ letters: DeadLetterHead[]; left: number }> {
  const consumer = await ephemeralConsumer(broker, {
    stream: 'DEAD',
    prefix: 'dead',
    fromSeq: Math.max(fromSeq, 1),
    // The second form, without an organization, is that of earlier releases.
    filter: [`dead.*.${stream}.${durable}`, `dead.${stream}.${durable}`],
    headersOnly: true,
  })
  const wanted = Math.min(consumer.pending, limit)
  try {
    const letters = wanted === 0 ? [] : await fetchHeads(broker, consumer.name, wanted)
    return { letters, left: consumer.pending - wanted }
  } finally {
    consumer.remove()
  }
}

/** Returns fewer than wanted if some are removed meanwhile. */
async function fetchHeads(broker: Broker, consumer: string, wanted: number): Promise<DeadLetterHead[]> {
  const source = await natsOf(broker).jetstream().consumers.get('DEAD', consumer)
  const letters: DeadLetterHead[] = []
  for await (const msg of await source.fetch({ max_messages: wanted, expires: EXPIRES_MS })) {
    if (msg.info.deliverySequence !== letters.length + 1) throw new Error('a dead letter was lost on the way')
    letters.push(toHead(msg))
  }
  return letters
}

function toHead(msg: JsMsg): DeadLetterHead {
  const headers = fromNatsHeaders(msg.headers)
  return { ...describeDeadLetter(msg.seq, msg.subject, headers), size: Number(headers['nats-msg-size'] ?? 0) }
}
