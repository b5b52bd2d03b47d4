import { setTimeout as delay } from 'node:timers/promises'
import { natsOf, type Broker } from '../connect/connection.ts'
import type { ConsumerMetrics, FairShare, HandleContext, PartitionedConsumption } from './consumer.ts'
import type { Delivery } from '../messages/delivery.ts'
import { deadLetterExhausted } from './exhausted.ts'
import { Intake, type Want } from './intake.ts'
import { describeError, type Logger } from '../connect/logger.ts'
import { MAX_BYTES } from './pull.ts'
import { RETRY_DELAYS_MS } from './settle.ts'
import { Settler } from './settling.ts'
import { Source, type Partition } from './source.ts'
import { durables, MAX_DELIVER, OWNED, type DurableName } from '../connect/topology.ts'

export type RunOptions = {
  logger: Logger
  /** Connection for dead letters, for consumers of another account than APP. The consumer's own when left out. */
  deadLetters?: Broker
  metrics?: ConsumerMetrics
  /** How long `stop()` lets running handlers finish. */
  graceMs?: number
}

type Policy = {
  durable: DurableName
  retryDelaysMs?: readonly number[]
  isOutage?(error: unknown): boolean
  fair?: FairShare
}

/**
 * Result of an attempt: its error, or undefined after success. `stopped`: it was not finished because a source of its messages is
 * being left.
 */
export type Attempt = { error: unknown } | 'stopped'

/** Of all sources together. Large messages of one group wait in memory, so that the messages behind them can still be read. */
const FAIR_CAPACITY_BYTES = 32 * 1024 * 1024
const GRACE_MS = 10_000
/** How long handlers may still run after their signal was aborted. */
const ABORT_MS = 1_000
const FLUSH_MS = 2_000
const MAX_OUTAGE_WAIT_MS = 5_000

/** A call of a handler. `over` ends it, `pause` its wait during an outage. */
type Running = { deliveries: readonly Delivery[]; over: AbortController; pause?: AbortController }

/** The part that `consume` and `consumeBatches` share: sources, intake, held messages, attempts, stopping. */
export class ConsumerRun {
  readonly intake: Intake
  readonly settler: Settler
  readonly #broker: Broker
  readonly #policy: Policy
  readonly #options: RunOptions
  /** Those that are not left yet, each with its end. */
  readonly #sources = new Map<Source, () => Promise<void>>()
  #isStopping = false
  readonly #running = new Set<Running>()
  /** Taken from the intake and not yet released. */
  readonly #taken = new Set<Delivery>()
  /** Those of them that no handler has at the moment. */
  readonly #parked = new Set<Delivery>()
  /** Called when deliveries were released. */
  readonly #released = new Set<() => void>()
  #lastProgress = Date.now()

  constructor(broker: Broker, policy: Policy, capacity: number, options: RunOptions) {
    const { durable, retryDelaysMs = RETRY_DELAYS_MS, fair } = policy
    if (retryDelaysMs.length + 1 >= MAX_DELIVER)
      throw new Error(`${durable}: too many retries for MAX_DELIVER`)
    const { logger, metrics, deadLetters = broker } = options
    this.#broker = broker
    this.#policy = policy
    this.#options = options
    this.settler = new Settler(deadLetters, { durable, retryDelaysMs, logger, metrics })
    const capacityBytes = fair?.overflow ? FAIR_CAPACITY_BYTES : MAX_BYTES
    this.intake = new Intake({ capacity, capacityBytes, fair })
  }

