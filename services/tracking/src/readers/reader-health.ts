import type { Logger } from '@whereabouts/service-kit/logging'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import type { HealthEvent } from '../formats/decoder.ts'
import { readsLost, report } from './device-reports.ts'
import {
  addHealth,
  COUNTS,
  MAX_DISCOVERED,
  NO_COUNTS,
  trimDiscovered,
  type Noticed,
  type ReaderCounts,
} from './reader-health.queries.ts'
import type { OrgRate } from '../ingest/rate/key-rates.ts'
import { addReads, NO_READS } from './recent-reads.ts'

export type ReaderNews = Partial<Omit<ReaderCounts, 'reads_lost'>> & {
  seenAtMs: number
  identity?: string | null
  problem?: string
  /** What its organization may send, when this was one message too many. */
  overRate?: OrgRate
  /** The newest time that the message names. */
  newestMs?: number | null
  /** What the device said of itself. */
  health?: readonly HealthEvent[]
}

const FLUSH_MS = 1_000
/** Of all organizations together. */
const MAX_PENDING = 50_000
/** Of one: what it has configured, and no more strangers than are kept. */
const MAX_PENDING_PER_ORG = 2 * MAX_DISCOVERED
/** Some thirty thousand years. */
const MAX_OFFSET_MS = 1e15

/** Collects what is noticed about readers in memory and writes it once a second, one row per reader. */
export class ReaderHealthLog {
  readonly #db: Kysely<Tables>
  readonly #log: Logger
  #pending = new Map<string, Noticed>()
  /** How many are pending, by organization. */
  #sizes = new Map<number, number>()
  #timer: NodeJS.Timeout | undefined
  #flushed: Promise<void> = Promise.resolve()

  constructor(db: Kysely<Tables>, log: Logger) {
    this.#db = db
    this.#log = log
  }

  note(orgId: number, readerKey: string, news: ReaderNews): void {
    const entry = this.#entry(orgId, readerKey)
    if (!entry) return
    for (const count of COUNTS) if (count !== 'reads_lost') entry[count] += news[count] ?? 0
    entry.last_seen_ms = Math.max(entry.last_seen_ms, news.seenAtMs)
    entry.identity = news.identity ?? entry.identity
    if (news.problem !== undefined) {
      entry.last_problem = news.problem
      entry.last_problem_ms = news.seenAtMs
    }
    if (news.overRate !== undefined) {
      entry.last_problem = overRateProblem(entry.messages_over_rate, news.overRate)
      entry.last_problem_ms = news.seenAtMs
    }
    if (news.newestMs !== undefined && news.newestMs !== null)
      entry.clock_offset_ms = bounded(news.newestMs - news.seenAtMs)
    if (news.reads !== undefined && news.reads > 0) {
      const minute = Math.floor(news.seenAtMs / 60_000)
      Object.assign(entry, addReads(entry, { rate_minute: minute, rate_reads: news.reads, rate_before: 0 }))
    }
    if (news.health !== undefined && news.health.length > 0) {
      entry.reads_lost += readsLost(news.health)
      report((entry.device ??= {}), news.health)
    }
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  /** Writes what has gathered, after what is being written. A failure is logged and kept for the next time. */
  flush(): Promise<void> {
    this.#flushed = this.#flushed.then(() => this.#write())
    return this.#flushed
  }

  async #write(): Promise<void> {
    if (this.#pending.size === 0) return
    const batch = [...this.#pending.values()]
    this.#pending = new Map()
    this.#sizes = new Map()
    try {
      const grown = await addHealth(this.#db, batch).catch((error: unknown) => {
        for (const entry of batch) this.#giveBack(entry)
        throw error
      })
      if (grown.length > 0) await trimDiscovered(this.#db, grown)
    } catch (error) {
      this.#log.warn({ err: error }, 'reader health could not be written')
    }
  }

  /** Undefined when there is no room for another one. */
  #entry(orgId: number, readerKey: string): Noticed | undefined {
    const name = `${orgId} ${readerKey}`
    const known = this.#pending.get(name)
    if (known) return known
    const size = this.#sizes.get(orgId) ?? 0
    if (size >= MAX_PENDING_PER_ORG || this.#pending.size >= MAX_PENDING) return undefined
    const entry = empty(orgId, readerKey)
    this.#sizes.set(orgId, size + 1)
    this.#pending.set(name, entry)
    return entry
  }

  /** What was noticed meanwhile is newer. */
  #giveBack(older: Noticed): void {
    const entry = this.#entry(older.org_id, older.reader_key)
    if (!entry) return
    for (const count of COUNTS) entry[count] += older[count]
    Object.assign(entry, addReads(entry, older))
    entry.last_seen_ms = Math.max(entry.last_seen_ms, older.last_seen_ms)
    entry.identity ??= older.identity
    entry.clock_offset_ms ??= older.clock_offset_ms
    if (entry.last_problem === null) {
      entry.last_problem = older.last_problem
      entry.last_problem_ms = older.last_problem_ms
    }
    if (older.device) entry.device = { ...older.device, ...entry.device }
  }
}

/** `dropped` since the last write, a second or two ago. */
function overRateProblem(dropped: number, { perSecond, bytesPerSecond, keys }: OrgRate): string {
  const messages = dropped === 1 ? '1 message' : `${dropped} messages`
  const whose = keys > 1 ? `the ${keys} keys of this organization` : 'this key'
  const limit = `${perSecond} messages or ${(bytesPerSecond / 1e6).toFixed(1)} MB a second`
  return `${messages} dropped: more than ${limit} for ${whose}. Send several reads in a message of up to 32 KiB.`
}

const bounded = (ms: number) => Math.trunc(Math.max(-MAX_OFFSET_MS, Math.min(MAX_OFFSET_MS, ms)))

const empty = (orgId: number, readerKey: string): Noticed => ({
  org_id: orgId,
  reader_key: readerKey,
  last_seen_ms: 0,
  identity: null,
  last_problem: null,
  last_problem_ms: null,
  clock_offset_ms: null,
  device: null,
  ...NO_READS,
  ...NO_COUNTS,
})
