import { AckPolicy, DeliverPolicy, nanos, nuid, ReplayPolicy } from 'nats'
import { natsOf, type Broker } from './connection.ts'
import { durableNames, durables, found, makeDurable, type DurableName, type StreamName } from './topology.ts'

/** Messages fetched at a time. */
const BATCH = 1_000
const EXPIRES_MS = 5_000

export type Stored = { subject: string; payload: unknown }

/**
 * All that a stream holds at this moment, oldest first, in batches; nothing when there is no such stream. What is not
 * JSON is left out. Throws when the broker loses a message on the way: the whole is to be read again.
 */
export async function* readStream(broker: Broker, stream: StreamName): AsyncGenerator<Stored[]> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  if (!(await found(jsm.streams.info(stream)))) return
  const { name, num_pending: count } = await jsm.consumers.add(stream, {
    name: `whole-${nuid.next()}`,
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.None,
    replay_policy: ReplayPolicy.Instant,
    max_deliver: 1,
    mem_storage: true,
    num_replicas: 1,
    inactive_threshold: nanos(60_000),
  })
  const source = await natsOf(broker).jetstream().consumers.get(stream, name)
  for (let read = 0; read < count;) {
    const batch: Stored[] = []
    const max_messages = Math.min(BATCH, count - read)
    for await (const message of await source.fetch({ max_messages, expires: EXPIRES_MS })) {
      read += 1
      if (message.info.deliverySequence !== read) throw new Error(`${stream}: a message was lost on the way`)
      const payload = jsonOf(message)
      if (payload !== undefined) batch.push({ subject: message.subject, payload })
    }
    if (batch.length === 0 && read < count)
      throw new Error(`${stream}: only ${read} of ${count} messages came`)
    yield batch
  }
}

function jsonOf(message: { json(): unknown }): unknown {
  try {
    return message.json()
  } catch {
    return undefined
  }
}

/**
 * Removes what a stream holds. The broker refuses to purge it (`deny_purge`), so it is deleted and made again, with its
 * durables; its numbers go on, as its followers expect. To be called while nobody consumes it.
 */
export async function emptyStream(broker: Broker, stream: StreamName): Promise<void> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const { config, state } = await jsm.streams.info(stream)
  await jsm.streams.delete(stream)
  await jsm.streams.add({ ...config, first_seq: state.last_seq + 1 })
  for (const name of durableNames) if (durables[name].stream === stream) await makeDurable(jsm, name)
}

/**
 * Has a durable's messages delivered once more, all that the stream holds or those stored since then. To be called
 * while nobody consumes it; what was delivered and not settled comes again in any case.
 */
export async function rewindDurable(broker: Broker, durable: DurableName, since?: Date): Promise<void> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  await makeDurable(jsm, durable, since)
}
