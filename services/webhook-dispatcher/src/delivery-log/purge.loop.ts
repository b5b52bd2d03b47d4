import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Db } from '../db.ts'
import { findExcess, removeExcess, removeHours } from './purge.queries.ts'

type Options = { across: Db; log: Logger; registry?: Registry }

const EVERY_MS = 60_000
/** To count what large endpoints have takes time. */
const MAX_SHARE = 0.1
/** Kept of each endpoint (D13.11). */
const KEPT_MS = 7 * 24 * 60 * 60_000
const KEPT_ROWS = 100_000
const BATCH = 1_000

/** Removes what became of deliveries after 7 days, and of an endpoint all but the last 100 000, in each replica. */
export const startDeliveryPurge = ({ across, log, registry }: Options): BackgroundJob =>
  startBackgroundJob(
    { name: 'delivery-purge', everyMs: EVERY_MS, maxShare: MAX_SHARE, log, registry },
    (stopping) =>
      purgeDeliveries(
        across,
        { before: new Date(Date.now() - KEPT_MS).toISOString(), rows: KEPT_ROWS },
        stopping,
      ),
  )

/** Removes all deliveries from before this instant, and all but the newest `rows` of each endpoint. What waits stays. */
export async function purgeDeliveries(
  across: Db,
  { before, rows }: { before: string; rows: number },
  stopping?: AbortSignal,
): Promise<void> {
  for (const excess of await findExcess(across, before, rows)) {
    let removed = BATCH
    while (removed === BATCH && stopping?.aborted !== true)
      removed = await removeExcess(across, excess, BATCH)
  }
  if (stopping?.aborted !== true) await removeHours(across, before)
}
