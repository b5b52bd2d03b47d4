import type { OutgoingMessage } from '@whereabouts/messaging/messages/publish'
import { startBackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { gauge, type Registry } from '@whereabouts/service-kit/observe/metrics'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db.ts'
import { CANARY_SUBJECT } from './canary.ts'
import { newestCanary } from './canary.queries.ts'

type Options = {
  /** Rejects if no stream has stored the message in time. */
  publish: (message: OutgoingMessage) => Promise<unknown>
  db: Kysely<Tables>
  registry: Registry
  log: Pick<Logger, 'warn'>
  /** Default: a minute. */
  everyMs?: number
  sampleEveryMs?: number
}

export type CanaryLoop = {
  /** False if no canary of the last three turns was stored. True in the first three turns of this process. */
  areReadsStored(): boolean
  stop(): Promise<unknown>
}

/** Canaries that may be missing before something is wrong. */
const TURNS = 3

/**
 * Publishes a canary a minute, and shows the age of the newest that any replica has stored. While the database does not
 * answer, the age of the last known one grows: then no read is stored either.
 */
export function startCanary(options: Options): CanaryLoop {
  const { publish, db, registry, log, everyMs = 60_000, sampleEveryMs = 15_000 } = options
  const startedAt = Date.now()
  let newest: number | undefined
  const age = (from: number) => Math.max(0, Date.now() - from)
  gauge(
    registry,
    'canary_age_seconds',
    'Time since the broker received the newest canary that ingest has stored; before the first one, since the start. Reads that are not older are stored. Replicas show the same value within seconds, so queries take `min`.',
    () => age(newest ?? startedAt) / 1_000,
  )
  const jobs = [
    // One that fails is not repeated: the next one shows the same.
    startBackgroundJob({ name: 'canary', everyMs, retryMs: everyMs, log, registry }, async () => {
      await publish({ subject: CANARY_SUBJECT, payload: {} })
    }),
    startBackgroundJob({ name: 'canary-sampling', everyMs: sampleEveryMs, log, registry }, async () => {
      newest = (await newestCanary(db)) ?? newest
    }),
  ]
  return {
    areReadsStored: () => age(Math.max(newest ?? 0, startedAt)) < TURNS * everyMs,
    stop: () => Promise.all(jobs.map((job) => job.stop())),
  }
}
