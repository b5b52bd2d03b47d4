import { setTimeout as delay } from 'node:timers/promises'
import { natsOf, type Broker } from '../connect/connection.ts'
import type { ConsumerMetrics, Consumption, FairShare, HandleContext } from './consumer.ts'
import type { Delivery } from '../messages/delivery.ts'
import { deadLetterExhausted } from './exhausted.ts'
import { Intake, type Want } from './intake.ts'
import { describeError, type Logger } from '../connect/logger.ts'
import { RETRY_DELAYS_MS } from './settle.ts'
import { Settler } from './settling.ts'
import { durables, MAX_DELIVER, OWNED, type DurableName } from '../connect/topology.ts'
import { streamOf } from '../connect/numbers.ts'

export type RunOptions = {
  logger: Logger
  /** Connection for dead letters, for consumers of another account than APP. The consumer's own when left out. */
  deadLetters?: Broker
  metrics?: ConsumerMetrics
  /** How long `stop()` lets running handlers finish. */
  graceMs?: number
  /** Consumes a partition of the durable's stream, as its only consumer. Left out: the one stream, shared by all replicas. */
  partition?: number | undefined
}

type Policy = {
  durable: DurableName
  retryDelaysMs?: readonly number[]
  isOutage?(error: unknown): boolean
  fair?: FairShare
}

/**
 * Result of an attempt: its error, or undefined after success. `stopped`: it was not finished because we are
 * stopping.
 */
export type Attempt = { error: unknown } | 'stopped'

/** Large messages of one group wait in memory, so that the messages behind them can still be read. */
const FAIR_CAPACITY_BYTES = 32 * 1024 * 1024
/** How long handlers may still run after their signal was aborted. */
const ABORT_MS = 1_000
const FLUSH_MS = 2_000
const MAX_OUTAGE_WAIT_MS = 5_000

/** The part that `consume` and `consumeBatches` share: intake, held messages, attempts, stopping. */
export class ConsumerRun {
  readonly intake: Intake
  readonly settler: Settler
  readonly #broker: Broker
  readonly #policy: Policy
  readonly #options: RunOptions
  readonly #stream: string
  readonly #ackWaitMs: number
  /** Whether messages are kept alive while a handler has them, because the broker waits for a short time only. */
  readonly #isOwner: boolean
  readonly #stopping = new AbortController()
  readonly #graceOver = new AbortController()
  /** Taken from the intake and not yet released. */
  readonly #taken = new Set<Delivery>()
  /** Those of them that no handler has at the moment. */
  readonly #parked = new Set<Delivery>()
  #lastProgress = Date.now()

  constructor(broker: Broker, policy: Policy, capacity: number, options: RunOptions) {
    const { durable, retryDelaysMs = RETRY_DELAYS_MS } = policy
    if (retryDelaysMs.length + 1 >= MAX_DELIVER)
      throw new Error(`${durable}: too many retries for MAX_DELIVER`)
    const { logger, metrics, deadLetters = broker, partition } = options
    const { ackWaitMs } = durables[durable]
    const stream = streamOf(durables[durable].stream, partition ?? 0)
    this.#isOwner = partition !== undefined
    this.#stream = stream
    this.#broker = broker
    this.#policy = policy
    this.#options = options
    this.#ackWaitMs = this.#isOwner ? OWNED.ackWaitMs : ackWaitMs
    this.settler = new Settler(deadLetters, { durable, retryDelaysMs, logger, metrics })
    this.intake = new Intake(broker, {
      stream,
      consumer: durable,
      capacity,
      ...(policy.fair?.overflow && { capacityBytes: FAIR_CAPACITY_BYTES }),
      fair: policy.fair,
      group: this.#isOwner ? OWNED.group : undefined,
      onTrouble: (reason) => logger.warn({ stream, durable, reason }, 'consumer waits for the broker'),
    })
  }

