import type { Arrival, IncomingMessage } from './delivery.ts'
import type { Overflow } from './overflow.ts'
import type { DurableName } from './topology.ts'

export type HandleContext = {
  /** Aborts when the consumer was stopped and its grace is over: what is not done by then is handed back. */
  signal: AbortSignal
  /** For handlers that may take longer than the durable's `ackWaitMs`: call it more often than that. */
  working: () => void
}

/** How the messages of several groups (organizations) share a consumer. All of it is asked on arrival, before decoding. */
export type FairShare = {
  /** Those of a group are handled in order of arrival; groups take turns. */
  groupOf(message: Pick<IncomingMessage, 'subject'>): string
  /** False: it is acknowledged and never handled. Whoever says so counts it. */
  admit?(message: Arrival): boolean
  /** Where a flood waits, so that others need not. */
  overflow?: Overflow
}

type Policy<T> = {
  durable: DurableName
  /** Waits before the second, third, … delivery. After one more failure the message becomes a dead letter. */
  retryDelaysMs?: readonly number[]
  /** Throws PoisonError for a message that can never be handled: only that message becomes a dead letter. */
  decode(message: IncomingMessage): T
  /**
   * True: something we depend on is at fault, not the message (the database is down). Such messages are held and
   * tried again until it is over, without using up their deliveries; the broker keeps what follows.
   */
  isOutage?(error: unknown): boolean
}

/** Handles messages one by one. Resolving acknowledges. Rejecting retries; after the last retry the message is a dead letter. */
export type MessageConsumer<T> = Policy<T> & {
  /** How many are handled at the same time, started in order of arrival. 1 when left out. */
  concurrency?: number
  handle(message: T, context: HandleContext): Promise<void>
}

/** Handles messages in batches. A batch that rejects is handled again one by one, so one bad message is settled alone. */
export type BatchConsumer<T> = Policy<T> & {
  maxMessages: number
  /** A batch closes with the message that reaches it, so that large messages make small batches. No bound when left out. */
  maxBytes?: number
  /** Counted from the arrival of the batch's first message. */
  maxWaitMs: number
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
  /** An attempt ended because something was away; its messages are held and tried again. */
  held?(): void
  /** Messages in the stream not yet delivered to any replica. */
  lag?(messages: number): void
}
export type DeadLetterReason = 'poison' | 'retries_exhausted' | 'never_settled'

export type Consumption = {
  /**
   * Stops pulling, hands back at once what was not begun, gives what was begun `graceMs` to finish, then aborts its
   * signal and hands it back too. Resolves when the verdicts have reached the broker. Calling it again waits with it.
   */
  stop(): Promise<void>
  /** Resolves when stopped. Rejects only for a bug in this lib: a service should end then. */
  readonly done: Promise<void>
}
