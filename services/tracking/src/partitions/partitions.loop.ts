import type { Logger } from '@whereabouts/service-kit/logging'
import type { Kysely } from 'kysely'
import type { Tables } from '../db.ts'
import {
  addMonths,
  createPartition,
  dropPartition,
  listPartitions,
  lockPartitions,
  monthOf,
} from './partitions.queries.ts'

/** A scan may be 24 hours old (D8.6), so the month before is needed; the ones ahead give operators time to notice. */
const MONTHS_BEHIND = 1
const MONTHS_AHEAD = 2
const EVERY_MS = 3_600_000
const DAY_MS = 86_400_000

type Options = { db: Kysely<Tables>; retentionDays: number; log: Logger; now?: () => number }

/** Creates the partitions around now and drops those whose last day is older than the retention. Safe to repeat. */
export async function tendPartitions({ db, retentionDays, log, now = Date.now }: Options): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await lockPartitions(tx)
    const month = monthOf(now())
    for (let n = -MONTHS_BEHIND; n <= MONTHS_AHEAD; n += 1) await createPartition(tx, addMonths(month, n))
    const oldest = monthOf(now() - retentionDays * DAY_MS)
    const expired = (await listPartitions(tx)).filter(
      (m) => m < oldest && m < addMonths(month, -MONTHS_BEHIND),
    )
    for (const old of expired) await dropPartition(tx, old)
    if (expired.length > 0) log.info({ months: expired }, 'dropped history beyond the retention')
  })
}

/** Tends the partitions now and every hour; a failure is logged and tried again, since months are made well ahead. */
export function startPartitionLoop(options: Options): { first: Promise<void>; stop(): void } {
  const tend = () =>
    tendPartitions(options).catch((error: unknown) =>
      options.log.error({ err: error }, 'partitions not tended'),
    )
  const timer = setInterval(() => void tend(), EVERY_MS)
  return { first: tend(), stop: () => clearInterval(timer) }
}
