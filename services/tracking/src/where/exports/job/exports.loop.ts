import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { BEYOND_LIMIT } from '@whereabouts/service-kit/http/error-handler'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import type { Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { CatalogView } from '../../../catalog/catalog-view.ts'
import type { Tables } from '../../../db.ts'
import { claimExport, ClaimLost, failExport, releaseClaim, type Claim } from './claims.queries.ts'
import { writeFile } from './write-file.ts'

type Options = {
  /** As the worker: sees only the exports, of all organizations. */
  across: Kysely<Tables>
  tenants: TenantDatabase<Tables>
  view: CatalogView
  log: Logger
  registry?: Registry
  /** Time between polls without a wake. Finds exports that another replica accepted. */
  pollMs?: number
  /** Pause after the first failure of a file. It doubles with each further one. */
  retryMs?: number
}

/** How long the exports of one organization run while others wait. A file that has begun is finished. */
const SLICE_MS = 500
/** Of one file, one after the other: more than a quarter of an hour. An outage of the database does not count. */
const MAX_FAILURES = 12
const LONGEST_PAUSE_MS = 120_000

/** Makes the files of exports, one at a time. Safe in several processes: one worker has an export. */
export function startExportWorker(options: Options): BackgroundJob {
  const { across, log, registry, pollMs = 2_000 } = options
  const worker = randomUUID()
  return startBackgroundJob({ name: 'exports', everyMs: pollMs, log, registry }, async (stopping) => {
    const claim = await claimExport(across, worker)
    if (!claim) return { nextInMs: pollMs }
    await workSlice(options, claim, stopping)
    return { nextInMs: 0 }
  })
}

async function workSlice(options: Options, claim: Claim, stopping: AbortSignal): Promise<void> {
  const { across, tenants, view } = options
  const until = Date.now() + SLICE_MS
  try {
    while (claim.next_file < claim.file_count && Date.now() < until) {
      stopping.throwIfAborted()
      await writeFile({ db: tenants.forOrg(claim.org_id), view, orgId: claim.org_id }, claim, stopping)
      claim.next_file += 1
      claim.failures = 0
    }
  } catch (error) {
    if (error instanceof ClaimLost) return
    if (!stopping.aborted) return fail(options, claim, error)
  }
  await releaseClaim(across, claim)
}

async function fail(
  { across, tenants, log, retryMs = 1_000 }: Options,
  claim: Claim,
  error: unknown,
): Promise<void> {
  const fields = { err: error, org_id: claim.org_id, export_id: claim.id, file: claim.next_file }
  log.warn(fields, 'file of an export failed')
  const problem = problemOf(claim, error)
  if (problem === undefined) {
    const pauseMs = Math.min(retryMs * 2 ** claim.failures, LONGEST_PAUSE_MS)
    return releaseClaim(across, claim, { pauseMs })
  }
  return failExport(tenants.forOrg(claim.org_id), claim, problem)
}

/** Why an export cannot go on, and what to do; undefined if it may succeed later. */
function problemOf({ failures }: Claim, error: unknown): string | undefined {
  if (error instanceof Error && 'code' in error && error.code === BEYOND_LIMIT)
    return `${error.message} A shorter time between from and to, or the format parquet, needs less.`
  if (failures + 1 < MAX_FAILURES) return undefined
  return 'The rows could not be read, several times. Begin the export again; if it fails again, ask the operator.'
}
