import type { BatchItemError, BatchMode, BatchResult } from '@whereabouts/contracts/resources/catalog/batches'
import type { ConflictOwner, FieldEntry } from '@whereabouts/contracts/errors'
import { tagTypes } from '@whereabouts/contracts/resources/catalog/tags'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { mustReferToSameResource, validationFailed } from '@whereabouts/service-kit/errors/errors'
import { BEYOND_LIMIT } from '@whereabouts/service-kit/http/error-handler'
import { mapInSlices } from '@whereabouts/service-kit/limits/slices'
import { sql } from 'kysely'
import type { Tx } from '../../db.ts'
import { assetNotFound, locationNotFound } from '../../errors.ts'
import type { RowInput } from '../plan/row-input.ts'
import { loadSnapshot } from '../plan/load-snapshot.ts'
import { ownerName, plan, tagName, type Change, type Snapshot } from '../plan/plan.ts'
import { writeChanges } from '../plan/writes.queries.ts'
import { listKeysOf, listOwners } from './batches.queries.ts'
import type { Item } from './batch-items.ts'

/**
 * Saves the items of a batch (D12.9) in one transaction, with the plan and the statements of imports: their number does not
 * depend on the number of items.
 */

type Table = 'asset' | 'location'
const resourceOf = { asset: 'assets', location: 'locations' } as const

export type BatchOptions = { orgId: number; table: Table; mode: BatchMode; dryRun: boolean }

/** What became of an item. A taken key or tag is named as `asset:KEY`; its id is looked up for all items together. */
type Outcome = Omit<BatchResult, 'id' | 'error'> & {
  key: string | undefined
  error: Omit<BatchItemError, 'conflict'> | null
  owner?: string | undefined
}
type Row = RowInput & { key: string }

/** The result of each item, in order. Throws `PlanOutdated` if another change came first. */
export async function saveBatch(
  tx: Tx,
  options: BatchOptions,
  items: readonly Item[],
): Promise<BatchResult[]> {
  const parents = await listKeysOf(tx, options.orgId, items.flatMap((item) => ('row' in item ? (item.parentId ?? []) : []))) // oxfmt-ignore
  const firsts = new Map<string, number>()
  const refused: Outcome[] = []
  const rows: Row[] = []
  for (const [index, item] of items.entries()) {
    const key = 'row' in item ? item.row.key : item.key
    const first = key === undefined ? undefined : firsts.get(key)
    if (key !== undefined && first === undefined) firsts.set(key, index)
    const problems = 'row' in item ? parentProblems(item, parents) : item.problems
    if (problems.length > 0) refused.push(failed(index, key, invalid(problems)))
    else if (first !== undefined) refused.push(failed(index, key, repeated(first)))
    else if ('row' in item) rows.push(withParent(item, parents))
  }
  const { outcomes, ids } = await saveRows(tx, options, rows)
  const all = [...refused, ...outcomes].toSorted((a, b) => a.index - b.index)
  return withIds(tx, options, all, ids)
}

const failed = (
  index: number,
  key: string | undefined,
  error: Outcome['error'],
  owner?: string,
): Outcome => ({
  index,
  key,
  status: 'failed',
  error,
  owner,
})

const errorOf = ({ type, message, fields }: AppError): NonNullable<Outcome['error']> => ({
  type,
  detail: message,
  ...(fields && { fields: [...fields] }),
})

const invalid = ([first, ...rest]: readonly FieldEntry[]) =>
  first ? errorOf(validationFailed([first, ...rest])) : null

const repeated = (first: number): Outcome['error'] => ({
  type: 'conflict',
  detail: `external_key is already in items[${first}]`,
})

type Named = Extract<Item, { row: Row }>

function parentProblems({ row, parentId }: Named, parents: ReadonlyMap<number, string>): FieldEntry[] {
  if (parentId === undefined) return []
  const key = parents.get(parentId)
  const sent = row.fields.parent_external_key
  if (key === undefined)
    return [{ field: 'parent_id', code: 'fk_not_found', message: 'parent_id does not refer to a location' }]
  return sent === undefined || sent === key ? [] : mustReferToSameResource('parent_id', 'parent_external_key')
}

const withParent = ({ row, parentId }: Named, parents: ReadonlyMap<number, string>): Row =>
  parentId === undefined
    ? row
    : { ...row, fields: { ...row.fields, parent_external_key: parents.get(parentId) ?? null } }

type Saved = { outcomes: Outcome[]; ids: ReadonlyMap<string, number | null> }

/**
 * Items that would pass a limit of what the organization may store (ADR 91) fail, and no others: halves are tried until the
 * first such item is found. From then on what adds fails without a try, so a full organization costs few statements.
 */
