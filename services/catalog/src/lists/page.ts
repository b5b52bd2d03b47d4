import { customPlan } from '@whereabouts/db/tenant-database'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../db.ts'
import type { Tagged } from '../tags/live-tags.ts'

/** The table and the columns of a page. The columns include the tags. */
export type View = { table: 'asset' | 'location'; columns: RawBuilder<unknown> }

export type PageRange = { limit: number; offset: number }

/** The parts of a statement that reads one page of a list. */
export type PagedQuery = {
  /** Follows `with`: queries that the other parts use. */
  with: RawBuilder<unknown>
  /** The number of rows on all pages. */
  total: RawBuilder<unknown>
  /** The `id` of each row of the page, and the columns of `order`. */
  page: RawBuilder<unknown>
  /** Uses columns of `page`. */
  order: RawBuilder<unknown>
  /** The best plan depends on the values, for example of a search. */
  hasCustomPlan: boolean
}

export type Page<Row> = { rows: Tagged<Row>[]; total: number }

/**
 * One page with the live tags of its rows, and the total. In one statement, so that both are of the same moment. Only
 * rows of the page are read in full.
 */
export async function readPage<Row>(
  db: Db,
  orgId: number,
  view: View,
  toQuery: (range: PageRange) => PagedQuery,
  { limit, offset }: PageRange,
): Promise<Page<Row>> {
  const rows = await runPagedQuery<Row>(db, orgId, view, toQuery({ limit, offset }))
  const [first] = rows
  if (first) return { rows, total: first.total }
  if (offset === 0) return { rows: [], total: 0 }
  // A page beyond the end has no row with the total.
  const [start] = await runPagedQuery<Row>(db, orgId, view, toQuery({ limit: 1, offset: 0 }))
  const total = start?.total ?? 0
  // Rows were added between the statements: an empty page with this total never existed.
  if (total > offset) return readPage(db, orgId, view, toQuery, { limit, offset })
  return { rows: [], total }
}

async function runPagedQuery<Row>(
  db: Db,
  orgId: number,
  { table, columns }: View,
  query: PagedQuery,
): Promise<(Tagged<Row> & { total: number })[]> {
  const { rows } = await sql<Tagged<Row> & { total: number }>`${query.hasCustomPlan ? customPlan : sql``}
    with ${query.with}
    select ${columns}, (${query.total}) as total
    from (${query.page}) as page
    join ${sql.table(table)} on org_id = ${orgId} and ${sql.ref(`${table}.id`)} = page.id
    order by ${query.order}`.execute(db)
  return rows
}
