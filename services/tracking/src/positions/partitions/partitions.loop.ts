import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { Kysely } from 'kysely'
import { REMEMBERED_MS } from '../../as-of.ts'
import type { Tables } from '../../db.ts'
import { DAY_MS } from '../packed/day-rows.ts'
import { readPackedUntil } from '../packed/packing-state.queries.ts'
import {
  addDays,
  createDay,
  dateOf,
  deleteReaderHoursBefore,
  deleteScanPointChangesBefore,
  dropPartition,
  listPartitions,
  monthStart,
  protectPartition,
  withPartitionLock,
  type Date10,
} from './partitions.queries.ts'

/** The days ahead give operators time to notice a failure. A write that finds no partition makes it. */
const DAYS_BEHIND = 1
const DAYS_AHEAD = 7
const EVERY_MS = 3_600_000
const MAX_RETRY_MS = 60_000
const LOCK_TIMEOUT_MS = 3_000
const READER_HOURS_MS = 30 * DAY_MS

type Options = {
  /** The owner of the tables: no other role may drop one. */
  owner: Kysely<Tables>
  retentionDays: number
  log: Logger
  now?: () => number
  lockTimeoutMs?: number
}

/**
 * Creates the partitions around now and drops those whose rows are packed or older than the retention, which counts in whole
 * months, then deletes old hours of readers and old changes of scan points. None of it blocks readers or writers. Safe to repeat.
 * After an interruption, the next run continues.
 */
export async function maintainPartitions(options: Options): Promise<void> {
  const { owner, retentionDays, log, now = Date.now, lockTimeoutMs = LOCK_TIMEOUT_MS } = options
  const today = dateOf(now())
  const wanted = Array.from({ length: DAYS_BEHIND + 1 + DAYS_AHEAD }, (_, n) =>
    addDays(today, n - DAYS_BEHIND),
  )
  await createDays(owner, wanted, lockTimeoutMs)
  const oldest = monthStart(dateOf(now() - retentionDays * DAY_MS))
  const packedUntil = await readPackedUntil(owner)
  await withPartitionLock(owner, lockTimeoutMs, async (session) => {
    const partitions = await listPartitions(session)
    for (const unprotected of partitions.filter((p) => !p.is_protected))
      await protectPartition(session, unprotected)
    const expired = partitions.filter((p) => p.until <= oldest || (p.of === 'scan' && p.until <= packedUntil))
    for (const partition of expired) await dropPartition(session, partition)
    if (expired.length > 0)
      log.info(
        { partitions: expired.map((p) => p.name) },
        'partitions of history were dropped, packed or old',
      )
  })
  await deleteReaderHoursBefore(owner, now() - READER_HOURS_MS)
  await deleteScanPointChangesBefore(owner, now() - REMEMBERED_MS)
}

/** Creates the missing partitions of these days. */
export async function createDays(
  db: Kysely<Tables>,
  days: Iterable<Date10>,
  lockTimeoutMs = LOCK_TIMEOUT_MS,
): Promise<void> {
  await withPartitionLock(db, lockTimeoutMs, async (session) => {
    for (const day of new Set(days)) await createDay(session, day)
  })
}

/**
 * Maintains the partitions now and every hour. A failure is retried soon; days are created well ahead. A write that
 * finds no partition creates it (`withDays`), so nothing has to wait for the first turn to succeed.
 */
export function startPartitionLoop(options: Options & { registry?: Registry }): BackgroundJob {
  const { log, registry } = options
  return startBackgroundJob(
    { name: 'partitions', everyMs: EVERY_MS, log, registry, maxRetryMs: MAX_RETRY_MS },
    () => maintainPartitions(options),
  )
}
