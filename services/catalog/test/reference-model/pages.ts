import { equal } from './differences.ts'
import type { Answer, Operation, Query } from './operations.ts'
import {
  ancestors,
  children,
  compareText,
  descendants,
  UNTOLD,
  viewOf,
  type Org,
  type Thing,
  type View,
} from './world.ts'

type Of<D extends Operation['do']> = Extract<Operation, { do: D }>

const walks = { ancestors, children, descendants }

export function treeProblems(
  org: Org,
  location: Thing,
  { branch, query }: Of<'tree'>,
  answer: Answer,
): string[] {
  const expected = walks[branch](org, location)
  const rows = rowsOf(answer)
  const page = pageOf(expected, query)
  return [
    ...envelope(expected.length, query, answer),
    ...equal(
      'rows',
      rows,
      page.map((thing) => viewOf(org, thing)),
    ),
  ]
}

/** A list is known by its order and its rows; instants finer than the wire shows make the order of some rows open. */
export function listProblems(org: Org, { kind, query }: Of<'list'>, answer: Answer): string[] {
  const matching = org.things.filter((thing) => thing.kind === kind && matches(org, thing, query))
  const sort = sortOf(query)
  const page = pageOf(matching.toSorted(comparing(sort)), query)
  const rows = rowsOf(answer)
  const order = orderShown(sort)
  const shown = rows.map(({ id }) => matching.find((thing) => thing.id === id))
  return [
    ...envelope(matching.length, query, answer),
    ...equal(
      'order',
      pick(rows, order),
      pick(
        page.map((thing) => viewOf(org, thing)),
        order,
      ),
    ),
    ...equal('distinct rows', new Set(rows.map(({ id }) => id)).size, rows.length),
    ...rows.flatMap((row, i) => rowProblems(org, row, shown[i])),
  ]
}

/** What decides the order, as far as rows show it: up to an instant, which is finer than they show. */
function orderShown(sort: Sort): string[] {
  const fields = sort.map(({ field }) => field)
  const instant = fields.findIndex((field) => field.endsWith('_at'))
  return instant === -1 ? ['id'] : fields.slice(0, instant + 1)
}

const rowsOf = ({ body }: Answer) => (Array.isArray(body.data) ? (body.data as View[]) : [])

const pick = (rows: readonly View[], fields: readonly string[]) =>
  rows.map((row) => fields.map((field) => row[field]))

function rowProblems(org: Org, row: View, thing: Thing | undefined): string[] {
  if (!thing) return [`row ${row.id} does not match`]
  if (thing.deleted_at === UNTOLD && String(row['deleted_at']) >= thing.updated_at)
    thing.deleted_at = String(row['deleted_at'])
  return equal(`row ${row.id}`, row, viewOf(org, thing))
}

function envelope(total_count: number, query: Query, { status, body }: Answer): string[] {
  const { limit, offset, total_count: said } = body
  const expected = { status: 200, limit: query['limit'] ?? 50, offset: query['offset'] ?? 0, total_count }
  return equal('envelope', { status, limit, offset, total_count: said }, expected)
}

function pageOf(things: readonly Thing[], { limit = 50, offset = 0 }: Query): Thing[] {
  return things.slice(Number(offset), Number(offset) + Number(limit))
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

const comparing = (sort: Sort) => (a: Thing, b: Thing) => {
  for (const { field, descending } of sort) {
    const difference = compareText(a[field], b[field])
    if (difference !== 0) return descending ? -difference : difference
  }
  return a.id - b.id
}

function matches(org: Org, thing: Thing, query: Query): boolean {
  const { external_key, type, is_active, parent_id, parent_external_key, include_deleted, q } = query
  const view = viewOf(org, thing)
  const anyOf = (wanted: Query[string] | undefined, value: unknown) =>
    wanted === undefined || (wanted as readonly unknown[]).includes(value)
  return (
    isEffective(thing) &&
    (include_deleted === true || thing.deleted_at === null) &&
    (is_active === undefined || thing.is_active === is_active) &&
    anyOf(external_key, thing.external_key) &&
    anyOf(type, thing.type) &&
    anyOf(parent_id, view['parent_id']) &&
    anyOf(parent_external_key, view['parent_external_key']) &&
    (q === undefined || contains(view, String(q)))
  )
}

/** The bounds that tests choose are years away from now. */
function isEffective({ valid_from, valid_to }: Thing): boolean {
  const now = Date.now()
  return Date.parse(valid_from) <= now && (valid_to === null || Date.parse(valid_to) > now)
}

function contains(view: View, q: string): boolean {
  const tags = (view.tags as { value: string }[]).map(({ value }) => value)
  const texts = [view['name'], view['external_key'], view['description'] ?? '', ...tags]
  return texts.some((text) => String(text).toLowerCase().includes(q.toLowerCase()))
}
