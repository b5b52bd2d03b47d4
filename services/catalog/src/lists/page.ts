import { customPlan } from '@whereabouts/db/tenant-database'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../db.ts'
import type { Tagged } from '../tags/live-tags.ts'

/** The table and the columns of a page; the tags are among the columns. */
export type View = { table: 'asset' | 'location'; columns: RawBuilder<unknown> }

export type Cut = { limit: number; offset: number }

/** A list cut into pages, as the parts of one statement. */
export type Slice = {
  /** Goes after `with`: queries that the other parts refer to. */
  with: RawBuilder<unknown>
  /** How many rows there are on all pages. */
  total: RawBuilder<unknown>
  /** The `id` of each row of the page, and what the page is ordered by. */
  page: RawBuilder<unknown>
  /** By columns of `page`. */
  order: RawBuilder<unknown>
  /** When the best plan depends on the values: a search, an order. */
  isPlannedAnew: boolean
}

export type Page<Row> = { rows: Tagged<Row>[]; total: number }

/**
 * One page with the live tags of its rows, and how many rows there are on all. In one statement, so that the two
 * agree; only the rows of the page are read in full.
 */
export async function readPage<Row>(
  db: Db,
  orgId: number,
  view: View,
  slice: (cut: Cut) => Slice,
  { limit, offset }: Cut,
): Promise<Page<Row>> {
  const rows = await readSlice<Row>(db, orgId, view, slice({ limit, offset }))
  const [first] = rows
  if (first) return { rows, total: first.total }
  if (offset === 0) return { rows: [], total: 0 }
  // Past the end no row is left that could tell the total.
  const [start] = await readSlice<Row>(db, orgId, view, slice({ limit: 1, offset: 0 }))
  const total = start?.total ?? 0
  // Rows were added in between: an empty page with this total never existed.
  if (total > offset) return readPage(db, orgId, view, slice, { limit, offset })
  return { rows: [], total }
}

async function readSlice<Row>(
  db: Db,
  orgId: number,
  { table, columns }: View,
  slice: Slice,
): Promise<(Tagged<Row> & { total: number })[]> {
  const { rows } = await sql<Tagged<Row> & { total: number }>`${slice.isPlannedAnew ? customPlan : sql``}
    with ${slice.with}
    select ${columns}, (${slice.total}) as total
    from (${slice.page}) as page
    join ${sql.table(table)} on org_id = ${orgId} and ${sql.ref(`${table}.id`)} = page.id
    order by ${slice.order}`.execute(db)
  return rows
}
