import { AckPolicy, DeliverPolicy, nanos, nuid, ReplayPolicy, type JetStreamManager, type JsMsg } from 'nats'
import { natsOf, type Broker } from './connection.ts'
import type { StreamName } from './topology.ts'

/** What a stream holds. `created` tells it from another one of the same name, whose numbers began again. */
export type StreamExtent = { created: string; firstSeq: number; lastSeq: number }

/** `payload` is parsed JSON, unchecked; undefined where it is none. */
export type StoredMessage = { seq: number; payload: unknown }

export type ReadOptions = { stream: StreamName; subject: string; fromSeq: number; limit: number }

const EXPIRES_MS = 2_000

export async function streamExtent(broker: Broker, stream: StreamName): Promise<StreamExtent> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const { created, state } = await jsm.streams.info(stream)
  return { created, firstSeq: state.first_seq, lastSeq: state.last_seq }
}

/**
 * The next messages of a subject from a sequence on, `limit` at most, and how many were left behind them. Nothing is
 * kept between two calls, so that whoever reads slowly costs the broker nothing. Throws when the broker is away.
 */
export async function readSubject(
  broker: Broker,
  { stream, subject, fromSeq, limit }: ReadOptions,
): Promise<{ messages: StoredMessage[]; left: number }> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const { name, num_pending: pending } = await jsm.consumers.add(stream, {
    name: `replay-${nuid.next()}`,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: fromSeq,
    filter_subject: subject,
    ack_policy: AckPolicy.None,
    replay_policy: ReplayPolicy.Instant,
    max_deliver: 1,
    mem_storage: true,
    num_replicas: 1,
    inactive_threshold: nanos(30_000),
  })
  try {
    const wanted = Math.min(pending, limit)
    return {
      messages: wanted === 0 ? [] : await fetchAll(broker, stream, name, wanted),
      left: pending - wanted,
    }
  } finally {
    forget(broker, jsm, stream, name)
  }
}

async function fetchAll(
  broker: Broker,
  stream: string,
  consumer: string,
  wanted: number,
): Promise<StoredMessage[]> {
  const source = await natsOf(broker).jetstream().consumers.get(stream, consumer)
  const messages: StoredMessage[] = []
  for await (const msg of await source.fetch({ max_messages: wanted, expires: EXPIRES_MS })) {
    // Lost on the way, or removed by its age in this moment: the caller begins again behind what it has.
    if (msg.info.deliverySequence !== messages.length + 1) break
    messages.push({ seq: msg.seq, payload: payloadOf(msg) })
  }
  if (messages.length < wanted) throw new Error(`${messages.length} of ${wanted} messages came`)
  return messages
}

function payloadOf(msg: JsMsg): unknown {
  try {
    return msg.json()
  } catch {
    return undefined
  }
}

/** Best effort: the broker forgets an unused one by itself. */
function forget(broker: Broker, jsm: JetStreamManager, stream: string, consumer: string): void {
  if (broker.isConnected()) void jsm.consumers.delete(stream, consumer).catch(() => false)
}
