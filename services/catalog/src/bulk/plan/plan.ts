import { namesWith, type Fields } from '@whereabouts/contracts/rules/fields'
import {
  importColumns,
  type ImportResource,
  type RowError,
  type RowOutcome,
} from '@whereabouts/contracts/resources/catalog/imports'
import { WINDOW_PROBLEM } from '@whereabouts/contracts/rules/object-rules'
import { uniqueForm } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { MAX_TAGS, tagTypes, type TagType } from '@whereabouts/contracts/resources/catalog/tags'
import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { nameProblems } from '@whereabouts/service-kit/errors/name-problems'
import { isDeepStrictEqual } from 'node:util'
import { homeAfter, NO_HOME, type Home, type Homes } from '../../assets/homes/home.rules.ts'
import { fieldsOf } from '../../db.ts'
import { locationInsideItself, parentNotFound, tagExists, tooManyTags } from '../../errors.ts'
import { keyWithNumber, numberOfKey, type KeyedTable } from '../../tags/external-keys/minted-keys.ts'
import { metadataProblems, storableMetadata } from '../../changes/patch/metadata.rules.ts'
import { inColumnOrder, sentHome, tableOf, type ImportedFields, type RowInput } from './row-input.ts'

/** An asset or a location, as stored or as earlier rows leave it. Immutable. */
export type Resource = {
  /** Null: not stored. */
  id: number | null
  key: string
  fields: ImportedFields
  tags: Readonly<Record<TagType, readonly string[]>>
  /** Only of a stored location: its stored parent. */
  parentId?: number | null
  /** Only of an asset. */
  homeId?: number | null
}

/**
 * The stored state that some rows depend on. `plan` changes it row by row. Resources are identified by key, so stored
 * ones and those of a dry run look alike.
 */
export type Snapshot = {
  /** In microseconds: the `valid_from` of new resources. */
  now: string
  /** The highest number of a live key that looks minted. */
  highestNumber: bigint
  /** The resources that rows name by key or as a parent. */
  resources: Map<string, Resource>
  /** From `tagName` to `ownerName`. */
  tagOwners: Map<string, string>
  /** The parent's key of each location that rows name as a parent, and of its ancestors. */
  parents: Map<string, string | null>
  /** The live locations that rows name as homes. */
  homes: Homes
}

/** One resource before and after a batch. Without `before`, it is new. */
export type Change = { before: Resource | undefined; after: Resource }

export type Planned = {
  line: number
  outcome: RowOutcome
  /** Undefined for a failed row without a key. */
  key: string | undefined
  changes: string[]
  errors: RowError[]
}

export const tagName = (type: string, value: string): string => `${type}:${uniqueForm(type, value)}`
export const ownerName = (table: KeyedTable, key: string): string => `${table}:${key}`

/**
 * Decides the outcome of each row, in order. A failed row does not change the snapshot. Without I/O: an import and
 * its dry run share these decisions.
 */
export function plan(resource: ImportResource, snapshot: Snapshot, rows: readonly RowInput[]): Planned[] {
  return rows.map((row) => {
    const planned = decide(resource, snapshot, row)
    return planned.errors.length === 0
      ? planned
      : { ...planned, outcome: 'failed', changes: [], errors: inColumnOrder(resource, planned.errors) }
  })
}

function decide(resource: ImportResource, snapshot: Snapshot, row: RowInput): Planned {
  const table = tableOf[resource]
  const { line } = row
  const before = row.key === undefined ? undefined : snapshot.resources.get(row.key)
  const nameless = before || row.isNamed ? [] : [NAMELESS]
  const early = [...nameless, ...row.errors, ...unstorable(before?.fields, row.fields)]
  if (early.length > 0) return failed(line, row.key, early)
  const key = row.key ?? nextKey(table, snapshot)
  if (key instanceof AppError) return failed(line, undefined, [conflict('external_key', key)])

  const home = homeOf(table, snapshot, before, row)
  const after = merged(table, snapshot, key, before, Array.isArray(home) ? row : placed(row, home))
  const changed = changedColumns(resource, before, after)
  const errors = [
    ...windowProblems(after, changed),
    ...parentProblems(snapshot, before, after, changed),
    ...(Array.isArray(home) ? home : []),
    ...tagProblems(snapshot, table, before, after),
  ]
  if (errors.length > 0) return failed(line, row.key, errors)
  accept(snapshot, table, before, after)
  if (!before) return { line, outcome: 'created', key, changes: [], errors }
  return { line, outcome: changed.length > 0 ? 'updated' : 'unchanged', key, changes: changed, errors }
}