  /** Runs `loop` until the intake is closed. */
  start(loop: () => Promise<void>): PartitionedConsumption {
    const everyMs = Math.min(durables[this.#policy.durable].ackWaitMs, OWNED.ackWaitMs) / 6
    const keepAlive = setInterval(() => this.#keepAlive(), everyMs)
    const done = loop().finally(() => clearInterval(keepAlive))
    done.catch((error: unknown) => {
      this.#options.logger.error(
        { durable: this.#policy.durable, reason: describeError(error) },
        'consumer loop crashed',
      )
    })
    let stopped: Promise<void> | undefined
    return {
      done,
      stop: () => (stopped ??= this.#stop(done)),
      add: (partition) => ({ stop: this.add(partition) }),
    }
  }

  /** Pulls from a source too. The result ends that. */
  add(partition: Partition): () => Promise<void> {
    if (this.#isStopping) return async () => {}
    const { durable } = this.#policy
    const { logger, metrics, deadLetters = this.#broker } = this.#options
    const source: Source = new Source(this.#broker, {
      durable,
      partition,
      room: (asking) => this.intake.room(asking),
      least: () => this.intake.leastRoom,
      onTrouble: (reason) =>
        logger.warn({ stream: source.stream, durable, reason }, 'consumer waits for the broker'),
      onArrival: (delivery) => this.intake.arrive(delivery),
    })
    const { stream } = source
    const stopListening = deadLetterExhausted(this.#broker, { stream, durable, deadLetters, logger, metrics })
    let left: Promise<void> | undefined
    const leave = () => (left ??= this.#leave(source).finally(stopListening))
    this.#sources.set(source, leave)
    this.intake.add(source)
    source.ask()
    return leave
  }

  /** Gives back the messages of sources that are being left. Returns the others. */
  keep<T extends { delivery: Delivery }>(items: readonly T[]): readonly T[] {
    const left = items.flatMap(({ delivery }) => (delivery.source.isLeaving ? [delivery] : []))
    if (left.length === 0) return items
    this.settler.requeue(left)
    this.release(left)
    return items.filter(({ delivery }) => !delivery.source.isLeaving)
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
    for (const recheck of this.#released) recheck()
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
    for (const delivery of deliveries) this.#parked.delete(delivery)
    const running: Running = { deliveries, over: new AbortController() }
    this.#running.add(running)
    try {
      return await this.#repeat(running, work)
    } finally {
      this.#running.delete(running)
    }
  }

  async #repeat(running: Running, work: (context: HandleContext) => Promise<void>): Promise<Attempt> {
    const { deliveries } = running
    const { signal } = running.over
    const context = { signal, working: () => this.#working(deliveries) }
    const isLeaving = () => deliveries.some(({ source }) => source.isLeaving)
    for (let waitMs = 250; ; waitMs = Math.min(2 * waitMs, MAX_OUTAGE_WAIT_MS)) {
      this.#noteProgress(deliveries)
      const error = await failureOf(work(context))
      this.#noteProgress(deliveries)
      if (error === undefined) return { error }
      if (signal.aborted) return 'stopped'
      if (!this.#isOutage(error)) return { error }
      if (isLeaving()) return 'stopped'
      this.#options.metrics?.held?.()
      const { durable } = this.#policy
      const fields = {
        durable,
        messages: deliveries.length,
        reason: describeError(error),
        retry_in_ms: waitMs,
      }
      this.#options.logger.warn(fields, 'consumer holds messages during an outage')
      running.pause = new AbortController()
      await delay(waitMs * (0.8 + 0.4 * Math.random()), undefined, { signal: running.pause.signal }).catch(
        () => {},
      )
      if (isLeaving()) return 'stopped'
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
    // The broker waits for an owner for a short time only: also while a handler has its messages.
    const held = [...this.#taken].filter((delivery) => delivery.source.isOwned || this.#parked.has(delivery))
    for (const delivery of [...held, ...this.intake.buffered, ...moving]) {
      if (now - delivery.heldSince > delivery.source.ackWaitMs / 3) delivery.working()
    }
  }

  async #stop(done: Promise<void>): Promise<void> {
    const { graceMs = GRACE_MS } = this.#options
    this.#isStopping = true
    const timeout = delay(graceMs + ABORT_MS, undefined, { ref: false })
    this.intake.close()
    this.#policy.fair?.overflow?.close()
    await Promise.all([...this.#sources.values()].map((leave) => leave()))
    await Promise.race([done.catch(() => {}), timeout])
    this.settler.close()
  }

  /** Takes nothing more of a source, finishes what handlers have of it, and hands it over. Other sources go on. */
  async #leave(source: Source): Promise<void> {
    const { graceMs = GRACE_MS, metrics, logger } = this.#options
    const isOf = (delivery: Delivery) => delivery.source === source
    source.isLeaving = true
    const moving = this.#policy.fair?.overflow?.leave(source.stream) ?? []
    const drained = source.drain()
    const parked = [...this.#parked].filter(isOf)
    this.settler.requeue([...this.intake.remove(source), ...moving, ...parked])
    this.release(parked)
    metrics?.lag?.(this.intake.pending) // another replica reads on
    for (const { deliveries, pause } of this.#running) if (deliveries.some(isOf)) pause?.abort()
    const timer = setTimeout(() => {
      for (const { deliveries, over } of this.#running) if (deliveries.some(isOf)) over.abort()
    }, graceMs)
    await this.#untilReleased(isOf, graceMs + ABORT_MS)
    clearTimeout(timer)
    await drained
    this.settler.requeue([...this.#taken].filter(isOf))
    await this.#flush()
    try {
      await source.handOver()
    } catch (error) {
      const fields = {
        durable: this.#policy.durable,
        stream: source.stream,
        reason: describeError(error),
      }
      logger.warn(fields, 'partition could not be handed over at once')
    }
    this.#sources.delete(source)
  }

  /** Resolves when none of these deliveries is in work, or after `mostMs`. */
  #untilReleased(isMeant: (delivery: Delivery) => boolean, mostMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#released.delete(recheck)
        resolve()
      }
      const recheck = () => {
        if (!this.#taken.values().some(isMeant)) end()
      }
      const timer = setTimeout(end, mostMs)
      this.#released.add(recheck)
      recheck()
    })
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