  /** Runs `loop` until the intake is closed. */
  start(loop: () => Promise<void>): Consumption {
    const { durable } = this.#policy
    const { logger, metrics, deadLetters = this.#broker } = this.#options
    const keepAlive = setInterval(() => this.#keepAlive(), this.#ackWaitMs / 6)
    const stopListening = deadLetterExhausted(this.#broker, {
      stream: this.#stream,
      durable,
      deadLetters,
      logger,
      metrics,
    })
    const done = loop().finally(() => {
      clearInterval(keepAlive)
      stopListening()
    })
    done.catch((error: unknown) => {
      this.#options.logger.error(
        { durable: this.#policy.durable, reason: describeError(error) },
        'consumer loop crashed',
      )
    })
    let stopped: Promise<void> | undefined
    return { done, stop: () => (stopped ??= this.#stop(done)) }
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted
  }

  /** The next deliveries to be handled; undefined when stopped. */
  async take(want: Want): Promise<Delivery[] | undefined> {
    const taken = await this.intake.next(want)
    return taken.length === 0 ? undefined : this.#begin(taken)
  }

  /** Those that have arrived already, without waiting. */
  async takeMore({ max, maxBytes, mayTake }: Want): Promise<Delivery[]> {
    return max > 0 ? this.#begin(this.intake.take(max, maxBytes, mayTake)) : []
  }

  /** Deliveries that the broker is about to give up on become dead letters instead. */
  async #begin(all: Delivery[]): Promise<Delivery[]> {
    this.#measure(all)
    for (const delivery of all) this.#taken.add(delivery)
    const taken = this.#withoutWaiting(all)
    // No handler ever lived to report a failure, or our own retry policy would have ended them earlier.
    const exhausted = taken.filter((delivery) => delivery.deliveryCount >= MAX_DELIVER)
    if (exhausted.length === 0) return taken
    const reason = `delivered ${MAX_DELIVER} times and never settled`
    await Promise.all(exhausted.map((delivery) => this.settler.deadLetter(delivery, reason, 'never_settled')))
    this.release(exhausted)
    return taken.filter((delivery) => delivery.deliveryCount < MAX_DELIVER)
  }

  /** The messages of a group that must wait go to OVERFLOW in their order: these, then those that wait behind them. */
  #withoutWaiting(taken: Delivery[]): Delivery[] {
    const { fair } = this.#policy
    const overflow = fair?.overflow
    if (!fair?.mustWait || !overflow) return taken
    const firsts = new Map<string, Delivery>()
    for (const delivery of taken) if (!firsts.has(delivery.group)) firsts.set(delivery.group, delivery)
    const waiting = new Set(
      [...firsts.values()].filter((first) => fair.mustWait?.(first)).map(({ group }) => group),
    )
    if (waiting.size === 0) return taken
    const moved = new Set(taken.filter((delivery) => waiting.has(delivery.group) && overflow.move(delivery)))
    this.release([...moved])
    for (const group of waiting) this.intake.setAside(group)
    return taken.filter((delivery) => !moved.has(delivery))
  }

  #measure(taken: readonly Delivery[]): void {
    const { metrics } = this.#options
    metrics?.lag?.(this.intake.pending)
    let redelivered = 0
    for (const { deliveryCount } of taken) if (deliveryCount > 1) redelivered += 1
    if (redelivered > 0) metrics?.redelivered?.(redelivered)
  }

