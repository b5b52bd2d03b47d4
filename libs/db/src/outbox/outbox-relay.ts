import { startBackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type pg from 'pg'
import { sessionLock } from '../connect/session-lock.ts'
import type { OutboxTable } from './outbox.ts'

/** A row to publish; `age` is how long it has waited, in seconds. */
export type OutboxRow = Omit<OutboxTable, 'created_at'> & { age: number }

/** Publishes rows in order. True for each row that the broker has stored, now or earlier. */
export type OutboxPublish = (rows: readonly OutboxRow[]) => Promise<boolean[]>

export type OutboxRelay = {
  /** Publishes now instead of at the next poll. Call it after a commit. */
  wake(): void
  /** Age of the oldest unpublished row at the last poll, in seconds; 0 if there was none. */
  ageSeconds(): number
  /** Publishes the waiting rows once more, then ends and releases the lock. */
  stop(): Promise<void>
}

type Options = {
  pool: pg.Pool
  publish: OutboxPublish
  log: Logger
  /** Time between polls without a wake. Polls find rows that other replicas committed. */
  pollMs?: number
  /** The database ends the session of a relay that sends nothing for this long. Longer than `publish` may take. */
  leaderIdleMs?: number
}

const BATCH = 500
const RETRY_MS = 1_000
/** A batch is published within five seconds, and a poll follows every tenth of a second. */
const LEADER_IDLE_MS = 15_000

/**
 * Publishes the outbox of the pool's schema. One replica works at a time, chosen by a session lock of the database. If
 * its process or its connection ends, another one takes over within about a second. If its machine disappears without
 * closing the connection, the database ends the session after `leaderIdleMs`.
 */
export function startOutboxRelay(options: Options): OutboxRelay {
  const { pool, publish, log, pollMs = 100, leaderIdleMs = LEADER_IDLE_MS } = options
  let age = 0
  // With one publisher at a time, the messages of a subject keep their order.
  const lock = sessionLock(pool, 'outbox', leaderIdleMs)

  async function relayOnce(): Promise<{ nextInMs: number }> {
    const leader = await lock.take()
    if (!leader) return { nextInMs: RETRY_MS }
    const outcome = await relayBatch(leader, publish)
    age = outcome.ageSeconds
    if (outcome.failed === 0) return { nextInMs: outcome.more ? 0 : pollMs }
    log.warn({ failed: outcome.failed }, 'outbox rows not published; will retry')
    return { nextInMs: RETRY_MS }
  }

  const relayOrAbandon = async () => {
    try {
      return await relayOnce()
    } catch (error) {
      lock.abandon()
      throw error
    }
  }
  const job = startBackgroundJob({ name: 'outbox', everyMs: pollMs, log, retryMs: RETRY_MS }, relayOrAbandon)

  async function stop(): Promise<void> {
    await job.stop()
    await relayOnce().catch((error: unknown) => log.warn({ err: error }, 'last outbox batch failed'))
    lock.abandon()
  }

  let stopped: Promise<void> | undefined
  return { wake: job.wake, ageSeconds: () => age, stop: () => (stopped ??= stop()) }
}

type Outcome = { more: boolean; failed: number; ageSeconds: number }

async function relayBatch(client: pg.PoolClient, publish: OutboxPublish): Promise<Outcome> {
  const { rows } = await client.query<OutboxRow>(
    `select id, subject, msg_id, keep, payload, headers,
            extract(epoch from clock_timestamp() - created_at)::float8 as age
     from outbox order by id limit ${BATCH}`,
  )
  if (rows.length === 0) return { more: false, failed: 0, ageSeconds: 0 }
  const current = newestPerSubject(rows)
  const stored = await publish(current)
  const unsent = new Set(current.filter((_, i) => !stored[i]).map((row) => row.subject))
  const done = rows.filter((row) => !unsent.has(row.subject)).map((row) => row.id)
  await client.query('delete from outbox where id = any($1::bigint[])', [done])
  return { more: rows.length === BATCH, failed: rows.length - done.length, ageSeconds: rows[0]?.age ?? 0 }
}

/**
 * Keeps only the newest state of each entity. That saves messages and keeps the order after failures: otherwise a state
 * that failed could be stored after a newer one when it is sent again, and a compacted stream keeps the last.
 */
export function newestPerSubject(rows: readonly OutboxRow[]): OutboxRow[] {
  const newest = new Map(rows.filter((row) => row.keep === 'last').map((row) => [row.subject, row.id]))
  return rows.filter((row) => row.keep === 'all' || newest.get(row.subject) === row.id)
}
