import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Kysely } from 'kysely'
import type pg from 'pg'
import type { Tables } from '../db.ts'
import { DEFAULT_RULES, type PlacementRules } from '../positions/rules.ts'
import { assignmentAt, UNASSIGNED, type AntennaAssignment, type AntennaHistory } from './antenna-history.ts'
import { NO_SETTINGS, noReaders, readReaders, type OrgReaders } from './reader-rows.ts'
import {
  isOfThisProcess,
  parseChange,
  READERS_CHANNEL,
  type ReaderChange,
  type ReaderSettings,
} from './readers.queries.ts'

/** Readers of an organization that are read next, all if one is undefined. */
type Waiting = { readerKeys: Set<string | undefined>; done: Promise<void> }

/** Other channels that share the connection. `onListening`: called whenever notifications may have been missed. */
type OtherChannels = { channels: Record<string, (payload: string) => void>; onListening: () => void }
type Options = { probeEveryMs?: number; others?: OtherChannels }
const NO_OTHERS: OtherChannels = { channels: {}, onListening: () => undefined }

const RELISTEN_MS = 1_000
/** Nothing else is sent on the connection that listens, and one that carries nothing is closed (`dropSilent`). */
const PROBE_EVERY_MS = 10_000
const NEVER_ASSIGNED: AntennaHistory = { now: UNASSIGNED }

/**
 * The scan points and decoder settings of all readers, in the memory of this process. PostgreSQL notifies every
 * replica of a change when it commits. A replica then reads that reader's rows again, and all rows after a lost
 * connection. Of an organization it reads once at a time: changes meanwhile share the next reading.
 */
export class ReaderDirectory {
  readonly #db: Kysely<Tables>
  readonly #pool: pg.Pool
  readonly #log: Logger
  readonly #probeEveryMs: number
  #orgs = new Map<number, OrgReaders>()
  #readings = 0
  /** Number of the newest reading of all rows, in the order in which they started; and the promise of one under way. */
  #newestOfAll = 0
  #readingAll: Promise<void> | undefined
  readonly #running = new Map<number, Promise<void>>()
  readonly #waiting = new Map<number, Waiting>()
  /** By id of a change of this process. Its handler and its notification share one reading. */
  readonly #own = new Map<string, Promise<void>>()
  #listener: pg.PoolClient | undefined
  #retry: NodeJS.Timeout | undefined
  #probing: NodeJS.Timeout | undefined
  #stopped = false
  #isLoaded = false
  readonly #others: OtherChannels

  constructor(
    db: Kysely<Tables>,
    pool: pg.Pool,
    log: Logger,
    { probeEveryMs = PROBE_EVERY_MS, others = NO_OTHERS }: Options = {},
  ) {
    this.#db = db
    this.#pool = pool
    this.#log = log
    this.#probeEveryMs = probeEveryMs
    this.#others = others
  }

  isLoaded(): boolean {
    return this.#isLoaded
  }

  /** What this antenna stands for, and lately stood for. */
  antenna(orgId: number, readerKey: string, antenna: number): AntennaHistory {
    return this.#orgs.get(orgId)?.readers.get(readerKey)?.antennas.get(antenna) ?? NEVER_ASSIGNED
  }

  /** Whether this antenna has a scan point, and its location: now, or as of an instant (D18.1). */
  assignment(orgId: number, readerKey: string, antenna: number, asOfMs = Infinity): AntennaAssignment {
    return assignmentAt(this.antenna(orgId, readerKey, antenna), asOfMs)
  }

  /** The decoder settings of this reader; empty for an unknown reader. */
  settings(orgId: number, readerKey: string): ReaderSettings {
    return this.#orgs.get(orgId)?.readers.get(readerKey)?.settings ?? NO_SETTINGS
  }

  /** How the organization wants positions to be decided. */
  rules(orgId: number): PlacementRules {
    return this.#orgs.get(orgId)?.rules ?? DEFAULT_RULES
  }

