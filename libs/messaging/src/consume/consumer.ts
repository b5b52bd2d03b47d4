import type { Arrival, IncomingMessage } from '../messages/delivery.ts'
import type { Overflow } from './overflow.ts'
import type { Partition } from './source.ts'
import type { DurableName } from '../connect/topology.ts'

export type HandleContext = {
  /** Aborts when the consumer was stopped and its grace period is over. Unfinished messages are then requeued. */
  signal: AbortSignal
  /** A handler that may take longer than the durable's `ackWaitMs` must call it more often than that. */
  working: () => void
}

/**
 * How the messages of several groups (organizations) share a consumer. Its functions run on arrival, before decoding.
 */
export type FairShare = {
  /** The messages of a group are handled in order of arrival. Groups take turns. */
  groupOf(message: Pick<IncomingMessage, 'subject'>): string
  /** False: the message is acknowledged and never handled. The function counts it itself. */
  admit?(message: Arrival): boolean
  /** True: what was decoded of its group has cost more than its share, so the message waits in `overflow`, unread. */
  mustWait?(message: Arrival): boolean
  /** Where the messages of a flooding group wait, so that other groups do not wait behind them. */
  overflow?: Overflow
}

type Policy<T> = {
  durable: DurableName
  /** Waits before the second, third, … delivery. After one more failure the message becomes a dead letter. */
  retryDelaysMs?: readonly number[]
  /** Throws PoisonError for a message that can never be handled: only that message becomes a dead letter. */
  decode(message: IncomingMessage): T
  /**
   * True: a dependency is at fault, not the message (the database is down). The messages are held and retried until
   * the outage is over, without using up their deliveries. The broker keeps the messages behind them.
   */
  isOutage?(error: unknown): boolean
}

/**
 * Handles messages one by one. Resolving acknowledges. Rejecting retries; after the last retry the message is a dead
 * letter.
 */
export type MessageConsumer<T> = Policy<T> & {
  /** Messages handled at the same time, started in order of arrival. 1 when left out. */
  concurrency?: number
  handle(message: T, context: HandleContext): Promise<void>
}

/**
 * Handles messages in batches. A batch that rejects is handled again one by one, so that one bad message is settled
 * alone.
 */
export type BatchConsumer<T> = Policy<T> & {
  maxMessages: number
  /**
   * A batch ends with the message that reaches this size, so that large messages make small batches. No bound when
   * left out.
   */
  maxBytes?: number
  /**
   * How long a batch waits for more messages, counted from the batch before it. So batches are large under load, and a
   * message after a pause does not wait.
   */
  maxWaitMs: number
  /** True: counted from the arrival of the batch's first message, so that each batch waits. */
  alwaysWaits?: boolean
  /** Left out: first in, first out. */
  fair?: FairShare
  handle(messages: readonly T[], context: HandleContext): Promise<void>
}

/** Where counts go. Every method must be cheap and must not throw. */
export type ConsumerMetrics = {
  /**
   * `return`: requeued unhandled, because we were stopped. `bury`: became a dead letter; the word is a label of
   * `consumer_messages_total`, which dashboards of users query.
   */
  handled(outcome: 'ack' | 'nak' | 'bury' | 'return', count: number): void
  deadLettered?(reason: DeadLetterReason): void
  /** Deliveries that were not the first of their message. */
  redelivered?(count: number): void
  /** An attempt failed because of an outage. Its messages are held and retried. */
  held?(): void
  /** Messages in the stream not yet delivered to any replica. */
  lag?(messages: number): void
}
export type DeadLetterReason = 'poison' | 'retries_exhausted' | 'never_settled'

export type Consumption = {
  /**
   * Stops pulling and requeues at once the messages that no handler has. Running handlers get `graceMs` to finish; then
   * their signal aborts and their messages are requeued too. Resolves when the broker has the verdicts. A second call
   * waits for the first.
   */
  stop(): Promise<void>
  /** Resolves when stopped. Rejects only because of a bug in this lib; the service should then exit. */
  readonly done: Promise<void>
}

/** Consumes the sources that were added to it, in the same batches. */
export type PartitionedConsumption = Consumption & {
  /**
   * Consumes this partition too, as its only consumer, or the one stream. `stop` of the result ends that as `stop` of the whole does,
   * while the others go on. Its messages are then for the next owner, in the order of the stream.
   */
  add(partition: Partition): Pick<Consumption, 'stop'>
}
