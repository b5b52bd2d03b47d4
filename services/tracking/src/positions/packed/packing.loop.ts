import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { counter, type Registry } from '@whereabouts/service-kit/observe/metrics'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db.ts'
import { packStep } from './packer.ts'

const EVERY_MS = 60_000
/** The rest of the time is for ingest and readers of history. */
const MAX_SHARE = 0.5

type Options = { db: Kysely<Tables>; log: Logger; registry: Registry; now?: () => number }

/**
 * Packs history that is old enough, a part at a time, with as long a pause after each. All replicas do that; one of them packs at a time.
 * It may be interrupted anywhere, and goes on where it was.
 */
export function startPacking({ db, log, registry, now }: Options): BackgroundJob {
  const packed = counter(registry, 'history_rows_packed_total', 'Rows of history that were packed into days.')
  const job = { name: 'history-packing', everyMs: EVERY_MS, log, registry, maxShare: MAX_SHARE }
  return startBackgroundJob(job, async () => {
    const { outcome, rows, until } = await packStep(db, { now })
    packed.inc(rows)
    if (outcome === 'finished') log.info({ until }, 'history is packed up to this day')
    return outcome === 'packed' || outcome === 'finished' ? { nextInMs: 0 } : undefined
  })
}
