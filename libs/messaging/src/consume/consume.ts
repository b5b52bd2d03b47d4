import { setImmediate } from 'node:timers/promises'
import type { Broker } from '../connect/connection.ts'
import type {
  BatchConsumer,
  Consumption,
  HandleContext,
  MessageConsumer,
  PartitionedConsumption,
} from './consumer.ts'
import { ConsumerRun, type RunOptions } from './consumer-run.ts'
import type { Delivery, IncomingMessage } from '../messages/delivery.ts'
import { handleInTracks } from './tracks.ts'
import { describeError } from '../connect/logger.ts'
import { isTracing, recordSpan, spanTime } from '@whereabouts/service-kit/observe/spans'
import {
  rootTrace,
  traceFrom,
  traceOfMessage,
  withTrace,
  type Trace,
} from '@whereabouts/service-kit/observe/trace'

/** Messages taken in one step. Many small steps through the loop cost more than the messages. */
const MAX_TAKEN = 64

/**
 * Handles a durable's messages one by one, `concurrency` at a time, until stopped. At least once, in no guaranteed
 * order across redeliveries: handlers must be idempotent. While the durable or the broker is missing, it logs and
 * waits.
 */
export function consume<T>(broker: Broker, consumer: MessageConsumer<T>, options: RunOptions): Consumption {
  const { concurrency = 1 } = consumer
  const run = new ConsumerRun(broker, consumer, Math.min(Math.max(concurrency, 32), 256), options)
  run.add(undefined)
  return run.start(async () => {
    const active = new Set<Promise<void>>()
    for (;;) {
      if (active.size >= concurrency) await Promise.race(active)
      const taken = await run.take({ max: Math.min(concurrency - active.size, MAX_TAKEN), maxWaitMs: 0 })
      if (!taken) break
      for (const delivery of taken) {
        const handled = handleAlone(run, consumer, delivery)
        active.add(handled)
        void handled.finally(() => active.delete(handled)).catch(() => {}) // seen by the race and by Promise.all
      }
    }
    await Promise.all(active)
  })
}

async function handleAlone<T>(
  run: ConsumerRun,
  consumer: MessageConsumer<T>,
  delivery: Delivery,
): Promise<void> {
  const decoded = decode(consumer, delivery)
  if ('error' in decoded) await run.settler.settle(delivery, decoded.error)
  else await attemptAlone(run, decoded, (message, context) => consumer.handle(message, context))
  run.release([delivery])
}

/**
 * Handles a durable's messages in batches until stopped, see `handleInTracks`. Gives the same guarantees as `consume`.
 */
export function consumeBatches<T>(
  broker: Broker,
  consumer: BatchConsumer<T>,
  options: RunOptions,
): Consumption {
  const consumption = consumePartitions(broker, consumer, options)
  consumption.add(undefined)
  return consumption
}

/** The same for the partitions that are added to the result, and for nothing else. */
export function consumePartitions<T>(
  broker: Broker,
  consumer: BatchConsumer<T>,
  options: RunOptions,
): PartitionedConsumption {
  const { maxMessages: max, maxWaitMs, maxBytes, alwaysWaits } = consumer
  const run = new ConsumerRun(broker, consumer, max, options)
  return run.start(() =>
    handleInTracks(
      run,
      { max, maxWaitMs, maxBytes, alwaysWaits },
      {
        decode: (taken) => decodeAll(consumer, taken),
        handle: (decoded) => handleBatch(run, consumer, decoded),
      },
    ),
  )
}

/** Bytes decoded before the event loop gets a turn: a few milliseconds, during which the process does nothing else. */
const BYTES_AT_ONCE = 128 * 1024

/** Pauses between chunks, so that other work runs, such as the statements of the batch before. */
async function decodeAll<T>(consumer: BatchConsumer<T>, taken: readonly Delivery[]) {
  const decoded: (Decoded<T> | Undecodable)[] = []
  let bytes = 0
  for (const delivery of taken) {
    if (bytes > 0 && bytes + delivery.data.length > BYTES_AT_ONCE) {
      bytes = 0
      await setImmediate()
    }
    decoded.push(decode(consumer, delivery))
    bytes += delivery.data.length
  }
  return decoded
}

/** From this delivery on a message is handled alone: a batch that ends the process is delivered again as a whole. */
const SUSPECT_DELIVERIES = 3