/** Undefined for a location. */
function homeOf(table: KeyedTable, { homes }: Snapshot, before: Resource | undefined, row: RowInput) {
  if (table === 'location') return undefined
  return homeAfter(before ? shownHome(before) : NO_HOME, sentHome(row), homes)
}

const shownHome = ({ homeId, fields }: Resource): Home => ({
  home_location_id: homeId ?? null,
  home_location_external_key: fields.home_location_external_key ?? null,
})

const placed = (row: RowInput, home: Home | undefined): RowInput =>
  home === undefined
    ? row
    : {
        ...row,
        homeId: home.home_location_id,
        fields: { ...row.fields, home_location_external_key: home.home_location_external_key },
      }

const failed = (line: number, key: string | undefined, errors: RowError[]): Planned => ({
  line,
  outcome: 'failed',
  key,
  changes: [],
  errors,
})

const NAMELESS: RowError = { field: 'name', code: 'required', message: 'name is required' }
const conflict = (field: string, { message }: Error): RowError => ({ field, code: 'conflict', message })

function nextKey(table: KeyedTable, { highestNumber }: Snapshot): string | AppError {
  try {
    return keyWithNumber(table, highestNumber + 1n)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

/** Compares with the stored row, because an exported file may come back unchanged. At most one problem per column. */
function unstorable(stored: ImportedFields | undefined, { name, metadata }: RowInput['fields']): RowError[] {
  const [first] = metadataProblems(stored?.metadata, metadata)
  return [...nameProblems(stored?.name, name), ...(first ? [{ ...first, field: 'metadata' }] : [])]
}

const NO_TAGS: Resource['tags'] = { rfid: [], ble: [], barcode: [] }

function merged(
  table: KeyedTable,
  snapshot: Snapshot,
  key: string,
  before: Resource | undefined,
  { fields, tags, homeId }: RowInput,
): Resource {
  const stored = before?.fields ?? newFields(table, snapshot.now)
  const bounds = {
    valid_from: moved(stored.valid_from, fields.valid_from),
    valid_to: fields.valid_to === null ? null : moved(stored.valid_to, fields.valid_to),
  }
  const metadata = fields.metadata && { metadata: storableMetadata(fields.metadata) }
  return {
    id: before?.id ?? null,
    key,
    fields: { ...stored, ...fields, ...metadata, ...bounds },
    tags: { ...(before?.tags ?? NO_TAGS), ...tags },
    ...(before?.parentId !== undefined && { parentId: before.parentId }),
    ...(homeId !== undefined && { homeId }),
  }
}

const defaultsOf = (table: KeyedTable): Partial<ImportedFields> => {
  const fields: Fields = fieldsOf[table]
  return Object.fromEntries(namesWith(fields, 'imported').map((name) => [name, fields[name]?.default]))
}
const defaults = { asset: defaultsOf('asset'), location: defaultsOf('location') }

/** The fields of a new resource before its row is applied. The row has a name, or has failed. */
const newFields = (table: KeyedTable, now: string) =>
  ({ ...defaults[table], name: '', valid_from: now }) as ImportedFields

/**
 * Keeps a stored bound that equals the sent one in milliseconds, like in an export, because it has microseconds
 * (D4.8).
 */
function moved<T extends string | null>(stored: T, sent: string | undefined): T | string {
  return sent === undefined || (stored !== null && sent === `${stored.slice(0, 23)}000Z`) ? stored : sent
}

/** The changed columns, without the key. Of a new resource, all columns with a value. */
function changedColumns(resource: ImportResource, before: Resource | undefined, after: Resource): string[] {
  return importColumns[resource].filter((column) => {
    if (column === 'external_key') return false
    if (column === 'home_location_external_key') return (before?.homeId ?? null) !== (after.homeId ?? null)
    return isTagType(column)
      ? gained(before, after, column).length + gained(after, before, column).length > 0
      : !isSame(before?.fields[column], after.fields[column])
  })
}

const isTagType = (column: string): column is TagType => tagTypes.some((type) => type === column)

/** Compares as JSON: the order of keys does not matter, and -0 is 0. */
const isSame = (a: unknown, b: unknown) =>
  a === b || (typeof b === 'object' && b !== null && isDeepStrictEqual(a, JSON.parse(JSON.stringify(b))))

/** Only if a bound changes, because the stored window is valid. */
function windowProblems(
  { fields: { valid_from, valid_to } }: Resource,
  changed: readonly string[],
): RowError[] {
  if (!changed.includes('valid_from') && !changed.includes('valid_to')) return []
  return valid_to !== null && valid_to <= valid_from ? [WINDOW_PROBLEM] : []
}

function parentProblems(
  snapshot: Snapshot,
  before: Resource | undefined,
  after: Resource,
  changed: readonly string[],
): RowError[] {
  const parent = after.fields.parent_external_key
  if (typeof parent !== 'string' || !changed.includes('parent_external_key')) return []
  if (!snapshot.resources.has(parent)) return [...(parentNotFound('parent_external_key').fields ?? [])]
  if (!before || !isInside(snapshot, parent, before.key)) return []
  return [conflict('parent_external_key', locationInsideItself(before.key))]
}

/** Whether a location is `rootKey` or below it, at any depth. */
function isInside({ parents }: Snapshot, key: string, rootKey: string): boolean {
  const seen = new Set<string>()
  for (
    let at: string | null | undefined = key;
    typeof at === 'string' && !seen.has(at);
    at = parents.get(at)
  ) {
    if (at === rootKey) return true
    seen.add(at)
  }
  return false
}

function tagProblems(
  snapshot: Snapshot,
  table: KeyedTable,
  before: Resource | undefined,
  after: Resource,
): RowError[] {
  const owner = ownerName(table, after.key)
  const taken = tagTypes.flatMap((type) => {
    const value = gained(before, after, type).find(
      (one) => (snapshot.tagOwners.get(tagName(type, one)) ?? owner) !== owner,
    )
    return value === undefined ? [] : [conflict(type, tagExists(type, value))]
  })
  const added = tagTypes.findLast((type) => gained(before, after, type).length > 0)
  const total = tagTypes.reduce((sum, type) => sum + after.tags[type].length, 0)
  return added !== undefined && total > MAX_TAGS ? [...taken, conflict(added, tooManyTags())] : taken
}

/** The values that `after` has and `before` lacks. */
export function gained(before: Resource | undefined, after: Resource | undefined, type: TagType): string[] {
  const had = new Set(before?.tags[type].map((value) => uniqueForm(type, value)))
  return after?.tags[type].filter((value) => !had.has(uniqueForm(type, value))) ?? []
}

function accept(snapshot: Snapshot, table: KeyedTable, before: Resource | undefined, after: Resource): void {
  const { key, fields } = after
  snapshot.resources.set(key, after)
  if (fields.parent_external_key !== undefined) snapshot.parents.set(key, fields.parent_external_key)
  for (const type of tagTypes) {
    for (const value of gained(after, before, type)) snapshot.tagOwners.delete(tagName(type, value))
    for (const value of gained(before, after, type))
      snapshot.tagOwners.set(tagName(type, value), ownerName(table, key))
  }
  const number = before ? undefined : numberOfKey(table, key)
  if (number !== undefined && number > snapshot.highestNumber) snapshot.highestNumber = number
}
