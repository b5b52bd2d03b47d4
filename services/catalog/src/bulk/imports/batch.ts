import type {
  ImportRowView,
  RowError,
  RowOutcome,
  RowWarning,
} from '@whereabouts/contracts/resources/catalog/imports'
import { tagTypes } from '@whereabouts/contracts/resources/catalog/tags'
import { mapInSlices } from '@whereabouts/service-kit/limits/slices'
import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import { loadSnapshot } from '../plan/load-snapshot.ts'
import { tableOf, type RowInput } from '../plan/row-input.ts'
import { holdClaim, type Claim } from './claims.queries.ts'
import { saveOverlay } from '../plan/dry-run-overlay.queries.ts'
import { endImport } from './end-import.ts'
import { advanceImport, rowsDone, type ImportRow } from './imports.queries.ts'
import { findEarlierLines, insertOutcomes, nextLines } from './lines.queries.ts'
import { gained, plan, type Change, type Snapshot } from '../plan/plan.ts'
import { readRow } from './file/row-input.ts'
import { warningsOf } from './file/warnings.ts'
import { withParentLines } from './parent-lines.ts'
import { writeChanges } from '../plan/writes.queries.ts'

/** Limits the memory of a batch. Rows with metadata may be large. */
const MAX_CHARACTERS = 2 * 1024 * 1024

/**
 * A batch that waits longer for a lock fails and is retried. PostgreSQL detects deadlocks after a second, so in a
 * deadlock of an import and a request, the import fails.
 *
 * Each batch gets its own plans: a file may fill an empty table, and a plan for the empty table reads all of it.
 */
const SETTINGS = sql`
  select set_config('lock_timeout', '400ms', true), set_config('plan_cache_mode', 'force_custom_plan', true)`

/** `lost`: another worker has the import, or it was cancelled. */
export type BatchResult = 'more' | 'done' | 'lost'

/**
 * Processes the next `size` rows of an import. One transaction locks the import and contains changes, outcomes and
 * progress, so a crash at any time executes each row once.
 */
export async function workBatch(tx: Tx, claim: Claim, worker: string, size: number): Promise<BatchResult> {
  await SETTINGS.execute(tx)
  const held = await holdClaim(tx, claim, worker)
  if (!held) return 'lost'
  const most = { lines: size, characters: MAX_CHARACTERS }
  const lines = await nextLines(tx, held, most)
  const rows = await mapInSlices(lines, (line) =>
    readRow(held.resource, held.columns, line, held.empty_cells),
  )
  const batch: Batch = {
    rows: await withRepeatedKeys(tx, held, rows),
    warnings: await mapInSlices(lines, (line) => warningsOf(held.resource, held.columns, line)),
    circular: new Set(lines.flatMap(({ line, is_circular }) => (is_circular ? [line] : []))),
  }
  return advance(tx, held, await execute(tx, held, batch))
}

type Batch = {
  rows: readonly RowInput[]
  /** Of each row. */
  warnings: readonly RowWarning[][]
  /** The lines whose parents lead back to themselves. */
  circular: ReadonlySet<number>
}

/** What a batch did. */
type Executed = { outcomes: ImportRowView[]; tagsRemoved: number }

/** A row whose key an earlier row of the file has, in any batch, fails: it would silently overwrite that one. */
async function withRepeatedKeys(
  tx: Tx,
  { org_id, file_id }: ImportRow,
  rows: readonly RowInput[],
): Promise<readonly RowInput[]> {
  const named = rows.flatMap(({ key, line }) => (key === undefined ? [] : [{ key, before: line }]))
  const earlier = await findEarlierLines(tx, org_id, file_id, named)
  return rows.map((row) => {
    const line = earlier.get(row.line)
    return line === undefined ? row : { ...row, errors: [...row.errors, repeatedKey(line)] }
  })
}

const repeatedKey = (line: number): RowError => ({
  field: 'external_key',
  code: 'conflict',
  message: `external_key is already in line ${line} of the file`,
})

