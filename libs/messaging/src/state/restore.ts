import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { brokerLogin, connect, natsOf, type Broker, type BrokerSettings } from '../connect/connection.ts'
import { outboxPublish } from '../messages/publish.ts'
import { ephemeralConsumer, jsonOf, readBatches } from '../messages/ephemeral-consumer.ts'
import {
  durableNames,
  durables,
  found,
  makeDurable,
  type DurableName,
  type StreamName,
} from '../connect/topology.ts'

export type Stored = { subject: string; payload: unknown }

/** Connects a program that restores one stream. */
export const openStream =
  (stream: StreamName) => async (login: BrokerSettings, name: string, logger: Logger) => {
    const broker = await connect({ ...brokerLogin(login), name, logger })
    return {
      read: () => readStream(broker, stream),
      empty: () => emptyStream(broker, stream),
      publish: outboxPublish(broker, logger),
      close: () => broker.close(),
    }
  }

/**
 * All messages that a stream holds now, oldest first, in batches; none if the stream does not exist. Payloads that are
 * not JSON are skipped. Throws if the broker loses a message: then read the whole stream again.
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
 * Removes all messages of a stream. The broker refuses to purge it (`deny_purge`), so the stream and its durables are
 * deleted and re-created. Its sequence continues, as its followers expect. Call it only while nothing consumes the
 * stream.
 */
export async function emptyStream(broker: Broker, stream: StreamName): Promise<void> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  const { config, state } = await jsm.streams.info(stream)
  await jsm.streams.delete(stream)
  await jsm.streams.add({ ...config, first_seq: state.last_seq + 1 })
  for (const name of durableNames) if (durables[name].stream === stream) await makeDurable(jsm, name)
}

/**
 * Makes the broker deliver the messages of a durable again: all that the stream holds, or those stored at `since` or
 * later. Call it only while nothing consumes the durable. Messages that were delivered and not settled come again in
 * any case.
 */
export async function rewindDurable(broker: Broker, durable: DurableName, since?: Date): Promise<void> {
  const jsm = await natsOf(broker).jetstreamManager({ checkAPI: false })
  await makeDurable(jsm, durable, since)
}
