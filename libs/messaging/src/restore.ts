import { natsOf, type Broker } from './connection.ts'
import { ephemeralConsumer, jsonOf, readBatches } from './ephemeral-consumer.ts'
import { durableNames, durables, found, makeDurable, type DurableName, type StreamName } from './topology.ts'

export type Stored = { subject: string; payload: unknown }

/**
 * Everything that a stream holds at this moment, oldest first, in batches; nothing if the stream does not exist. Payloads
 * that are not JSON are skipped. Throws when the broker loses a message: read the whole stream again.
 */
export async function* readStream(broker: Broker, stream: StreamName): AsyncGenerator<Stored[]> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  if (!(await found(jsm.streams.info(stream)))) return
  const consumer = await ephemeralConsumer(broker, { stream, prefix: 'whole' })
  try {
    for await (const batch of readBatches(broker, consumer, consumer.pending)) {
      const messages = batch.map((message) => ({ subject: message.subject, payload: jsonOf(message) }))
      yield messages.filter(({ payload }) => payload !== undefined)
    }
  } finally {
    consumer.remove()
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