async function handleBatch<T>(
  run: ConsumerRun,
  consumer: BatchConsumer<T>,
  decoded: readonly (Decoded<T> | Undecodable)[],
) {
  const kept = run.keep(decoded)
  const unreadable = kept.filter((item) => 'error' in item)
  const readable = kept.filter((item) => 'message' in item)
  const suspects = readable.filter(({ delivery }) => delivery.deliveryCount >= SUSPECT_DELIVERIES)
  const fresh = readable.filter(({ delivery }) => delivery.deliveryCount < SUSPECT_DELIVERIES)
  const settled = unreadable.map(({ delivery, error }) => run.settler.settle(delivery, error))
  run.park(suspects.map(({ delivery }) => delivery))
  await handleTogether(run, consumer, fresh)
  await handleOneByOne(run, consumer, suspects)
  await Promise.all(settled)
}

async function handleTogether<T>(run: ConsumerRun, consumer: BatchConsumer<T>, items: readonly Decoded<T>[]) {
  if (items.length <= 1) return handleOneByOne(run, consumer, items)
  const deliveries = items.map(({ delivery }) => delivery)
  const messages = items.map(({ message }) => message)
  const [trace, startedAt] = [rootTrace(), spanTime()]
  const attempt = await run.attempt(deliveries, (context) =>
    withTrace(trace, async () => consumer.handle(messages, context)),
  )
  recordHandling(trace, deliveries, { startedAt, attempt, links: linksOf(deliveries) })
  if (attempt === 'stopped') return handleTogether(run, consumer, run.keep(items))
  if (attempt.error === undefined) return run.settler.acknowledge(deliveries)
  run.park(deliveries)
  return handleOneByOne(run, consumer, items)
}

async function handleOneByOne<T>(run: ConsumerRun, consumer: BatchConsumer<T>, items: readonly Decoded<T>[]) {
  for (const item of items) {
    if (run.keep([item]).length > 0)
      await attemptAlone(run, item, (message, context) => consumer.handle([message], context))
  }
}

type Handle<T> = (message: T, context: HandleContext) => Promise<void>

async function attemptAlone<T>(run: ConsumerRun, { delivery, message }: Decoded<T>, handle: Handle<T>) {
  const [trace, startedAt] = [traceOfMessage(delivery.headers), spanTime()]
  const attempt = await run.attempt([delivery], (context) =>
    withTrace(trace, async () => handle(message, context)),
  )
  recordHandling(trace, [delivery], { startedAt, attempt })
  if (attempt === 'stopped') run.settler.requeue([delivery])
  else await run.settler.settle(delivery, attempt.error)
}

type Attempt = 'stopped' | { error?: unknown }
type Handling = { startedAt: number; attempt: Attempt; links?: readonly Trace[] }

function recordHandling(
  trace: Trace,
  deliveries: readonly Delivery[],
  { attempt, ...times }: Handling,
): void {
  const [first] = deliveries
  if (!isTracing() || !first) return
  const failed = attempt === 'stopped' || attempt.error !== undefined
  recordSpan(trace, {
    ...times,
    name: `process ${first.info.consumer}`,
    kind: 'consumer',
    attributes: {
      'messaging.system': 'nats',
      'messaging.destination.name': first.info.stream,
      'messaging.batch.message_count': deliveries.length,
      // How long the oldest waited in the stream and here. It shows in a trace that the consumer lags behind.
      waited_ms: Math.max(0, times.startedAt - first.receivedAt),
    },
    ...(failed && { failure: attempt === 'stopped' ? 'stopped' : describeError(attempt.error) }),
  })
}

const LINKED_AT_MOST = 32

/** A batch has its own trace. It links to the recorded traces of its messages, at most `LINKED_AT_MOST`. */
function linksOf(deliveries: readonly Delivery[]): Trace[] {
  if (!isTracing()) return []
  const links: Trace[] = []
  for (const { headers } of deliveries) {
    const sent = traceFrom(headers)
    if (sent?.sampled) links.push(sent)
    if (links.length === LINKED_AT_MOST) break
  }
  return links
}

type Decoded<T> = { delivery: Delivery; message: T }
type Undecodable = { delivery: Delivery; error: unknown }

function decode<T>(
  consumer: { decode(message: IncomingMessage): T },
  delivery: Delivery,
): Decoded<T> | Undecodable {
  try {
    return { delivery, message: consumer.decode(delivery) }
  } catch (error) {
    return { delivery, error: error ?? new Error('rejected without a reason') }
  }
}