  /** Ends the work on these deliveries, whether they were settled or not. */
  release(deliveries: readonly Delivery[]): void {
    const overflow = this.#policy.fair?.overflow
    for (const delivery of deliveries) {
      if (this.#taken.delete(delivery)) overflow?.release(delivery.group)
      this.#parked.delete(delivery)
    }
  }

  /** These deliveries are handled later. Until then the broker is told that we still hold them. */
  park(deliveries: readonly Delivery[]): void {
    for (const delivery of deliveries) this.#parked.add(delivery)
  }

  /** Calls a handler. Repeats the call while the policy says that the failure is an outage. */
  async attempt(
    deliveries: readonly Delivery[],
    work: (context: HandleContext) => Promise<void>,
  ): Promise<Attempt> {
    const context = { signal: this.#graceOver.signal, working: () => this.#working(deliveries) }
    for (const delivery of deliveries) this.#parked.delete(delivery)
    for (let waitMs = 250; ; waitMs = Math.min(2 * waitMs, MAX_OUTAGE_WAIT_MS)) {
      this.#noteProgress(deliveries)
      const error = await failureOf(work(context))
      this.#noteProgress(deliveries)
      if (error === undefined) return { error }
      if (this.#graceOver.signal.aborted) return 'stopped'
      if (!this.#isOutage(error)) return { error }
      if (this.isStopping) return 'stopped'
      this.#options.metrics?.held?.()
      const { durable } = this.#policy
      const fields = {
        durable,
        messages: deliveries.length,
        reason: describeError(error),
        retry_in_ms: waitMs,
      }
      this.#options.logger.warn(fields, 'consumer holds messages during an outage')
      await delay(waitMs * (0.8 + 0.4 * Math.random()), undefined, { signal: this.#stopping.signal }).catch(
        () => {},
      )
      if (this.isStopping) return 'stopped'
      this.#working(deliveries)
    }
  }

  #isOutage(error: unknown): boolean {
    return this.#policy.isOutage?.(error) ?? false
  }

  /** An express batch does not count as progress: the batch that it overtook may hang. */
  #noteProgress([first]: readonly Delivery[]): void {
    if (!first?.isExpress) this.#lastProgress = Date.now()
  }

  #working(deliveries: readonly Delivery[]): void {
    this.#noteProgress(deliveries)
    for (const delivery of deliveries) delivery.working()
  }

  /**
   * Tells the broker that we still hold the waiting messages, so that it does not redeliver them. Only while there is
   * progress: if a handler hangs, the broker gives the messages behind it to another replica.
   */
  #keepAlive(): void {
    const now = Date.now()
    if (now - this.#lastProgress > durables[this.#policy.durable].ackWaitMs) return
    const moving = this.#policy.fair?.overflow?.waiting ?? []
    const held = this.#isOwner ? this.#taken : this.#parked
    for (const delivery of [...held, ...this.intake.buffered, ...moving]) {
      if (now - delivery.heldSince > this.#ackWaitMs / 3) delivery.working()
    }
  }

  async #stop(done: Promise<void>): Promise<void> {
    const { graceMs = 10_000 } = this.#options
    this.#stopping.abort()
    const moving = this.#policy.fair?.overflow?.close() ?? []
    if (this.#isOwner) this.settler.leave()
    const left = this.#isOwner ? this.intake.drain() : [...this.intake.close(), ...moving]
    this.settler.requeue([...(Array.isArray(left) ? left : moving), ...this.#parked])
    const timer = setTimeout(() => this.#graceOver.abort(), graceMs)
    const timeout = delay(graceMs + ABORT_MS, undefined, { ref: false })
    await Promise.race([done.catch(() => {}), timeout])
    clearTimeout(timer)
    this.settler.requeue([...(await left), ...this.#taken])
    this.settler.close()
    this.#options.metrics?.lag?.(0) // another replica reads on
    this.#options.metrics?.ended?.()
    await this.#flush()
    if (this.#isOwner) await this.#handOver()
  }

  /**
   * The next owner gets what is not acknowledged, and then what comes after it, in the order of the stream. If the broker does not
   * answer, the next owner waits until the messages and the pin have expired.
   */
  async #handOver(): Promise<void> {
    const { durable } = this.#policy
    // One that was never the owner must not take the messages from the one that is.
    if (!this.intake.isOwner || !this.#broker.isConnected()) return
    const ask = (what: 'RESET' | 'UNPIN', body: object) =>
      natsOf(this.#broker).request(
        `$JS.API.CONSUMER.${what}.${this.#stream}.${durable}`,
        JSON.stringify(body),
        {
          timeout: FLUSH_MS,
        },
      )
    try {
      await ask('RESET', {})
      await ask('UNPIN', { group: OWNED.group })
    } catch (error) {
      const fields = { durable, stream: this.#stream, reason: describeError(error) }
      this.#options.logger.warn(fields, 'partition could not be handed over at once')
    }
  }

  /** Verdicts are sent without waiting for an answer, so a process that ends must flush them. */
  async #flush(): Promise<void> {
    if (!this.#broker.isConnected()) return
    const flushed = natsOf(this.#broker).flush()
    await Promise.race([flushed.catch(() => {}), delay(FLUSH_MS, undefined, { ref: false })])
  }
}

async function failureOf(work: Promise<void>): Promise<unknown> {
  try {
    await work
    return undefined
  } catch (error) {
    return error ?? new Error('rejected without a reason')
  }
}
