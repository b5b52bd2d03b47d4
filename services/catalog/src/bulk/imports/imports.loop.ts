import { isDatabaseOutage } from '@whereabouts/db/connect/outage'
import type { TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/service/background-job'
import { BEYOND_LIMIT } from '@whereabouts/service-kit/http/error-handler'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { Registry } from '@whereabouts/service-kit/observe/metrics'
import type { Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Tables, Tx } from '../../db.ts'
import { failImport, failNextRow, workBatch, type BatchResult } from './batch.ts'
import { claimImport, releaseClaim, type Claim } from './claims.queries.ts'
import { hasRoom } from './imports.queries.ts'
import { PlanOutdated } from '../plan/writes.queries.ts'

/** `stop` finishes the running batch and releases its import. */
export type ImportWorker = BackgroundJob

type Options = {
  /** As the worker: sees only the imports, of all organizations. */
  across: Kysely<Tables>
  tenants: TenantDatabase<Tables>
  /** Called after each batch: the outbox has messages to publish. */
  wakeOutbox: () => void
  log: Logger
  /** Imports pause while the outbox has more messages. Dry runs do not pause, because they queue none. */
  maxQueued?: number
  /** Time between polls without a wake. Finds imports that another replica accepted. */
  pollMs?: number
  /** Rows of a batch. */
  batchRows?: number
  registry?: Registry
  /** Called after each batch with its outcome. */
  onBatch?: (outcome: 'done' | 'failed') => void
}

/** How long the imports of one organization run while others wait. */
const SLICE_MS = 500
/** As many as the outbox relay publishes in a few hundred milliseconds. */
const MAX_QUEUED = 5_000
const ROOM_EVERY_MS = 100
const OUTAGE_PAUSE_MS = 1_000

/**
 * Processes imports, one batch at a time on one connection, because requests have priority. Safe in several
 * processes: one worker has an import, and one import of each organization runs at a time.
 */
export function startImportWorker(options: Options): ImportWorker {
  const { across, log, registry, pollMs = 1_000, maxQueued = MAX_QUEUED } = options
  const worker = randomUUID()
  return startBackgroundJob({ name: 'imports', everyMs: pollMs, log, registry }, async (stopping) => {
    const isFull = !(await hasRoom(across, maxQueued))
    const claim = await claimImport(across, worker, isFull)
    if (claim) await workSlice(options, claim, worker, stopping)
    if (claim) return { nextInMs: 0 }
    return { nextInMs: isFull ? ROOM_EVERY_MS : pollMs }
  })
}

/** Runs batches of one import until its time is over or it has finished, then releases it. */
async function workSlice(options: Options, claim: Claim, worker: string, stopping: AbortSignal) {
  const until = Date.now() + SLICE_MS
  const { across, batchRows = 250, maxQueued = MAX_QUEUED } = options
  let next: Attempt = { result: 'more', rows: batchRows, pauseMs: 0 }
  // Finishes the smaller parts of a failed batch first, because the next slice would start with a full one.
  const mayContinue = async () =>
    next.rows < batchRows || (Date.now() < until && (claim.dry_run || (await hasRoom(across, maxQueued))))
  try {
    while (next.result === 'more' && next.pauseMs === 0 && (await mayContinue()) && !stopping.aborted)
      next = await tryBatch(options, claim, worker, next.rows)
  } finally {
    if (next.result === 'more') await releaseClaim(across, claim, worker, next.pauseMs)
  }
}

/** The result of a batch, and the number of rows and the pause before the next one. */
type Attempt = { result: BatchResult; rows: number; pauseMs: number }

async function tryBatch(options: Options, claim: Claim, worker: string, rows: number): Promise<Attempt> {
  const { tenants, wakeOutbox, log, batchRows = 250, onBatch } = options
  const run = (work: (tx: Tx) => Promise<BatchResult>) => tenants.transaction(claim.org_id, work)
  try {
    const result = await run((tx) => workBatch(tx, claim, worker, rows))
    wakeOutbox()
    onBatch?.('done')
    return { result, rows: Math.min(batchRows, 2 * rows), pauseMs: 0 }
  } catch (error) {
    onBatch?.('failed')
    log.warn({ err: error, org_id: claim.org_id, import_id: claim.id, rows }, 'import batch failed')
    if (rows > 1) return { result: 'more', rows: Math.ceil(rows / 4), pauseMs: 0 }
    const beyond = beyondLimit(error)
    if (beyond === undefined && !isRowError(error)) return { result: 'more', rows, pauseMs: OUTAGE_PAUSE_MS }
    const result = await run((tx) => failNextRow(tx, claim, worker, beyond)).catch((again: unknown) => {
      if (isRowError(again)) return run((tx) => failImport(tx, claim, worker))
      throw again
    })
    return { result, rows, pauseMs: 0 }
  }
}

/** Why the row would exceed what the organization may store (ADR 91); undefined for any other error. */
const beyondLimit = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && error.code === BEYOND_LIMIT ? error.message : undefined

/** Errors about data, and bugs. Not conflicts with other changes, and not an outage of the database. */
function isRowError(error: unknown): boolean {
  if (error instanceof PlanOutdated || isDatabaseOutage(error)) return false
  const { code } = error as { code?: unknown }
  return typeof code !== 'string' || /^(?:22|23|54)/.test(code)
}
