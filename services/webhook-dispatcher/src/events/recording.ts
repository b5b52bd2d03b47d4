import { sessionLock } from '@whereabouts/db/connect/session-lock'
import { consumeBatches } from '@whereabouts/messaging/consume/consume'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import type { BatchConsumer, Consumption } from '@whereabouts/messaging/consume/consumer'
import type { RunOptions } from '@whereabouts/messaging/consume/consumer-run'
import type { Logger } from '@whereabouts/messaging/connect/logger'
import { startBackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Database } from '@whereabouts/db/connect/database'
import type { Tables } from '../db.ts'
import type { NewEvent } from './events.queries.ts'

/** How often a replica that does not record tries to, and one that does shows that it is there. */
const LOOK_MS = 1_000
/** The database ends the session of a recorder that shows nothing for this long. */
const IDLE_MS = 10_000

type Options = { pool: Database<Tables>['pool']; log: Logger; run: RunOptions }

/**
 * Records events in one replica at a time, so that those of an organization keep the order in which they were published.
 * The replica that records also wakes its own deliveries. If it ends, another one begins within a second.
 */
export function startRecording(
  broker: Broker,
  recorder: BatchConsumer<NewEvent>,
  { pool, log, run }: Options,
) {
  const lock = sessionLock(pool, 'recorder', IDLE_MS)
  let recording: Consumption | undefined
  const end = async () => {
    await recording?.stop()
    recording = undefined
    lock.abandon()
  }
  const job = startBackgroundJob({ name: 'recording', everyMs: LOOK_MS, log }, async () => {
    try {
      const leader = await lock.take()
      await leader?.query('select 1')
      if (leader) recording ??= consumeBatches(broker, recorder, run)
    } catch (error) {
      await end() // another replica may record by now
      throw error
    }
  })
  return {
    async stop() {
      await job.stop()
      await end()
    },
  }
}
