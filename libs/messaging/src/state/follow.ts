import type { JetStreamManager, Msg, Subscription } from 'nats'
import { setTimeout as delay } from 'node:timers/promises'
import { natsOf, type Broker } from '../connect/connection.ts'
import type { DeliveryInfo } from '../messages/delivery.ts'
import { ephemeralConsumer } from '../messages/ephemeral-consumer.ts'
import { describeError, type Logger } from '../connect/logger.ts'
import { immediateSubject } from '../messages/publish.ts'
import { startPull, type Pull } from '../consume/pull.ts'
import { streams, type StreamName } from '../connect/topology.ts'
import { UnreadableStates, type StateMetrics } from './unreadable-states.ts'

export type FollowOptions = {
  stream: StreamName
  /** A subject pattern; the whole stream if left out. */
  filter?: string
  /**
   * True: states from `immediatePublish` are also applied before the stream has stored them, for views that must not
   * wait until a cluster has elected a leader. The outbox retries states that were not stored.
   */
  immediate?: boolean
  /** `now`: skips what the stream holds at the start, and the content of a recreated stream. */
  from?: 'start' | 'now'
  /**
   * Called for each state in stream order, one at a time: first for all states in the stream, then for each change.
   * After an interruption states may come again: compare `revision`. If it throws, the state is logged and skipped.
   */
  onState: (subject: string, payload: unknown, seq: number) => void
  /** The stream was recreated or has lost its end. Drop all applied states: the stream is read from the start again. */
  onReset?: () => void
  /** The state of this subject could not be read, or `onState` threw: the applied state is out of date. */
  onUnreadable?: (subject: string) => void
  /** Subject of the request that makes the owner publish an unreadable state again, see `UnreadableStates`. */
  owner?: string
  stateMetrics?: StateMetrics | undefined
  logger: Logger
}

const CAPACITY = 1_000
const RETRY_MS = 1_000
const PREFIX_LENGTH = immediateSubject('').length

/**
 * Keeps a view in memory up to date with a compacted stream. Each process follows the stream with its own ephemeral
 * consumer. After an interruption a new consumer continues after the last state.
 */
export const followStream = (broker: Broker, options: FollowOptions): Follower =>
  new Follower(broker, options)

export class Follower {
  /**
   * Resolves when all states that the stream held at the start are applied. Never rejects; after `stop` it may stay
   * pending.
   */
  readonly caughtUp: Promise<void>
  readonly #broker: Broker
  readonly #options: FollowOptions
  readonly #stopping = new AbortController()
  readonly #reachedHead = Promise.withResolvers<void>()
  readonly #unreadable: UnreadableStates
  #isCaughtUp = false
  #hasCaughtUp = false
  #applied = 0
  #skipped = 0
  #pending = 0
  #lastSeq = 0
  /** If it changes, this is another stream, whose sequence starts again. */
  #streamCreated: string | undefined
  #headSeq = 0

  constructor(broker: Broker, options: FollowOptions) {
    this.#broker = broker
    this.#options = options
    this.caughtUp = this.#reachedHead.promise
    const { owner, logger, stateMetrics: metrics } = options
    const { signal } = this.#stopping
    this.#unreadable = new UnreadableStates({ broker, owner, signal, logger, metrics })
    void this.#run()
  }

