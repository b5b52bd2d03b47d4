import type { Broker } from '@whereabouts/messaging/connection'
import { followStream, type Follower } from '@whereabouts/messaging/follow'
import { serviceUnavailable } from '@whereabouts/service-kit/errors'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { Readable } from 'node:stream'
import { CatchUp } from './catch-up.ts'
import { COMMENT, epochOf, movementText, parseId, placeText, resetText, retryText } from './event-text.ts'
import type { Place } from './event-text.ts'
import { LiveConnection, SlowClient } from './live-connection.ts'
import type { LiveMetrics } from './live-metrics.ts'
import { StreamShares, type Listener } from './stream-shares.ts'

const SUBJECT = 'events.asset-moved.'
const HEARTBEAT_MS = 15_000

type Options = { log: Logger; metrics: LiveMetrics; heartbeatMs?: number; roomMs?: number }

/** Movements as they happen, to any number of clients: one follower of the EVENTS stream, whoever listens. */
export class LiveFeed {
  readonly #options: Options
  readonly #shares = new StreamShares<LiveConnection>()
  /** Organization → its newest event, of those since the start. */
  readonly #newest = new Map<number, number>()
  #startSeq: number | undefined
  #source: { follower: Follower; catchUp: CatchUp } | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: Options) {
    this.#options = options
  }

  start(broker: Broker): void {
    const { log, heartbeatMs = HEARTBEAT_MS } = this.#options
    const follower = followStream(broker, {
      stream: 'EVENTS',
      filter: `${SUBJECT}>`,
      from: 'now',
      onState: (subject, payload, seq) => this.#spread(subject, payload, seq),
      onReset: () => this.#resetAll(),
      logger: log,
    })
    this.#source = { follower, catchUp: new CatchUp(broker, log) }
    void follower.caughtUp.then(() => (this.#startSeq ??= follower.lastSeq()))
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref()
  }

  /** Whether it knows where the stream is; from then on clients can be served, even while the broker is away. */
  isReady(): boolean {
    return this.#place() !== undefined
  }

  get size(): number {
    return this.#shares.size
  }

  /**
   * What is new from now on, or behind `lastEventId`. Counts until it is destroyed or has ended, which it does at
   * `expiresAtMs`, or when the feed is full and somebody else has fewer. Throws 429 and 503 when there are too many.
   */
  open(listener: Listener, lastEventId: string | undefined, expiresAtMs: number): Readable {
    const place = this.#place()
    if (this.#closed || !place) throw serviceUnavailable()
    const displaced = this.#shares.claim(listener, Date.now())
    if (displaced) this.#displace(displaced)
    const connection = this.#add(listener, place.seq, expiresAtMs)
    connection.write(retryText(1_000 + Math.random() * 2_000))
    if (lastEventId === undefined || lastEventId === '') connection.write(placeText(place))
    else this.#resume(connection, parseId(lastEventId), place)
    return connection
  }

  /** Ends all; clients connect again, to another process. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#heartbeat)
    for (const connection of this.#shares.all()) connection.finish()
    await this.#source?.follower.stop()
  }

  #place(): Place | undefined {
    const follower = this.#source?.follower
    const created = follower?.streamCreated()
    if (!follower || created === undefined) return undefined
    return { epoch: epochOf(created), seq: follower.lastSeq() }
  }

  #add(listener: Listener, seq: number, expiresAtMs: number): LiveConnection {
    const timer = setTimeout(() => connection.finish(), Math.max(0, expiresAtMs - Date.now())).unref()
    const onGone = (cause: Error | null) => {
      clearTimeout(timer)
      this.#shares.remove(connection)
      if (cause instanceof SlowClient) this.#options.metrics.slow.inc()
    }
    const connection = new LiveConnection(listener, seq, onGone, this.#options.roomMs)
    this.#shares.add(connection)
    return connection
  }

  /** Its place is free at once, whenever its client may have read the end. */
  #displace(connection: LiveConnection): void {
    this.#options.metrics.displaced.inc()
    this.#shares.remove(connection)
    connection.finish()
  }

  #resume(connection: LiveConnection, from: Place | undefined, now: Place): void {
    if (!from || from.epoch !== now.epoch) return this.#reset(connection, now)
    connection.seq = from.seq
    if (this.#hasMissedNothing(connection.orgId, from.seq, now.seq)) return connection.write(placeText(now))
    connection.write(COMMENT)
    void this.#catchUp(connection, from.epoch)
  }

  /** Known from memory: most clients that come back have only lost their connection. */
  #hasMissedNothing(orgId: number, seq: number, nowSeq: number): boolean {
    const startSeq = this.#startSeq ?? Number.POSITIVE_INFINITY
    return seq >= startSeq && seq <= nowSeq && (this.#newest.get(orgId) ?? 0) <= seq
  }

  async #catchUp(connection: LiveConnection, epoch: string): Promise<void> {
    const isComplete = await this.#source?.catchUp.bring(connection, epoch)
    const now = this.#place()
    if (isComplete === false && now) this.#reset(connection, now)
  }

  #spread(subject: string, payload: unknown, seq: number): void {
    const orgId = Number(subject.slice(SUBJECT.length))
    this.#newest.set(orgId, seq)
    const listeners = this.#shares.of(orgId)
    const place = this.#place()
    if (!listeners || !place) return
    const text = movementText({ ...place, seq }, orgId, payload)
    for (const connection of listeners)
      if (!connection.offer({ seq, text })) void this.#catchUp(connection, place.epoch)
  }

  #resetAll(): void {
    this.#newest.clear()
    const now = this.#place()
    this.#startSeq = now?.seq
    if (!now) return
    for (const connection of this.#shares.all()) this.#reset(connection, now)
  }

  #reset(connection: LiveConnection, now: Place): void {
    this.#options.metrics.resets.inc()
    connection.skipTo(now.seq)
    connection.write(resetText(now))
  }

  /** Says the place as well: who hears nothing for a week can still go on from here. */
  #beat(): void {
    const now = this.#place()
    for (const connection of this.#shares.all()) {
      const seq = Math.max(connection.seq, now?.seq ?? 0)
      connection.write(now && connection.isLive ? placeText({ ...now, seq }) : COMMENT)
    }
  }
}