/** Marks the next row as failed, after it made every attempt fail. `reason` is for the user. */
export async function failNextRow(
  tx: Tx,
  claim: Claim,
  worker: string,
  reason = 'the row could not be processed',
): Promise<BatchResult> {
  const held = await holdClaim(tx, claim, worker)
  if (!held) return 'lost'
  const most = { lines: 1, characters: MAX_CHARACTERS }
  const lines = await nextLines(tx, held, most)
  return advance(tx, held, {
    outcomes: lines.map(({ line }) => unprocessableRow(line, reason)),
    tagsRemoved: 0,
  })
}

/** Ends an import whose outcomes cannot be stored. Earlier batches remain. */
export async function failImport(tx: Tx, claim: Claim, worker: string): Promise<BatchResult> {
  const held = await holdClaim(tx, claim, worker)
  if (!held) return 'lost'
  await endImport(tx, held, 'failed')
  return 'done'
}

const unprocessableRow = (line: number, message: string): ImportRowView => ({
  line,
  outcome: 'failed',
  external_key: null,
  id: null,
  changes: [],
  errors: [{ field: 'external_key', code: 'invalid_value', message }],
  warnings: [],
})

async function advance(
  tx: Tx,
  held: ImportRow,
  { outcomes, tagsRemoved: tags_removed }: Executed,
): Promise<BatchResult> {
  await insertOutcomes(tx, held.org_id, held.id, outcomes)
  const counts: Record<RowOutcome, number> = { created: 0, updated: 0, unchanged: 0, failed: 0 }
  for (const { outcome } of outcomes) counts[outcome as RowOutcome] += 1
  const warned = outcomes.filter(({ warnings }) => warnings.length > 0).length
  // A release before this one goes by the last line. In a file of another order it fails, instead of leaving rows out.
  const lastLine = held.is_reordered ? held.last_line : (outcomes.at(-1)?.line ?? held.last_line)
  await advanceImport(tx, held, lastLine, { ...counts, warned, tags_removed })
  if (rowsDone(held) + outcomes.length < held.rows_total && outcomes.length > 0) return 'more'
  await endImport(tx, held, 'done')
  return 'done'
}

async function execute(tx: Tx, held: ImportRow, batch: Batch): Promise<Executed> {
  const { rows, warnings } = batch
  if (rows.length === 0) return { outcomes: [], tagsRemoved: 0 }
  const snapshot = await loadSnapshot(tx, held, rows)
  const before = new Map(snapshot.resources)
  // Row by row, because each row changes the snapshot.
  const decided = await mapInSlices(rows, (row) => plan(held.resource, snapshot, [row]))
  const planned = await withParentLines(tx, held, batch, decided.flat())
  const changes = [...snapshot.resources.values()]
    .map((after): Change => ({ before: before.get(after.key), after }))
    .filter((change) => change.before !== change.after)
  const ids = await applyChanges(tx, held, snapshot, changes)
  const outcomes = planned.map(({ line, outcome, key, changes: columns, errors }, i) => ({
    line,
    outcome,
    external_key: reportedKey(key),
    id: outcome === 'failed' ? null : (ids.get(key ?? '') ?? null),
    changes: columns,
    errors,
    warnings: warnings[i] ?? [],
  }))
  return { outcomes, tagsRemoved: changes.reduce((sum, change) => sum + removedTags(change), 0) }
}

const removedTags = ({ before, after }: Change): number =>
  tagTypes.reduce((sum, type) => sum + gained(after, before, type).length, 0)

/** An invalid key may be very long. */
const reportedKey = (key: string | undefined) =>
  key !== undefined && key.length <= MAX_KEY_LENGTH ? key : null
const MAX_KEY_LENGTH = 255

async function applyChanges(
  tx: Tx,
  { org_id, id, resource, dry_run }: ImportRow,
  snapshot: Snapshot,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, number | null>> {
  if (!dry_run) return writeChanges(tx, org_id, tableOf[resource], snapshot, changes)
  await saveOverlay(tx, org_id, id, snapshot, changes)
  return new Map([...snapshot.resources.values()].map(({ key, id: stored }) => [key, stored]))
}
