import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { Kysely } from 'kysely'
import { REMEMBERED_MS } from '../../as-of.ts'
import type { Tables } from '../../db.ts'
import {
  deleteReaderHoursBefore,
  deleteScanPointChangesBefore,
  addMonths,
  createMonth,
  dropPartition,
  listPartitions,
  monthOf,
  protectPartition,
  withPartitionLock,
  type Month,
} from './partitions.queries.ts'

/**
 * A scan may be 24 hours old, so the last month is needed; a late read makes the older month that it needs. The months ahead give operators time to notice a
 * failure.
 */
const MONTHS_BEHIND = 1
const MONTHS_AHEAD = 2
const EVERY_MS = 3_600_000
const MAX_RETRY_MS = 60_000
const LOCK_TIMEOUT_MS = 3_000
const DAY_MS = 86_400_000
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
 * Creates the partitions around now and drops those whose last day is older than the retention, then deletes old hours
 * of readers and old changes of scan points. None of it blocks readers or writers. Safe to repeat. After an interruption, the next run continues.
 */
export async function maintainPartitions(options: Options): Promise<void> {
  const { owner, retentionDays, log, now = Date.now, lockTimeoutMs = LOCK_TIMEOUT_MS } = options
  const month = monthOf(now())
  const ahead = Array.from({ length: MONTHS_BEHIND + 1 + MONTHS_AHEAD }, (_, n) =>
    addMonths(month, n - MONTHS_BEHIND),
  )
  await createMonths(owner, ahead, lockTimeoutMs)
  const oldest = monthOf(now() - retentionDays * DAY_MS)
  await withPartitionLock(owner, lockTimeoutMs, async (session) => {
    const partitions = await listPartitions(session)
    for (const unprotected of partitions.filter((p) => !p.is_protected))
      await protectPartition(session, unprotected)
    const expired = partitions.filter((p) => p.month < oldest && !ahead.includes(p.month))
    for (const partition of expired) await dropPartition(session, partition)
    if (expired.length > 0)
      log.info({ months: [...new Set(expired.map((p) => p.month))] }, 'old months of history were dropped')
  })
  await deleteReaderHoursBefore(owner, now() - READER_HOURS_MS)
  await deleteScanPointChangesBefore(owner, now() - REMEMBERED_MS)
}

/** Creates the missing partitions of these months, one of each table. */
export async function createMonths(
  db: Kysely<Tables>,
  months: Iterable<Month>,
  lockTimeoutMs = LOCK_TIMEOUT_MS,
): Promise<void> {
  await withPartitionLock(db, lockTimeoutMs, async (session) => {
    const attached = (await listPartitions(session)).filter(({ state }) => state === 'attached')
    for (const month of new Set(months))
      if (attached.filter((partition) => partition.month === month).length < 2)
        await createMonth(session, month)
  })
}

/**
 * Maintains the partitions now and every hour. A failure is retried soon; months are created well ahead. A write that
 * finds no partition creates it (`withMonths`), so nothing has to wait for the first turn to succeed.
 */
export function startPartitionLoop(options: Options & { registry?: Registry }): BackgroundJob {
  const { log, registry } = options
  return startBackgroundJob(
    { name: 'partitions', everyMs: EVERY_MS, log, registry, maxRetryMs: MAX_RETRY_MS },
    () => maintainPartitions(options),
  )
}