  /** False again after an interruption, until the missed states have been read. */
  isCaughtUp(): boolean {
    return this.#isCaughtUp
  }
  /** True from when `caughtUp` resolves, also while the broker is away: what is known may be old then. */
  hasCaughtUp(): boolean {
    return this.#hasCaughtUp
  }
  /** States applied since the start, states skipped as unreadable, and states that were pending at the last message. */
  progress(): { applied: number; skipped: number; pending: number } {
    return { applied: this.#applied, skipped: this.#skipped, pending: this.#pending }
  }
  /** Sequence of the last state seen; 0 before the first. */
  lastSeq(): number {
    return this.#lastSeq
  }
  /** The last sequence of the stream when reading began; 0 before that. */
  headSeq(): number {
    return this.#headSeq
  }
  /** When the stream was created, as text from the broker; undefined before the first connection. */
  streamCreated(): string | undefined {
    return this.#streamCreated
  }
  async stop(): Promise<void> {
    this.#stopping.abort()
  }

  async #run(): Promise<void> {
    const { stream, logger } = this.#options
    const { signal } = this.#stopping
    const subscription = this.#subscribeImmediate()
    while (!signal.aborted) {
      try {
        const reason = await this.#followUntilTrouble()
        if (!signal.aborted)
          logger.warn({ stream, reason, last_seq: this.#lastSeq }, 'stream interrupted; will follow it again')
      } catch (error) {
        logger.warn({ stream, reason: describeError(error) }, 'stream cannot be followed yet')
      }
      await delay(RETRY_MS / 2 + (Math.random() * RETRY_MS) / 2, undefined, { signal }).catch(() => {})
    }
    if (!natsOf(this.#broker).isClosed()) subscription?.unsubscribe()
  }

  #subscribeImmediate(): Subscription | undefined {
    const { immediate = false, stream, filter = streams[stream].subjects[0] } = this.#options
    if (!immediate) return undefined
    const callback = (error: Error | null, msg: Msg) => {
      if (!error && this.#streamCreated !== undefined) this.#applyImmediate(msg)
    }
    return natsOf(this.#broker).subscribe(immediateSubject(filter), { callback })
  }

  /** An unreadable one is neither counted nor logged: the same state comes again from the stream. */
  #applyImmediate(msg: Msg): void {
    try {
      this.#options.onState(msg.subject.slice(PREFIX_LENGTH), msg.json(), this.#lastSeq)
    } catch {
      this.#options.onUnreadable?.(msg.subject.slice(PREFIX_LENGTH))
    }
  }

  /** Resolves with the reason of an interruption, or with `stopped`. */
  async #followUntilTrouble(): Promise<string> {
    const jsm = await natsOf(this.#broker).jetstreamManager({ checkAPI: false })
    await this.#inspectStream(jsm)
    const { stream, filter } = this.#options
    const fromSeq = this.#lastSeq + 1
    const consumer = await ephemeralConsumer(this.#broker, { stream, prefix: 'follower', fromSeq, filter })
    this.#pending = consumer.pending
    if (consumer.pending === 0) this.#caughtUpNow()
    let pull: Pull | undefined
    const trouble = await new Promise<string>((resolve) => {
      this.#stopping.signal.addEventListener('abort', () => resolve('stopped'), { once: true })
      if (this.#stopping.signal.aborted) resolve('stopped')
      pull = this.#pullFrom(consumer.name, resolve)
    })
    pull?.stop()
    consumer.remove()
    return trouble
  }

  async #inspectStream(jsm: JetStreamManager): Promise<void> {
    const { stream, from = 'start' } = this.#options
    const { created, state } = await jsm.streams.info(stream)
    const known = this.#streamCreated
    this.#streamCreated = created
    // A broker that lost the last seconds of its disk reuses sequence numbers: new states would look old.
    const rewound = state.last_seq < this.#lastSeq
    this.#headSeq = state.last_seq
    if (known === created && !rewound) return
    this.#lastSeq = from === 'now' ? state.last_seq : 0
    if (known === undefined) return
    this.#isCaughtUp = false
    this.#options.logger.warn(
      { stream, from_seq: this.#lastSeq + 1 },
      'stream was recreated; replaying from the start',
    )
    this.#unreadable.clear()
    this.#options.onReset?.()
  }

  #pullFrom(consumer: string, onTrouble: (reason: string) => void): Pull {
    let delivered = 0
    let broken = false
    const fail = (reason: string) => {
      broken = true
      this.#isCaughtUp = false // changes since then are not known yet
      onTrouble(reason)
    }
    return startPull(this.#broker, {
      stream: this.#options.stream,
      consumer,
      room: () => CAPACITY,
      least: () => CAPACITY / 2,
      onTrouble: fail,
      onIdle: () => {
        if (!broken) this.#caughtUpNow()
      },
      onMessage: (msg, info) => {
        if (broken || this.#stopping.signal.aborted) return
        delivered += 1
        // A message was lost, for instance with a connection: everything after the gap is read again.
        if (info.deliverySeq !== delivered) return fail('a message is missing')
        this.#apply(msg, info)
      },
    })
  }

  #apply(msg: Msg, info: DeliveryInfo): void {
    const { onState, logger, stream } = this.#options
    try {
      onState(msg.subject, msg.json(), info.streamSeq)
      this.#applied += 1
      this.#unreadable.replaced(msg.subject)
    } catch (error) {
      this.#skipped += 1
      this.#unreadable.found(msg.subject)
      this.#options.onUnreadable?.(msg.subject)
      const fields = {
        stream,
        subject: msg.subject,
        stream_seq: info.streamSeq,
        reason: describeError(error),
      }
      logger.error(fields, 'state could not be applied')
    }
    this.#lastSeq = info.streamSeq
    this.#pending = info.pending
    if (info.pending === 0 || info.streamSeq >= this.#headSeq) this.#caughtUpNow()
  }

  #caughtUpNow(): void {
    if (this.#isCaughtUp) return
    this.#isCaughtUp = true
    this.#hasCaughtUp = true
    const { stream, logger } = this.#options
    logger.info({ stream, applied: this.#applied, last_seq: this.#lastSeq }, 'caught up with the stream')
    this.#reachedHead.resolve()
  }
}
