import { AckPolicy, DeliverPolicy, nanos, nuid, ReplayPolicy, type JsMsg } from 'nats'
import { natsOf, type Broker } from '../connect/connection.ts'

type Options = {
  stream: string
  /** Start of the consumer's name, for an operator who lists consumers. */
  prefix: string
  /** First sequence to read; everything in the stream when left out. */
  fromSeq?: number
  /** Reads what was stored at this time or later, instead. */
  fromTime?: Date | undefined
  /** A subject pattern or several; everything in the stream when left out. */
  filter?: string | string[] | undefined
  /** Payloads stay at the broker. */
  headersOnly?: boolean
}

/**
 * A consumer that the broker keeps in memory and removes when it is unused. It delivers each message once, in order.
 */
export type EphemeralConsumer = {
  stream: string
  name: string
  /** Messages to read when it was created. */
  pending: number
  /** Best effort: the broker removes an unused consumer by itself. */
  remove(): void
}

const UNUSED_MS = 60_000
const BATCH = 1_000
const EXPIRES_MS = 5_000

export async function ephemeralConsumer(
  broker: Broker,
  { stream, prefix, fromSeq = 1, fromTime, filter, headersOnly = false }: Options,
): Promise<EphemeralConsumer> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const { name, num_pending: pending } = await jsm.consumers.add(stream, {
    name: `${prefix}-${nuid.next()}`,
    ...(fromTime
      ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: fromTime.toISOString() }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: fromSeq }),
    ack_policy: AckPolicy.None,
    replay_policy: ReplayPolicy.Instant,
    max_deliver: 1,
    mem_storage: true,
    num_replicas: 1,
    inactive_threshold: nanos(UNUSED_MS),
    ...(typeof filter === 'object' ? { filter_subjects: filter } : filter && { filter_subject: filter }),
    headers_only: headersOnly,
  })
  const remove = () => {
    if (broker.isConnected()) void jsm.consumers.delete(stream, name).catch(() => false)
  }
  return { stream, name, pending, remove }
}

/**
 * The next `count` messages of a consumer, in batches. Throws if one is missing: it was lost with a connection, or
 * the stream removed it. Then read again with a new consumer.
 */
export async function* readBatches(
  broker: Broker,
  { stream, name }: EphemeralConsumer,
  count: number,
  batchSize = BATCH,
): AsyncGenerator<JsMsg[]> {
  if (count === 0) return
  const source = await natsOf(broker).jetstream().consumers.get(stream, name)
  for (let read = 0; read < count;) {
    const batch: JsMsg[] = []
    const max_messages = Math.min(batchSize, count - read)
    for await (const message of await source.fetch({ max_messages, expires: EXPIRES_MS })) {
      read += 1
      if (message.info.deliverySequence !== read)
        throw new Error(`${stream}: message ${read} of ${count} was lost`)
      batch.push(message)
    }
    if (batch.length < max_messages) throw new Error(`${stream}: only ${read} of ${count} messages came`)
    yield batch
  }
}

/** The payload of a message as parsed JSON, unchecked; undefined if it is not JSON. */
export function jsonOf(message: Pick<JsMsg, 'json'>): unknown {
  try {
    return message.json()
  } catch {
    return undefined
  }
}
