import type { RecentMovements } from '@whereabouts/contracts/resources/tracking/live'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { followStream, type Follower } from '@whereabouts/messaging/state/follow'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { serviceUnavailable } from '@whereabouts/service-kit/errors/errors'
import { retryText } from '@whereabouts/service-kit/http/event-stream'
import { FairGate } from '@whereabouts/service-kit/limits/fair-gate'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Readable } from 'node:stream'
import { CatchUp } from './catch-up.ts'
import { COMMENT, epochOf, movementText, parseId, cursorText, resetText } from './event-text.ts'
import type { Cursor } from './event-text.ts'
import { recentMovements } from './recent.ts'
import { LiveConnection, SlowClient } from './live-connection.ts'
import type { LiveMetrics } from './live-metrics.ts'
import type { LiveStream, Opening } from './live-stream.ts'
import { MAX_CONNECTIONS, MAX_PER_ORG, StreamShares, type Listener } from './stream-shares.ts'

const SUBJECT = 'events.asset-moved.'
/** Parallel reads of the stream. All streams of an organization may wait, and as many lists of recent movements. */
const READS = { running: 8, waiting: 2 * MAX_CONNECTIONS, waitingPerKey: 2 * MAX_PER_ORG }
const HEARTBEAT_MS = 15_000

type Options = { log: Logger; metrics: LiveMetrics; heartbeatMs?: number; roomMs?: number }