  /** Listens, then loads, so that it misses no change. Retries until it succeeds. */
  async start(): Promise<void> {
    if (this.#stopped) return
    try {
      const client = await this.#pool.connect()
      this.#listener = client
      client.on('error', () => this.#reconnect(client))
      client.on('end', () => this.#reconnect(client))
      client.on('notification', ({ channel, payload = '' }) => this.#hear(channel, payload))
      for (const channel of [READERS_CHANNEL, ...Object.keys(this.#others.channels)])
        await client.query(`listen ${channel}`)
      this.#others.onListening()
      this.#probing = setInterval(() => void this.#probe(client), this.#probeEveryMs)
      this.#own.clear() // their notifications may have been missed
      await this.#readAll()
      this.#isLoaded = true
    } catch (error) {
      this.#log.warn({ err: error }, 'readers could not be loaded; will retry')
      this.#reconnect(this.#listener)
    }
  }

  /**
   * Reads a changed reader again, or all of the organization. After a change, a handler awaits it to read its own write;
   * the notification of that change then joins it, or it joins the notification.
   */
  reload(orgId: number, change: ReaderChange = {}): Promise<void> {
    const { id = '' } = change
    const shared = this.#own.get(id)
    this.#own.delete(id)
    if (shared) return shared
    const waiting = this.#waiting.get(orgId) ?? this.#enqueue(orgId)
    waiting.readerKeys.add(change.readerKey)
    if (isOfThisProcess(id)) this.#own.set(id, waiting.done)
    return waiting.done
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#retry)
    clearInterval(this.#probing)
    this.#listener?.release(true)
    this.#listener = undefined
  }

  #hear(channel: string, payload: string): void {
    if (channel === READERS_CHANNEL) void this.reload(...parseChange(payload))
    else this.#others.channels[channel]?.(payload)
  }

  #enqueue(orgId: number): Waiting {
    const readerKeys: Waiting['readerKeys'] = new Set()
    const waiting = { readerKeys, done: this.#readNext(orgId, readerKeys) }
    this.#waiting.set(orgId, waiting)
    return waiting
  }

  async #readNext(orgId: number, readerKeys: Waiting['readerKeys']): Promise<void> {
    await this.#running.get(orgId)
    while (this.#readingAll) await this.#readingAll // it might have read older rows, and end later
    this.#waiting.delete(orgId)
    const running = this.#readChanged(orgId, [...readerKeys])
    this.#running.set(orgId, running)
    await running
    if (this.#running.get(orgId) === running) this.#running.delete(orgId)
  }

  async #readChanged(orgId: number, changed: readonly (string | undefined)[]): Promise<void> {
    const reading = (this.#readings += 1)
    const readerKeys = changed.every((key) => key !== undefined) ? changed : undefined
    try {
      const found = (await readReaders(this.#db, { orgId, readerKeys })).get(orgId) ?? noReaders()
      if (reading < this.#newestOfAll) return // all rows were read meanwhile, later
      const known = this.#orgs.get(orgId)
      if (known && readerKeys) replaceReaders(known, found, readerKeys)
      else this.#orgs.set(orgId, found)
    } catch (error) {
      this.#log.warn({ err: error, org_id: orgId }, 'readers could not be reloaded; will retry')
      this.#reconnect(this.#listener) // the next load covers the missed change
    }
  }

  /** Two may overlap, if the connection is lost again. */
  async #readAll(): Promise<void> {
    const reading = (this.#readings += 1)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#readingAll = promise
    try {
      const found = await readReaders(this.#db)
      if (reading < this.#newestOfAll) return
      this.#newestOfAll = reading
      this.#orgs = found
    } finally {
      if (this.#readingAll === promise) this.#readingAll = undefined
      resolve()
    }
  }

  async #probe(client: pg.PoolClient): Promise<void> {
    try {
      await client.query('select 1')
    } catch (error) {
      this.#log.warn({ err: error }, 'connection for reader changes lost; will reconnect')
      this.#reconnect(client)
    }
  }

  #reconnect(client: pg.PoolClient | undefined): void {
    if (client !== undefined && client === this.#listener) {
      this.#listener = undefined
      clearInterval(this.#probing)
      client.removeAllListeners('notification')
      client.release(true)
    }
    if (this.#stopped || this.#listener) return
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.start(), RELISTEN_MS)
  }
}

function replaceReaders(known: OrgReaders, found: OrgReaders, readerKeys: readonly string[]): void {
  known.rules = found.rules
  for (const key of readerKeys) {
    const reader = found.readers.get(key)
    if (reader) known.readers.set(key, reader)
    else known.readers.delete(key)
  }
}
