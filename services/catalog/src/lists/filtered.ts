import { containing, tagContaining } from '@whereabouts/db/sql-conditions'
import { customPlan, fixedPlan } from '@whereabouts/db/tenant/tenant-database'
import { sql, type RawBuilder } from 'kysely'
import type { PageRange, PagedQuery } from './page.ts'

type Table = 'asset' | 'location'
type Sort = readonly { field: string; descending: boolean }[]

export type Filtered = {
  table: Table
  /** Conditions on columns of the table. */
  conditions: readonly RawBuilder<boolean>[]
  /** Text to find in the row or in one of its live tags. */
  q: string | undefined
  /** Conditions for which an index exists that row-level security hides. On columns of `own_<table>`, without its name. */
  found?: readonly RawBuilder<boolean>[] | undefined
  /** Default: by key. Then by id, so that pages do not overlap. */
  sort: Sort | undefined
  /** A field of `sort` that is not a column. */
  derived?: Derived | undefined
  /** The best plan for these conditions without a search and an order: one for all values, or one for each call. */
  plan?: 'fixed' | 'custom' | undefined
  /** Another query for the number of these rows, which does not read all of them. */
  total?: RawBuilder<unknown>
}

/** A field that is computed from columns of `page` for each row that is sorted. */
export type Derived = {
  field: string
  columns: readonly string[]
  /** Follows `from matching as page`. */
  join: RawBuilder<unknown>
  value: RawBuilder<unknown>
}

export type Matching = Pick<PagedQuery, 'with' | 'plan'> & {
  /** Uses columns of `page`. */
  order: RawBuilder<unknown>
}

/** The rows of one organization that meet all conditions, as the query `matching`, and the order of `matching as page`. */
export function matchingRows(
  orgId: number,
  { table, conditions, q, found = [], sort, plan, derived }: Filtered,
): Matching {
  const terms = sort ?? [{ field: 'external_key', descending: false }]
  const columnsOf = (field: string) => (field === derived?.field ? derived.columns : [field])
  const columns = ['id', ...new Set(terms.flatMap(({ field }) => columnsOf(field)))]
  const valueOf = (field: string) => (field === derived?.field ? derived.value : sql.ref(`page.${field}`))
  const orderTerm = ({ field, descending }: Sort[number]) =>
    descending ? sql`${valueOf(field)} desc` : valueOf(field)
  const order = sql.join([...terms.map(orderTerm), sql.ref('page.id')])
  const rowsOf: RowsOf = (source, also) => sql`
    select ${sql.join(columns.map((column) => sql.ref(`${table}.${column}`)))}
    from ${source} as ${sql.table(table)}
    where ${sql.join([sql`org_id = ${orgId}`, ...conditions, ...also], sql` and `)}`
  // Without a search, total and page each read an index. What was searched is kept for both.
  const isSearch = q !== undefined || found.length > 0
  const matching = isSearch
    ? sql`matching as materialized (${searched({ table, orgId, q, found }, rowsOf)})`
    : sql`matching as not materialized (${rowsOf(sql.table(table), [])})`
  const best = !isSearch && sort === undefined ? plan : 'custom'
  return { with: matching, order, plan: best === undefined ? sql`` : PLANS[best] }
}

const PLANS = { fixed: fixedPlan, custom: customPlan }

/** One page of these rows. */
export function filtered(orgId: number, query: Filtered): (range: PageRange) => PagedQuery {
  const { order, ...matching } = matchingRows(orgId, query)
  // In this order, the index of the page also counts. For the planner the index of searches may look cheaper.
  const counted =
    matching.plan === fixedPlan
      ? sql`(select page.id from matching as page order by ${order} offset 0)`
      : sql`matching`
  return ({ limit, offset }) => ({
    ...matching,
    total: query.total ?? sql`select count(*) from ${counted} as counted`,
    page: sql`select page.id from matching as page ${query.derived?.join ?? sql``} order by ${order} limit ${limit} offset ${offset}`,
  })
}

/**
 * Rows whose `search_text`, or that of a live tag, contains `q` literally, in any case and spelling (D4.11, D19.2). Reads the views of own rows, because `like`
 * uses no index of the tables (see `createOwnRowsView`). With fewer than three characters, it reads all rows of the
 * organization. The ids of tagged rows are read once, into an array: before a new table has statistics, a join would
 * search all of it for each row. Then it would also read each text of the organization by the index `asset_listed`, were
 * the other conditions not outside of `named`.
 */
function searched({ table, orgId, q, found }: Searched, rowsOf: RowsOf): RawBuilder<unknown> {
  if (q === undefined) {
    const own = sql.join([sql`org_id = ${orgId}`, ...found], sql` and `)
    return rowsOf(sql`(select * from ${sql.table(`own_${table}`)} where ${own} offset 0)`, [])
  }
  const rows = sql.table(`own_${table}`)
  const owner = sql.ref(`own_tag.${table}_id`)
  const tagged = sql`select ${owner} from own_tag
    where org_id = ${orgId} and deleted_at is null and ${owner} is not null and search_text like ${tagContaining(q)}`
  const named = sql`(select * from ${rows} where org_id = ${orgId} and search_text like ${containing(q)} offset 0)`
  return sql`${rowsOf(named, found)} union
    ${rowsOf(rows, [sql`${sql.ref(`${table}.id`)} = any(array(${tagged}))`, ...found])}`
}

type Searched = Required<Pick<Filtered, 'table' | 'q' | 'found'>> & {
  orgId: number
  found: readonly RawBuilder<boolean>[]
}

type RowsOf = (source: RawBuilder<unknown>, also: readonly RawBuilder<unknown>[]) => RawBuilder<unknown>
