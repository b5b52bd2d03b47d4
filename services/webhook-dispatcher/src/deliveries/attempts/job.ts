import type { Logger } from '@whereabouts/messaging/connect/logger'
import type { Bulkheads } from '../lanes/bulkheads.ts'
import type { DispatcherMetrics } from '../../metrics.ts'
import type { Payload } from '../../receivers/payload.ts'
import type { Post } from '../../receivers/http-post.ts'
import type { Subscriptions } from '../../subscriptions/subscriptions.ts'
import type { OpenedSecrets } from '../../webhooks/opened-secrets.ts'
import type { AttemptLogs } from './attempt-logs.ts'
import type { DeliveryStore } from './delivery-store.ts'

export type AttemptDeps = {
  store: DeliveryStore
  subscriptions: Subscriptions
  secrets: OpenedSecrets
  bulkheads: Bulkheads
  post: Post
  log: Logger
  logs: AttemptLogs
  metrics: DispatcherMetrics
  now: () => number
  random: () => number
  /** Rejects when the signal aborts. */
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/** A delivery. If its handling fails, the next handling gets the same object, with the attempts made so far. */
export type Job = {
  readonly orgId: number
  readonly payload: Payload
  /** When the broker stored the event; milliseconds. */
  readonly receivedAt: number
  /** Above 1: another replica, or this one before a crash, has had the message. */
  readonly deliveryCount: number
  attempts: number
  /** The webhook of the first look-up, which all attempts belong to (D13.13). */
  webhookId?: number
  /** How long it has waited for the state of the subscription; milliseconds. */
  heldMs: number
}

export type Signals = {
  /** The process stops: running attempts may end, and no other begins. */
  stopping: AbortSignal
  /** The grace period is over: running attempts are aborted. */
  abort: AbortSignal
}
