import type { Logger } from '@whereabouts/service-kit/logging'
import { sql, type Kysely } from 'kysely'
import type { Tables } from '../db.ts'

/** What is counted per reader. Statistics: a crash loses at most the last second, a redelivery counts twice. */
export const NO_COUNTS = {
  messages: 0,
  reads: 0,
  reads_unknown_tag: 0,
  reads_unplaced: 0,
  reads_clock_skewed: 0,
  read_errors: 0,
  messages_buried: 0,
}
type ReaderCounts = typeof NO_COUNTS
const COUNTS = Object.keys(NO_COUNTS) as (keyof ReaderCounts)[]

export type ReaderNews = Partial<ReaderCounts> & {
  seenAtMs: number
  identity?: string | null
  problem?: string
}

type Pending = ReaderCounts & {
  org_id: number
  reader_key: string
  last_seen_ms: number
  identity: string | null
  last_problem: string | null
  last_problem_ms: number | null
}

const FLUSH_MS = 1_000
const MAX_PENDING = 50_000
/** Discovered readers kept per organization: their names come from outside and must not fill the table. */
export const MAX_READERS_PER_ORG = 1_000

/** Collects what is noticed about readers in memory and writes it once a second, one row per reader. */
export class ReaderHealthLog {
  readonly #db: Kysely<Tables>
  readonly #log: Logger
  #pending = new Map<string, Pending>()
  #timer: NodeJS.Timeout | undefined

  constructor(db: Kysely<Tables>, log: Logger) {
    this.#db = db
    this.#log = log
  }

  note(orgId: number, readerKey: string, news: ReaderNews): void {
    const name = `${orgId} ${readerKey}`
    let entry = this.#pending.get(name)
    if (!entry) {
      if (this.#pending.size >= MAX_PENDING) return
      entry = empty(orgId, readerKey)
      this.#pending.set(name, entry)
    }
    for (const count of COUNTS) entry[count] += news[count] ?? 0
    entry.last_seen_ms = Math.max(entry.last_seen_ms, news.seenAtMs)
    entry.identity = news.identity ?? entry.identity
    if (news.problem !== undefined) {
      entry.last_problem = news.problem
      entry.last_problem_ms = news.seenAtMs
    }
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), FLUSH_MS)
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  /** Writes what has gathered. A failure is logged and the counts are kept for the next time. */
  async flush(): Promise<void> {
    if (this.#pending.size === 0) return
    const batch = this.#pending
    this.#pending = new Map()
    try {
      await upsertHealth(this.#db, [...batch.values()])
    } catch (error) {
      this.#log.warn({ err: error }, 'reader health could not be written, keeping it')
      for (const entry of batch.values()) this.#giveBack(entry)
    }
  }

  #giveBack(entry: Pending): void {
    const { org_id, reader_key, last_seen_ms, identity, last_problem, ...counts } = entry
    const problem = last_problem === null ? {} : { problem: last_problem }
    this.note(org_id, reader_key, { ...counts, ...problem, identity, seenAtMs: last_seen_ms })
  }
}

const empty = (orgId: number, readerKey: string): Pending => ({
  org_id: orgId,
  reader_key: readerKey,
  last_seen_ms: 0,
  identity: null,
  last_problem: null,
  last_problem_ms: null,
  ...NO_COUNTS,
})

/** Sorted by key, so that two replicas lock the rows in one order. */
async function upsertHealth(db: Kysely<Tables>, entries: readonly Pending[]): Promise<void> {
  const sorted = entries.toSorted((a, b) => a.org_id - b.org_id || (a.reader_key < b.reader_key ? -1 : 1))
  const at = (column: string) => sql.raw(`timestamptz 'epoch' + ${column} * interval '1 millisecond'`)
  const sums = sql.join(COUNTS.map((c) => sql.raw(`${c} = h.${c} + excluded.${c}`)))
  const columns = sql.raw(COUNTS.join(', '))
  await sql`
    insert into reader_health as h (org_id, reader_key, last_seen_at, identity, last_problem, last_problem_at, ${columns})
    select n.org_id, n.reader_key, ${at('n.last_seen_ms')}, n.identity, n.last_problem, ${at('n.last_problem_ms')}, ${columns}
    from jsonb_to_recordset(${JSON.stringify(sorted)}::jsonb) as n (
      org_id bigint, reader_key text, last_seen_ms float8, identity text, last_problem text, last_problem_ms float8,
      messages bigint, reads bigint, reads_unknown_tag bigint, reads_unplaced bigint, reads_clock_skewed bigint,
      read_errors bigint, messages_buried bigint)
    where exists (select from reader_health x where x.org_id = n.org_id and x.reader_key = n.reader_key)
       or exists (select from reader r where r.org_id = n.org_id and r.reader_key = n.reader_key)
       or (select count(*) from reader_health x where x.org_id = n.org_id) < ${MAX_READERS_PER_ORG}
    on conflict (org_id, reader_key) do update set
      last_seen_at = greatest(h.last_seen_at, excluded.last_seen_at),
      identity = coalesce(excluded.identity, h.identity),
      last_problem = coalesce(excluded.last_problem, h.last_problem),
      last_problem_at = coalesce(excluded.last_problem_at, h.last_problem_at),
      ${sums}`.execute(db)
}
