import { isDatabaseOutage } from '@whereabouts/db/outage'
import type { TenantDatabase } from '@whereabouts/db/tenant-database'
import { startBackgroundJob, type BackgroundJob } from '@whereabouts/service-kit/background-job'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { Registry } from '@whereabouts/service-kit/metrics'
import type { Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { Tables, Tx } from '../db.ts'
import { failImport, failNextRow, workBatch, type BatchResult } from './batch.ts'
import { claimImport, releaseClaim, type Claim } from './claims.queries.ts'
import { hasRoom } from './pace.queries.ts'
import { PlanOutdated } from './writes.queries.ts'

/** `stop` finishes the running batch and releases its import. */
export type ImportWorker = BackgroundJob

type Options = {
  /** As the worker: sees the imports of all organizations, and nothing else of them. */
  across: Kysely<Tables>
  tenants: TenantDatabase<Tables>
  /** Called after each batch: the outbox has something to send. */
  wakeOutbox: () => void
  log: Logger
  /** Messages of changes that may wait to be published before imports wait for them; dry runs make none. */
  maxQueued?: number
  /** Time between polls without a wake; covers imports that another replica accepted. */
  pollMs?: number
  /** Rows of a batch. */
  batchRows?: number
  registry?: Registry
  /** Told of each batch whether it was carried out. */
  onBatch?: (outcome: 'done' | 'failed') => void
}

/** How long one organization is worked for while others wait. */
const SLICE_MS = 500
/** As many as the outbox relay publishes in a few hundred milliseconds. */
const MAX_QUEUED = 5_000
const ROOM_EVERY_MS = 100
const OUTAGE_PAUSE_MS = 1_000

/**
 * Works on imports, one batch at a time and hence on one connection, whatever is waiting: requests come first. Any
 * number of processes may; each import is one worker's at a time, and of each organization one import.
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

/** Batch after batch of one import, until its time is over or it is finished; then it is let go of. */
async function workSlice(options: Options, claim: Claim, worker: string, stopping: AbortSignal) {
  const until = Date.now() + SLICE_MS
  const { across, batchRows = 250, maxQueued = MAX_QUEUED } = options
  let next: Attempt = { result: 'more', rows: batchRows, pauseMs: 0 }
  // A batch that failed is tried in smaller parts first: where the next slice begins, it could only fail again.
  const goesOn = async () =>
    next.rows < batchRows || (Date.now() < until && (claim.dry_run || (await hasRoom(across, maxQueued))))
  try {
    while (next.result === 'more' && next.pauseMs === 0 && (await goesOn()) && !stopping.aborted)
      next = await tryBatch(options, claim, worker, next.rows)
  } finally {
    if (next.result === 'more') await releaseClaim(across, claim, worker, next.pauseMs)
  }
}

/** How a batch ended, and of how many rows the next one is to be, after a pause or at once. */
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
    if (!isOfTheRow(error)) return { result: 'more', rows, pauseMs: OUTAGE_PAUSE_MS }
    const result = await run((tx) => failNextRow(tx, claim, worker)).catch((again: unknown) => {
      if (isOfTheRow(again)) return run((tx) => failImport(tx, claim, worker))
      throw again
    })
    return { result, rows, pauseMs: 0 }
  }
}

/** Not when somebody was faster, nor when the database was away or busy: what it says of data, and mistakes of ours. */
function isOfTheRow(error: unknown): boolean {
  if (error instanceof PlanOutdated || isDatabaseOutage(error)) return false
  const { code } = error as { code?: unknown }
  return typeof code !== 'string' || /^(?:22|23|54)/.test(code)
}