async function saveRows(tx: Tx, options: BatchOptions, rows: readonly Row[]): Promise<Saved> {
  const outcomes: Outcome[] = []
  const ids = new Map<string, number | null>()
  let full: Outcome['error'] = null
  const save = async (part: readonly Row[]): Promise<void> => {
    if (part.length === 0) return
    const saved = await trySave(tx, options, part, full)
    if (!('beyond' in saved)) {
      outcomes.push(...saved.outcomes)
      for (const [key, id] of saved.ids) ids.set(key, id)
    } else if (part.length === 1) {
      full = { type: 'conflict', detail: saved.beyond }
      outcomes.push(...part.map(({ line, key }) => failed(line, key, full)))
    } else {
      const half = Math.ceil(part.length / 2)
      await save(part.slice(0, half))
      await save(part.slice(half))
    }
  }
  await save(rows)
  return { outcomes, ids }
}

async function trySave(
  tx: Tx,
  options: BatchOptions,
  rows: readonly Row[],
  full: Outcome['error'],
): Promise<Saved | { beyond: string }> {
  if (options.dryRun) return saveAll(tx, options, rows, full)
  await sql`savepoint part`.execute(tx)
  try {
    const saved = await saveAll(tx, options, rows, full)
    await sql`release savepoint part`.execute(tx)
    return saved
  } catch (error) {
    if ((error as { code?: unknown }).code !== BEYOND_LIMIT) throw error
    await sql`rollback to savepoint part`.execute(tx)
    return { beyond: (error as Error).message }
  }
}

async function saveAll(
  tx: Tx,
  { orgId, table, mode, dryRun }: BatchOptions,
  rows: readonly Row[],
  full: Outcome['error'],
): Promise<Saved> {
  const resource = resourceOf[table]
  const held = { org_id: orgId, id: NO_IMPORT, resource, dry_run: dryRun }
  const snapshot = await loadSnapshot(tx, held, rows)
  const before = new Map(snapshot.resources)
  // Row by row, because each row changes the snapshot.
  const outcomes = await mapInSlices(rows, (row): Outcome => {
    const refusal = refusalBy(mode, table, row.key, snapshot.resources.has(row.key))
    if (refusal) return failed(row.line, row.key, refusal, ownerName(table, row.key))
    if (full && !snapshot.resources.has(row.key)) return failed(row.line, row.key, full)
    const owner = ownerOfTag(snapshot, table, row)
    const [planned] = plan(resource, snapshot, [row])
    if (!planned) throw new Error('a row has an outcome')
    const { outcome, errors } = planned
    return outcome === 'failed'
      ? failed(row.line, row.key, problemOf(errors), owner)
      : { index: row.line, key: row.key, status: outcome, error: null }
  })
  const changes = [...snapshot.resources.values()]
    .map((after): Change => ({ before: before.get(after.key), after }))
    .filter((change) => change.before !== change.after)
  if (!dryRun) return { outcomes, ids: await writeChanges(tx, orgId, table, snapshot, changes) }
  return { outcomes, ids: new Map([...snapshot.resources.values()].map(({ key, id }) => [key, id])) }
}

/** No import has this id. */
const NO_IMPORT = 0

/** What the mode says about an item that exists, or does not. */
function refusalBy(mode: BatchMode, table: Table, key: string, exists: boolean): Outcome['error'] {
  if (exists && mode === 'create') return { type: 'conflict', detail: `${table} ${key} already exists` }
  if (exists || mode !== 'update') return null
  return errorOf(table === 'asset' ? assetNotFound() : locationNotFound())
}

/** The first owner of a tag of the row, if it is another one. */
function ownerOfTag({ tagOwners }: Snapshot, table: Table, { key, tags }: Row): string | undefined {
  const own = ownerName(table, key)
  return tagTypes
    .flatMap((type) => (tags[type] ?? []).map((value) => tagOwners.get(tagName(type, value))))
    .find((owner) => owner !== undefined && owner !== own)
}

/** Problems of imports have `conflict` among the codes of fields. A conflict of the API has no fields. */
function problemOf(errors: readonly { field: string; code: string; message: string }[]): Outcome['error'] {
  const fields = errors.filter((error): error is FieldEntry => error.code !== 'conflict')
  return fields.length > 0 ? invalid(fields) : { type: 'conflict', detail: errors[0]?.message ?? '' }
}

async function withIds(
  tx: Tx,
  { orgId, dryRun }: BatchOptions,
  outcomes: readonly Outcome[],
  ids: ReadonlyMap<string, number | null>,
): Promise<BatchResult[]> {
  const wanted = outcomes.flatMap(({ error, owner }) => (error?.type === 'conflict' && owner ? [owner] : []))
  const owners = await listOwners(tx, orgId, [...new Set(wanted)])
  const conflictOf = (owner: string | undefined): ConflictOwner | undefined =>
    owner === undefined ? undefined : owners.get(owner)
  return outcomes.map(({ index, key = '', status, error, owner }) => {
    const isSaved = status !== 'failed' && !(dryRun && status === 'created')
    const conflict = error?.type === 'conflict' ? conflictOf(owner) : undefined
    return {
      index,
      status,
      id: isSaved ? (ids.get(key) ?? null) : null,
      error: error && { ...error, ...(conflict && { conflict }) },
    }
  })
}
