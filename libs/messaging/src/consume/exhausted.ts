import { organizationOf } from '@whereabouts/contracts/messages/subjects/organization-of'
import { countedLog } from '@whereabouts/service-kit/observe/counted-log'
import type { Msg } from 'nats'
import { natsOf, type Broker } from '../connect/connection.ts'
import type { ConsumerMetrics } from './consumer.ts'
import { keepDeadLetter } from '../dead-letters/dead-letters.ts'
import { fromNatsHeaders } from '../messages/headers.ts'
import { describeError, type Logger } from '../connect/logger.ts'
import { firstReception } from '../messages/replayed.ts'

type Options = {
  stream: string
  durable: string
  deadLetters: Broker
  logger: Logger
  metrics?: ConsumerMetrics | undefined
}
type Advisory = { stream_seq: number; deliveries: number }

/**
 * Keeps a dead letter of each message that the broker gave up (`MAX_DELIVER`) before a replica could. The broker
 * announces it once, and one replica of the queue group receives that. Returns a function that stops listening.
 */
export function deadLetterExhausted(
  broker: Broker,
  { stream, durable, deadLetters, logger, metrics }: Options,
): () => void {
  const nc = natsOf(broker)
  // Each message of a reader may be one that no replica survives.
  const kept = countedLog((fields) => logger.error(fields, 'message given up by the broker, a copy is kept'))
  const lost = countedLog((fields) => logger.error(fields, 'message given up by the broker, no copy kept'))

  async function keepCopy(msg: Msg): Promise<void> {
    const { stream_seq: streamSeq, deliveries } = msg.json<Advisory>()
    const fields = { stream, durable, stream_seq: streamSeq, delivery_count: deliveries }
    const jsm = await nc.jetstreamManager({ checkAPI: false })
    const stored = await jsm.streams.getMessage(stream, { seq: streamSeq })
    const headers = fromNatsHeaders(stored.header)
    const reception = firstReception(
      { subject: stored.subject, receivedAt: stored.time.getTime() },
      () => headers,
    )
    await keepDeadLetter(deadLetters, {
      ...reception,
      stream,
      consumer: durable,
      streamSeq,
      deliveryCount: deliveries,
      data: stored.data,
      headers,
      reason: `given up by the broker after ${deliveries} deliveries`,
    })
    metrics?.deadLettered?.('never_settled')
    metrics?.handled('bury', 1)
    kept.count(String(organizationOf(reception.subject) ?? 0), fields)
  }

  /** Without the message its organization is unknown. */
  function failed(cause: unknown): void {
    const reason = describeError(cause)
    lost.count(reason, { stream, durable, reason })
  }

  async function receive(msg: Msg): Promise<void> {
    try {
      await keepCopy(msg)
    } catch (error) {
      failed(error)
    }
  }

  const subscription = nc.subscribe(`$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.${stream}.${durable}`, {
    queue: durable,
    callback: (error, msg) => {
      if (error) failed(error)
      else void receive(msg)
    },
  })
  return () => {
    if (!nc.isClosed()) subscription.unsubscribe()
    kept.close()
    lost.close()
  }
}
