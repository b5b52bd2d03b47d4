import { equal } from './differences.ts'
import type { Reply, Operation, Query } from './operations.ts'
import {
  ancestors,
  children,
  compareText,
  descendants,
  findResource,
  NOT_SHOWN,
  viewOf,
  type Org,
  type Resource,
  type View,
} from './world.ts'

type Of<D extends Operation['do']> = Extract<Operation, { do: D }>

const walks = { ancestors, children, descendants }

export function treeProblems(
  org: Org,
  location: Resource,
  { branch, query }: Of<'tree'>,
  reply: Reply,
): string[] {
  const expected = walks[branch](org, location)
  const rows = rowsOf(reply)
  const page = pageOf(expected, query)
  return [
    ...envelope(expected.length, query, reply),
    ...equal(
      'rows',
      rows,
      page.map((resource) => viewOf(org, resource)),
    ),
  ]
}

/** Checks order and rows. The order of rows within one millisecond is open, because replies show no more digits. */
export function listProblems(org: Org, { kind, query }: Of<'list'>, reply: Reply): string[] {
  const matching = org.resources.filter((resource) => resource.kind === kind && matches(org, resource, query))
  const sort = sortOf(query)
  const page = pageOf(matching.toSorted(comparing(sort)), query)
  const rows = rowsOf(reply)
  const order = orderShown(sort)
  const shown = rows.map(({ id }) => matching.find((resource) => resource.id === id))
  return [
    ...envelope(matching.length, query, reply),
    ...equal(
      'order',
      pick(rows, order),
      pick(
        page.map((resource) => viewOf(org, resource)),
        order,
      ),
    ),
    ...equal('distinct rows', new Set(rows.map(({ id }) => id)).size, rows.length),
    ...rows.flatMap((row, i) => rowProblems(org, row, shown[i])),
  ]
}

/** Sort fields up to the first timestamp. Rows show milliseconds only, so we cannot check ties after it. */
function orderShown(sort: Sort): string[] {
  const fields = sort.map(({ field }) => field)
  const instant = fields.findIndex((field) => field.endsWith('_at'))
  return instant === -1 ? ['id'] : fields.slice(0, instant + 1)
}

const rowsOf = ({ body }: Reply) => (Array.isArray(body.data) ? (body.data as View[]) : [])

const pick = (rows: readonly View[], fields: readonly string[]) =>
  rows.map((row) => fields.map((field) => row[field]))

function rowProblems(org: Org, row: View, resource: Resource | undefined): string[] {
  if (!resource) return [`row ${row.id} does not match`]
  if (resource.deleted_at === NOT_SHOWN && String(row['deleted_at']) >= resource.updated_at)
    resource.deleted_at = String(row['deleted_at'])
  return equal(`row ${row.id}`, row, viewOf(org, resource))
}

function envelope(total_count: number, query: Query, { status, body }: Reply): string[] {
  const { limit, offset, total_count: said } = body
  const expected = { status: 200, limit: query['limit'] ?? 50, offset: query['offset'] ?? 0, total_count }
  return equal('envelope', { status, limit, offset, total_count: said }, expected)
}

function pageOf(resources: readonly Resource[], { limit = 50, offset = 0 }: Query): Resource[] {
  return resources.slice(Number(offset), Number(offset) + Number(limit))
}

type Sort = { field: 'external_key' | 'name' | 'created_at' | 'updated_at'; descending: boolean }[]

function sortOf({ sort = 'external_key' }: Query): Sort {
  return String(sort)
    .split(',')
    .map((part) => ({
      field: part.replace('-', '') as Sort[number]['field'],
      descending: part.startsWith('-'),
    }))
}

const comparing = (sort: Sort) => (a: Resource, b: Resource) => {
  for (const { field, descending } of sort) {
    const difference = compareText(a[field], b[field])
    if (difference !== 0) return descending ? -difference : difference
  }
  return a.id - b.id
}

/** Filters do not find a row by the key of a deleted parent (D17.3). */
const liveParentKey = (org: Org, { parent_id }: Resource) =>
  parent_id === null ? undefined : findResource(org, 'location', parent_id)?.external_key

function matches(org: Org, resource: Resource, query: Query): boolean {
  const { external_key, type, is_active, parent_id, parent_external_key, include_deleted, q } = query
  const view = viewOf(org, resource)
  const anyOf = (wanted: Query[string] | undefined, value: unknown) =>
    wanted === undefined || (wanted as readonly unknown[]).includes(value)
  return (
    isEffective(resource) &&
    (include_deleted === true || resource.deleted_at === null) &&
    (is_active === undefined || resource.is_active === is_active) &&
    anyOf(external_key, resource.external_key) &&
    anyOf(type, resource.type) &&
    anyOf(parent_id, view['parent_id']) &&
    anyOf(parent_external_key, liveParentKey(org, resource)) &&
    (q === undefined || contains(view, String(q)))
  )
}

/** `Date.now()` is precise enough: all bounds are years away. */
function isEffective({ valid_from, valid_to }: Resource): boolean {
  const now = Date.now()
  return Date.parse(valid_from) <= now && (valid_to === null || Date.parse(valid_to) > now)
}

function contains(view: View, q: string): boolean {
  const tags = (view.tags as { value: string }[]).map(({ value }) => value)
  const texts = [view['name'], view['external_key'], view['description'] ?? '', ...tags]
  return texts.some((text) => String(text).toLowerCase().includes(q.toLowerCase()))
}
