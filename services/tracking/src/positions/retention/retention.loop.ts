import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db.ts'
import { deleteOlder, historyTables } from './retention.queries.ts'
import type { Retentions } from './retentions.ts'

const EVERY_MS = 3_600_000
const MAX_RETRY_MS = 60_000
/** Of one statement: some hundredths of a second. */
const [MAX_ASSETS, MAX_ROWS] = [500, 2_000]

type Options = {
  db: Kysely<Tables>
  retentions: Pick<Retentions, 'shorter'>
  /** The assets of types, deleted or not. The type of now counts. */
  types: { idsOf(orgId: number, types: readonly string[]): number[] }
  log: Logger
  now?: () => number
  /** Stops between two statements. */
  stopping?: AbortSignal
}

/**
 * Deletes the days of history that organizations do not keep for assets of a type (D22.2). Positions stay. Safe to repeat, to
 * interrupt, and to run on several replicas at once.
 */
export async function deleteExpired({ db, retentions, types, log, now = Date.now, stopping }: Options) {
  for (const { orgId, firstDays } of retentions.shorter(now()))
    for (const [type, first] of firstDays) {
      const all = types.idsOf(orgId, [type])
      let rows = 0
      for (let at = 0; at < all.length; at += MAX_ASSETS) {
        const assetIds = all.slice(at, at + MAX_ASSETS)
        for (const table of historyTables)
          for (let deleted = MAX_ROWS; deleted === MAX_ROWS; rows += deleted) {
            if (stopping?.aborted) return
            deleted = await deleteOlder(db, table, { orgId, assetIds, first }, MAX_ROWS)
          }
      }
      if (rows > 0) log.info({ org_id: orgId, type, rows }, 'history that is no longer kept was deleted')
    }
}

/** Every hour. While the settings may be old it deletes nothing, because somebody may have made them longer. */
export const startRetentionLoop = ({
  retentions,
  registry,
  ...options
}: Omit<Options, 'now' | 'stopping'> & { retentions: Retentions; registry: Registry }): BackgroundJob =>
  startBackgroundJob(
    { name: 'retention', everyMs: EVERY_MS, log: options.log, registry, maxRetryMs: MAX_RETRY_MS },
    async (stopping) => {
      if (!retentions.states.isCurrent()) throw new Error('the settings of organizations have not arrived')
      await deleteExpired({ ...options, retentions, stopping })
    },
  )