/** Sends movements to many clients as they happen, with one follower of the EVENTS stream. */
export class LiveFeed {
  readonly #options: Options
  readonly #shares = new StreamShares<LiveStream>()
  /** Organization → sequence of its newest event since the start. */
  readonly #newest = new Map<number, number>()
  #startSeq: number | undefined
  #source: { broker: Broker; follower: Follower; catchUp: CatchUp } | undefined
  readonly #reads = new FairGate<number>(READS)
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
      onState: (subject, payload, seq) => this.#broadcast(subject, payload, seq),
      onReset: () => this.#resetAll(),
      logger: log,
    })
    this.#source = { broker, follower, catchUp: new CatchUp(broker, log, this.#reads) }
    void follower.caughtUp.then(() => (this.#startSeq ??= follower.lastSeq()))
    this.#heartbeat = setInterval(() => this.#sendHeartbeats(), heartbeatMs).unref()
  }

  /** True once the stream is known. From then on clients are served, even while the broker is not reachable. */
  isReady(): boolean {
    return this.#cursor() !== undefined
  }

  get size(): number {
    return this.#shares.size
  }

  /**
   * A stream of the movements from now on, or after `lastEventId`. It ends at `expiresAtMs`, or if the feed is full
   * and another listener has fewer streams. It counts until it is destroyed or has ended. Throws 429 and 503 if there
   * are too many.
   */
  open(listener: Listener, lastEventId: string | undefined, expiresAtMs: number): Readable {
    const cursor = this.#cursor()
    if (!cursor) throw serviceUnavailable()
    const { roomMs } = this.#options
    const connection = this.admit(
      listener,
      expiresAtMs,
      (opening) => new LiveConnection(opening, cursor.seq, roomMs),
    )
    if (lastEventId === undefined || lastEventId === '') connection.write(cursorText(cursor))
    else this.#resume(connection, parseId(lastEventId), cursor)
    return connection
  }

  /**
   * Opens a stream that counts among the live streams and ends like them, but shows something else. Throws like `open`.
   */
  admit<S extends LiveStream>(listener: Listener, expiresAtMs: number, make: (opening: Opening) => S): S {
    if (this.#closed) throw serviceUnavailable()
    const displaced = this.#shares.claim(listener, Date.now())
    if (displaced) this.#displace(displaced)
    const onGone = (cause: Error | null) => {
      clearTimeout(timer)
      this.#shares.remove(stream)
      if (cause instanceof SlowClient) this.#options.metrics.slow.inc()
    }
    const stream = make({ listener, onGone })
    const timer = setTimeout(() => stream.finish(), Math.max(0, expiresAtMs - Date.now())).unref()
    this.#shares.add(stream)
    stream.write(retryText())
    return stream
  }

  /** What moved in the last minutes. Throws 503 while the broker does not answer, and 429 if too many wait. */
  async recent(orgId: number): Promise<RecentMovements> {
    const cursor = this.#cursor()
    if (!this.#source || !cursor) throw serviceUnavailable()
    const deps = { broker: this.#source.broker, log: this.#options.log, reads: this.#reads }
    try {
      return await recentMovements(deps, orgId, cursor, Date.now())
    } catch (error) {
      throw error instanceof AppError ? error : serviceUnavailable(error)
    }
  }

  /** Ends all connections. The clients reconnect to another process. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#heartbeat)
    for (const connection of this.#shares.all()) connection.finish()
    await this.#source?.follower.stop()
  }

  #cursor(): Cursor | undefined {
    const follower = this.#source?.follower
    const created = follower?.streamCreated()
    if (!follower || created === undefined) return undefined
    return { epoch: epochOf(created), seq: follower.lastSeq() }
  }

  /** Frees its share at once, even if its client has not read the end yet. */
  #displace(connection: LiveStream): void {
    this.#options.metrics.displaced.inc()
    this.#shares.remove(connection)
    connection.finish()
  }

  #resume(connection: LiveConnection, from: Cursor | undefined, now: Cursor): void {
    if (!from || from.epoch !== now.epoch) return this.#reset(connection, now)
    connection.seq = from.seq
    if (this.#hasMissedNothing(connection.orgId, from.seq, now.seq)) return connection.write(cursorText(now))
    connection.write(COMMENT)
    void this.#catchUp(connection, from.epoch)
  }

  /** From memory, because most clients that reconnect only lost their connection. */
  #hasMissedNothing(orgId: number, seq: number, nowSeq: number): boolean {
    const startSeq = this.#startSeq ?? Number.POSITIVE_INFINITY
    return seq >= startSeq && seq <= nowSeq && (this.#newest.get(orgId) ?? 0) <= seq
  }

  async #catchUp(connection: LiveConnection, epoch: string): Promise<void> {
    const isComplete = await this.#source?.catchUp.bring(connection, epoch)
    const now = this.#cursor()
    if (isComplete === false && now) this.#reset(connection, now)
  }

  #broadcast(subject: string, payload: unknown, seq: number): void {
    const orgId = Number(subject.slice(SUBJECT.length))
    this.#newest.set(orgId, seq)
    const listeners = this.#shares.of(orgId)
    const cursor = this.#cursor()
    if (!listeners || !cursor) return
    const text = movementText({ ...cursor, seq }, orgId, payload)
    for (const connection of [...listeners].filter(showsMovements))
      if (!connection.offer({ seq, text })) void this.#catchUp(connection, cursor.epoch)
  }

  #resetAll(): void {
    this.#newest.clear()
    const now = this.#cursor()
    this.#startSeq = now?.seq
    if (!now) return
    for (const connection of this.#shares.all().filter(showsMovements)) this.#reset(connection, now)
  }

  #reset(connection: LiveConnection, now: Cursor): void {
    this.#options.metrics.resets.inc()
    connection.skipTo(now.seq)
    connection.write(resetText(now))
  }

  /** Sends the cursor too, so that a client without events for a week can still resume. */
  #sendHeartbeats(): void {
    const now = this.#cursor()
    for (const connection of this.#shares.all()) {
      const isLive = showsMovements(connection) && connection.isLive
      const seq = isLive ? Math.max(connection.seq, now?.seq ?? 0) : 0
      connection.write(now && isLive ? cursorText({ ...now, seq }) : COMMENT)
    }
  }
}

const showsMovements = (stream: LiveStream): stream is LiveConnection => stream instanceof LiveConnection
