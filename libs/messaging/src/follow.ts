import {
  AckPolicy,
  DeliverPolicy,
  nanos,
  nuid,
  ReplayPolicy,
  type JetStreamManager,
  type Msg,
  type Subscription,
} from 'nats'
import { setTimeout as delay } from 'node:timers/promises'
import { natsOf, type Broker } from './connection.ts'
import type { DeliveryInfo } from './delivery.ts'
import { describeError, type Logger } from './logger.ts'
import { immediateSubject } from './publish.ts'
import { startPull, type Pull } from './pull.ts'
import { streams, type StreamName } from './topology.ts'
import { UnreadableStates, type StateMetrics } from './unreadable-states.ts'

export type FollowOptions = {
  stream: StreamName
  /** A subject pattern; everything in the stream when left out. */
  filter?: string
  /**
   * True: states are also applied as they are published (`immediatePublish`), before the stream has stored them, for views
   * that must not wait for a cluster to elect a leader. The outbox publishes again what was not stored, until it is.
   */
  immediate?: boolean
  /** `now`: what the stream holds at the first look is passed over, and so is the content of one made anew. */
  from?: 'start' | 'now'
  /**
   * Called in stream order, one at a time, for each state: first all that the stream holds, then what changes. After
   * trouble states may come again, never older ones only: guard with `revision`. One that throws is logged and skipped.
   */
  onState: (subject: string, payload: unknown, seq: number) => void
  /** The stream was made anew, or lost its end: what follows is its content from the start. Forget what came before. */
  onReset?: () => void
  /** The state of this subject could not be read, or `onState` threw: what was known of it is no longer the newest. */
  onUnreadable?: (subject: string) => void
  /** Where its owner is asked to publish an unreadable state again, see `UnreadableStates`. */
  owner?: string
  stateMetrics?: StateMetrics
  logger: Logger
}

export type Follower = {
  /** Resolves when all that the stream held at the start has been applied. Never rejects; pending while stopped. */
  readonly caughtUp: Promise<void>
  /** False again from the moment of any trouble until what was missed has been read. */
  isCaughtUp(): boolean
  /** States applied since the start, those skipped as unreadable, and those still to come as last heard. */
  progress(): { applied: number; skipped: number; pending: number }
  /** Subjects whose newest state could not be read. */
  unreadable(): number
  /** Sequence of the last state seen; 0 before the first. */
  lastSeq(): number
  /** Where the stream ended when it began to be read; 0 before that. */
  headSeq(): number
  /** When the stream was created, as the broker writes it; undefined before the first look. */
  streamCreated(): string | undefined
  stop(): Promise<void>
}

const CAPACITY = 1_000
const RETRY_MS = 1_000
const PREFIX_LENGTH = immediateSubject('').length

/**
 * Keeps a view in memory up to date with a compacted stream. Each process follows by itself, through a consumer that
 * the broker forgets; after any trouble a new one is made that continues behind the last state seen.
 */
export function followStream(broker: Broker, options: FollowOptions): Follower {
  const follower = new StreamFollower(broker, options)
  void follower.run()
  return follower
}

class StreamFollower implements Follower {
  readonly caughtUp: Promise<void>
  readonly #broker: Broker
  readonly #options: FollowOptions
  readonly #stopping = new AbortController()
  readonly #reachedHead = Promise.withResolvers<void>()
  readonly #unreadable: UnreadableStates
  #isCaughtUp = false
  #applied = 0
  #skipped = 0
  #pending = 0
  #lastSeq = 0
  /** Creation time of the stream we read: another one means another stream, whose numbers begin again. */
  #streamCreated: string | undefined
  /** Where the stream ended when we began to read it. */
  #headSeq = 0

  constructor(broker: Broker, options: FollowOptions) {
    this.#broker = broker
    this.#options = options
    this.caughtUp = this.#reachedHead.promise
    const { stream, owner, logger, stateMetrics: metrics } = options
    const { signal } = this.#stopping
    this.#unreadable = new UnreadableStates({ broker, stream, owner, signal, logger, metrics })
  }

