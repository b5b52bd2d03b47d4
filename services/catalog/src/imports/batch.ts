import type { ImportRowView, RowError, RowOutcome } from '@whereabouts/contracts/imports'
import { tagTypes } from '@whereabouts/contracts/tags'
import { mapInSlices } from '@whereabouts/service-kit/slices'
import { sql } from 'kysely'
import type { Tx } from '../db.ts'
import { highestNumber, lockKeys } from '../external-keys/external-keys.queries.ts'
import { numberOfKey } from '../external-keys/minted-keys.ts'
import { lockTree } from '../locations/moves.queries.ts'
import type { CsvRow } from './csv.ts'
import { holdClaim, type Claim } from './claims.queries.ts'
import { clock, loadParents, loadTagOwners, loadResources } from './snapshot.queries.ts'
import { advanceImport, endImport, type ImportRow } from './imports.queries.ts'
import { findLaterLines, insertOutcomes, nextLines } from './lines.queries.ts'
import { plan, tagName, type Change, type Snapshot, type Planned } from './plan.ts'
import { saveOverlay, applyOverlay } from './dry-run-overlay.queries.ts'
import { readRow, tableOf, type RowInput } from './row-input.ts'
import { writeChanges } from './writes.queries.ts'

/** Rows are large when they carry metadata; memory is to stay small whatever they carry. */
const MAX_CHARACTERS = 2 * 1024 * 1024

/**
 * A batch that waits longer for a lock is retried. PostgreSQL looks for deadlocks after a second, so of an import and a
 * request that wait for each other, the request is never refused.
 *
 * Plans are made for each batch: a file may fill an empty table, and a plan of its beginning reads all of it at its end.
 */
const SETTINGS = sql`
  select set_config('lock_timeout', '400ms', true), set_config('plan_cache_mode', 'force_custom_plan', true)`

/** `lost`: it is another worker's, or was cancelled. */
export type BatchResult = 'more' | 'done' | 'lost'

/**
 * Works off the next `size` rows of an import. Their effects, their outcomes and the progress are one transaction, and
 * the import is locked for it: whatever dies at whatever line, each row is executed once.
 */
export async function workBatch(tx: Tx, claim: Claim, worker: string, size: number): Promise<BatchResult> {
  await SETTINGS.execute(tx)
  const held = await holdClaim(tx, claim, worker)
  if (!held) return 'lost'
  const most = { lines: size, characters: MAX_CHARACTERS }
  const lines = await nextLines(tx, held.org_id, held.file_id, held.last_line, most)
  const rows = await mapInSlices(lines, (line) => readRow(held.resource, held.columns, line))
  return advance(tx, held, await execute(tx, held, rows))
}

/** As `workBatch`, for the one row that made every attempt fail: it fails alone. */
export async function failNextRow(tx: Tx, claim: Claim, worker: string): Promise<BatchResult> {
  const held = await holdClaim(tx, claim, worker)
  if (!held) return 'lost'
  const most = { lines: 1, characters: MAX_CHARACTERS }
  const lines = await nextLines(tx, held.org_id, held.file_id, held.last_line, most)
  return advance(tx, held, lines.map(brokenRow))
}

/** For the import whose outcomes cannot even be kept; what was done stays done. */
export async function failImport(tx: Tx, claim: Claim, worker: string): Promise<BatchResult> {
  const held = await holdClaim(tx, claim, worker)
  if (!held) return 'lost'
  await endImport(tx, held, 'failed')
  return 'done'
}

const BROKEN: RowError = {
  field: 'external_key',
  code: 'invalid_value',
  message: 'the row could not be processed',
}
const brokenRow = ({ line }: CsvRow): ImportRowView => ({
  line,
  outcome: 'failed',
  external_key: null,
  id: null,
  changes: [],
  errors: [BROKEN],
})

async function advance(tx: Tx, held: ImportRow, outcomes: readonly ImportRowView[]): Promise<BatchResult> {
  await insertOutcomes(tx, held.org_id, held.id, outcomes)
  const counts: Record<RowOutcome, number> = { created: 0, updated: 0, unchanged: 0, failed: 0 }
  for (const { outcome } of outcomes) counts[outcome as RowOutcome] += 1
  const lastLine = outcomes.at(-1)?.line ?? held.last_line
  await advanceImport(tx, held, lastLine, counts)
  const done = held.created + held.updated + held.unchanged + held.failed + outcomes.length
  if (done < held.rows_total && outcomes.length > 0) return 'more'
  await endImport(tx, held, 'done')
  return 'done'
}

