import { organizationOf } from '@whereabouts/contracts/messages/subjects/organization-of'
import { RateBuckets } from '@whereabouts/service-kit/limits/rate-buckets'
import { countedLog, type CountedLog } from '@whereabouts/service-kit/observe/counted-log'
import type { Broker } from '../connect/connection.ts'
import type { DeadLetterReason, ConsumerMetrics } from './consumer.ts'
import { keepDeadLetter, printable } from '../dead-letters/dead-letters.ts'
import type { Delivery } from '../messages/delivery.ts'
import { describeError, type Logger } from '../connect/logger.ts'
import { PoisonError, settle } from './settle.ts'

export type SettlerOptions = {
  durable: string
  retryDelaysMs: readonly number[]
  logger: Logger
  metrics?: ConsumerMetrics | undefined
}

/**
 * Unreadable messages of an organization that are kept: 100 at once, as many as DEAD keeps of it, then one a second. More
 * would only replace each other, and storing them would delay the messages of others.
 */
const KEPT = { perSecond: 1, burstSeconds: 100 }

/** Carries out verdicts. Only this class and `Delivery` acknowledge messages. */
export class Settler {
  readonly #broker: Broker
  readonly #options: SettlerOptions
  readonly #kept = new RateBuckets(KEPT.burstSeconds)
  /** Any reader can cause dead letters at its full rate. */
  readonly #deadLettered: CountedLog

  constructor(broker: Broker, options: SettlerOptions) {
    this.#broker = broker
    this.#options = options
    this.#deadLettered = countedLog((fields) =>
      options.logger.error(fields, 'message moved to the dead letters'),
    )
  }

  /** Call it after the commit, never before. */
  acknowledge(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) delivery.ack()
    this.#options.metrics?.handled('ack', deliveries.length)
  }

  /** Gives messages back to the broker, which delivers them to another replica. */
  requeue(deliveries: readonly Delivery[]): void {
    const held = deliveries.filter((delivery) => !delivery.settled)
    if (held.length === 0) return
    for (const delivery of held) delivery.giveBack()
    this.#options.metrics?.handled('return', held.length)
    this.#options.logger.info({ durable: this.#options.durable, messages: held.length }, 'messages requeued')
  }

  async settle(delivery: Delivery, error: unknown): Promise<void> {
    const { retryDelaysMs, metrics, logger } = this.#options
    const verdict = settle(error, delivery.deliveryCount, retryDelaysMs)
    if (verdict.do === 'ack') return this.acknowledge([delivery])
    if (verdict.do === 'dead-letter') {
      const poison = error instanceof PoisonError
      if (!poison)
        logger.error({ ...this.#about(delivery), reason: describeError(error) }, 'last attempt failed')
      return this.deadLetter(delivery, verdict.reason, poison ? 'poison' : 'retries_exhausted')
    }
    delivery.nak(verdict.delayMs)
    metrics?.handled('nak', 1)
    const fields = { reason: describeError(error), retry_in_ms: verdict.delayMs }
    logger.warn({ ...this.#about(delivery), ...fields }, 'message failed and will be retried')
  }

  /**
   * Stores a dead letter, then ends the message. If it cannot be stored, the broker redelivers the message. Of many
   * unreadable messages of one organization it ends and counts the excess without storing it.
   */
  async deadLetter(delivery: Delivery, reason: string, kind: DeadLetterReason): Promise<void> {
    const { metrics, logger } = this.#options
    const org = organizationOf(delivery.subject) ?? 0
    const fields = { ...this.#about(delivery), reason: printable(reason) }
    if (kind !== 'poison' || this.#kept.take(org, Date.now(), KEPT.perSecond))
      try {
        const { info, subject, data, headers } = delivery
        await keepDeadLetter(this.#broker, { ...info, subject, data, headers, reason })
      } catch (error) {
        logger.error(
          { ...fields, failure: describeError(error) },
          'message not moved to the dead letters; it will be redelivered',
        )
        return
      }
    delivery.term(printable(reason))
    metrics?.deadLettered?.(kind)
    metrics?.handled('bury', 1)
    this.#deadLettered.count(`${org} ${kind}`, fields)
  }

  /** Writes the counts that have no line yet. */
  close(): void {
    this.#deadLettered.close()
  }

  #about(delivery: Delivery) {
    const { subject, streamSeq, deliveryCount, headers } = delivery
    const request = headers['request_id'] === undefined ? {} : { request_id: headers['request_id'] }
    const { durable } = this.#options
    return { durable, subject, stream_seq: streamSeq, delivery_count: deliveryCount, ...request }
  }
}