  isCaughtUp(): boolean {
    return this.#isCaughtUp
  }
  progress() {
    return { applied: this.#applied, skipped: this.#skipped, pending: this.#pending }
  }
  unreadable(): number {
    return this.#unreadable.size
  }
  lastSeq(): number {
    return this.#lastSeq
  }
  streamCreated(): string | undefined {
    return this.#streamCreated
  }
  headSeq(): number {
    return this.#headSeq
  }
  async stop(): Promise<void> {
    this.#stopping.abort()
  }

  async run(): Promise<void> {
    const { stream, logger } = this.#options
    const { signal } = this.#stopping
    const heard = this.#hearImmediate()
    while (!signal.aborted) {
      try {
        const reason = await this.#followUntilTrouble()
        if (!signal.aborted)
          logger.warn({ stream, reason, last_seq: this.#lastSeq }, 'following the stream anew')
      } catch (error) {
        logger.warn({ stream, reason: describeError(error) }, 'stream cannot be followed yet')
      }
      await delay(RETRY_MS / 2 + (Math.random() * RETRY_MS) / 2, undefined, { signal }).catch(() => {})
    }
    if (!natsOf(this.#broker).isClosed()) heard?.unsubscribe()
  }

  #hearImmediate(): Subscription | undefined {
    const { immediate = false, stream, filter = streams[stream].subjects[0] } = this.#options
    if (!immediate) return undefined
    const callback = (error: Error | null, msg: Msg) => {
      if (!error && this.#streamCreated !== undefined) this.#hear(msg)
    }
    return natsOf(this.#broker).subscribe(immediateSubject(filter), { callback })
  }

  /** Not counted, and no word about what cannot be read: it comes again, from the stream. */
  #hear(msg: Msg): void {
    try {
      this.#options.onState(msg.subject.slice(PREFIX_LENGTH), msg.json(), this.#lastSeq)
    } catch {
      return
    }
  }

  /** Resolves with what went wrong, or when stopped. */
  async #followUntilTrouble(): Promise<string> {
    const jsm = await natsOf(this.#broker).jetstreamManager({ checkAPI: false })
    await this.#inspectStream(jsm)
    const { stream } = this.#options
    const { name, num_pending: pending } = await jsm.consumers.add(stream, this.#consumerConfig())
    this.#pending = pending
    if (pending === 0) this.#caughtUpNow()
    let pull: Pull | undefined
    const trouble = await new Promise<string>((resolve) => {
      this.#stopping.signal.addEventListener('abort', () => resolve('stopped'), { once: true })
      if (this.#stopping.signal.aborted) resolve('stopped')
      pull = this.#pullFrom(name, resolve)
    })
    pull?.stop()
    // Best effort: the broker forgets an unused one by itself.
    if (this.#broker.isConnected()) void jsm.consumers.delete(stream, name).catch(() => {})
    return trouble
  }

  async #inspectStream(jsm: JetStreamManager): Promise<void> {
    const { stream, from = 'start' } = this.#options
    const { created, state } = await jsm.streams.info(stream)
    const known = this.#streamCreated
    this.#streamCreated = created
    // A broker that lost its disk's last seconds counts from an earlier number again: what follows would look old.
    const rewound = state.last_seq < this.#lastSeq
    this.#headSeq = state.last_seq
    if (known === created && !rewound) return
    this.#lastSeq = from === 'now' ? state.last_seq : 0
    if (known === undefined) return
    this.#isCaughtUp = false
    this.#options.logger.warn({ stream, from_seq: this.#lastSeq + 1 }, 'stream began anew, following it anew')
    this.#unreadable.clear()
    this.#options.onReset?.()
  }

  #consumerConfig() {
    const { filter } = this.#options
    return {
      name: `follower-${nuid.next()}`,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: this.#lastSeq + 1,
      ack_policy: AckPolicy.None,
      replay_policy: ReplayPolicy.Instant,
      max_deliver: 1,
      mem_storage: true,
      num_replicas: 1,
      inactive_threshold: nanos(60_000),
      ...(filter !== undefined && { filter_subject: filter }),
    }
  }

  #pullFrom(consumer: string, onTrouble: (reason: string) => void): Pull {
    let delivered = 0
    let broken = false
    const fail = (reason: string) => {
      broken = true
      this.#isCaughtUp = false // what has changed meanwhile is not known yet
      onTrouble(reason)
    }
    return startPull(this.#broker, {
      stream: this.#options.stream,
      consumer,
      capacity: CAPACITY,
      held: () => 0,
      onTrouble: fail,
      onIdle: () => {
        if (!broken) this.#caughtUpNow()
      },
      onMessage: (msg, info) => {
        if (broken || this.#stopping.signal.aborted) return
        delivered += 1
        // Lost on the way, for instance with a connection: everything from the gap on is read again.
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
    const { stream, logger } = this.#options
    logger.info({ stream, applied: this.#applied, last_seq: this.#lastSeq }, 'caught up with the stream')
    this.#reachedHead.resolve()
  }
}