async function execute(tx: Tx, held: ImportRow, rows: readonly RowInput[]): Promise<ImportRowView[]> {
  if (rows.length === 0) return []
  const snapshot = await loadSnapshot(tx, held, rows)
  const before = new Map(snapshot.resources)
  // Row by row: each sees what the ones before it have left in the snapshot.
  const decided = await mapInSlices(rows, (row) => plan(held.resource, snapshot, [row]))
  const planned = await withLaterParents(tx, held, rows, decided.flat())
  const changes = [...snapshot.resources.values()]
    .map((after): Change => ({ before: before.get(after.key), after }))
    .filter((change) => change.before !== change.after)
  const ids = await carryOut(tx, held, snapshot, changes)
  return planned.map(({ line, outcome, key, changes: columns, errors }) => {
    const id = outcome === 'failed' ? null : (ids.get(key ?? '') ?? null)
    return { line, outcome, external_key: shown(key), id, changes: columns, errors }
  })
}

/** An invalid key may be very long. */
const shown = (key: string | undefined) => (key !== undefined && key.length <= MAX_KEY_LENGTH ? key : null)
const MAX_KEY_LENGTH = 255

async function carryOut(
  tx: Tx,
  { org_id, id, resource, dry_run }: ImportRow,
  snapshot: Snapshot,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, number | null>> {
  if (!dry_run) return writeChanges(tx, org_id, tableOf[resource], snapshot, changes)
  await saveOverlay(tx, org_id, id, snapshot, changes)
  return new Map([...snapshot.resources.values()].map(({ key, id: stored }) => [key, stored]))
}

/**
 * The locks of an import are taken in the order of the API: the tree, rows, the mint, tags. Statements follow the locks
 * they depend on, whose snapshots would otherwise be older.
 */
async function loadSnapshot(tx: Tx, held: ImportRow, rows: readonly RowInput[]): Promise<Snapshot> {
  const { org_id, id, resource, dry_run } = held
  const [table, isReal] = [tableOf[resource], !dry_run]
  const keys = rows.flatMap(({ key }) => key ?? [])
  const parents = rows.flatMap(({ fields }) => fields.parent_external_key ?? [])
  const named = [...new Set([...keys, ...parents])]
  if (isReal && parents.length > 0) await lockTree(tx, org_id)
  const resources = new Map(
    (await loadResources(tx, org_id, table, named, isReal)).map((thing) => [thing.key, thing]),
  )
  const mints = rows.some(({ key }) => key === undefined || numberOfKey(table, key) !== undefined)
  if (isReal && mints) await lockKeys(tx, org_id, table)
  const tags = rows.flatMap((row) =>
    tagTypes.flatMap((type) => (row.tags[type] ?? []).map((value) => ({ type, value }))),
  )
  const snapshot: Snapshot = {
    now: await clock(tx),
    highestNumber: mints ? await highestNumber(tx, org_id, table) : 0n,
    resources,
    tagOwners: await loadTagOwners(tx, org_id, tags),
    parents: new Map(),
  }
  const asked = { keys: named, tags: tags.map(({ type, value }) => tagName(type, value)) }
  if (dry_run) await applyOverlay(tx, org_id, id, snapshot, asked)
  if (mayMove(rows, snapshot)) snapshot.parents = await loadParents(tx, org_id, id, [...new Set(parents)])
  return snapshot
}

/**
 * Whether some row may give a parent to a location that something is inside of. Only then could there be a cycle, and
 * the way up from each parent is worth its time. A location that is new in this batch may be moved by a later row: by
 * its key, or by the one that is minted for it.
 */
function mayMove(rows: readonly RowInput[], { resources }: Snapshot): boolean {
  const seen = new Set<string | undefined>()
  return rows.some(({ key, fields: { parent_external_key: parent } }) => {
    const isKnown = key !== undefined && (seen.has(key) || seen.has(undefined))
    seen.add(key)
    if (typeof parent !== 'string' || key === undefined) return false
    const stored = resources.get(key)
    return stored ? stored.fields.parent_external_key !== parent : isKnown
  })
}

/** A parent that is missing may come later in the file: then that is what is wrong. */
async function withLaterParents(
  tx: Tx,
  { org_id, file_id }: ImportRow,
  rows: readonly RowInput[],
  planned: readonly Planned[],
): Promise<readonly Planned[]> {
  const isMissing = ({ code }: RowError) => code === 'fk_not_found'
  const orphans = planned.flatMap(({ line, errors }, i) => {
    const key = rows[i]?.fields.parent_external_key
    return key && errors.some(isMissing) ? [{ key, after: line }] : []
  })
  if (orphans.length === 0) return planned
  const later = await findLaterLines(tx, org_id, file_id, orphans)
  return planned.map((row) => {
    const line = later.get(row.line)
    const told = (error: RowError) =>
      isMissing(error) && line !== undefined
        ? { ...error, message: `${error.message} yet: it comes in line ${line}` }
        : error
    return { ...row, errors: row.errors.map(told) }
  })
}
