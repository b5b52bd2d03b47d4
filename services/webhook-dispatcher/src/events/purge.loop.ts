import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Db } from '../db.ts'
import { orgsWithOlder, removeOlder } from './events.queries.ts'

type Options = { across: Db; keepDays: number; log: Logger; registry?: Registry }

const EVERY_MS = 60_000
const DAY_MS = 24 * 60 * 60_000
/** An organization is not recorded while a batch of it is removed. */
const BATCH = 1_000

/** Removes the events that were recorded more than `keepDays` ago, in each replica; they share the organizations. */
export const startEventPurge = ({ across, keepDays, log, registry }: Options): BackgroundJob =>
  startBackgroundJob({ name: 'event-purge', everyMs: EVERY_MS, log, registry }, (stopping) =>
    purgeEvents(across, new Date(Date.now() - keepDays * DAY_MS).toISOString(), stopping),
  )

/** Removes all events that were recorded before this instant. */
export async function purgeEvents(across: Db, before: string, stopping?: AbortSignal): Promise<void> {
  for (const orgId of await orgsWithOlder(across, before)) {
    let removed = BATCH
    while (removed === BATCH && stopping?.aborted !== true)
      removed = await removeOlder(across, orgId, before, BATCH)
  }
}
