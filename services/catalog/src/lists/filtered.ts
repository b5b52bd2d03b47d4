import { containing } from '@whereabouts/db/sql-conditions'
import { sql, type RawBuilder } from 'kysely'
import type { Cut, Slice } from './page.ts'

type Table = 'asset' | 'location'
type Sort = readonly { field: string; descending: boolean }[]

export type Filtered = {
  table: Table
  /** On columns of the table. */
  conditions: readonly RawBuilder<boolean>[]
  /** Text to be found in the row or in one of its live tags. */
  q: string | undefined
  /** Default: by key. Ties go by id, or pages could overlap. */
  sort: Sort | undefined
  /** There is a condition whose best plan depends on its values. */
  dependsOnValues?: boolean
}

/** The rows of one organization for which every condition holds, in the order asked for. */
export function filtered(
  orgId: number,
  { table, conditions, q, sort, dependsOnValues = false }: Filtered,
): (cut: Cut) => Slice {
  const terms = sort ?? [{ field: 'external_key', descending: false }]
  const columns = ['id', ...new Set(terms.map(({ field }) => field))]
  const order = sql.join([...terms.map(orderTerm), sql.ref('page.id')])
  const rowsOf = (source: string, also: RawBuilder<unknown>) => sql`
    select ${sql.join(columns.map((column) => sql.ref(`${table}.${column}`)))}
    from ${sql.table(source)} as ${sql.table(table)}
    where org_id = ${orgId} and ${sql.join(conditions, sql` and `)}${also}`
  // Counting and cutting a list without a search are two looks at an index; what was searched is kept for the second.
  const matching =
    q === undefined
      ? sql`matching as not materialized (${rowsOf(table, sql``)})`
      : sql`matching as materialized (${found(table, orgId, q, rowsOf)})`
  return ({ limit, offset }) => ({
    with: matching,
    total: sql`select count(*) from matching`,
    page: sql`select * from matching as page order by ${order} limit ${limit} offset ${offset}`,
    order,
    isPlannedAnew: q !== undefined || sort !== undefined || dependsOnValues,
  })
}

const orderTerm = ({ field, descending }: Sort[number]) =>
  descending ? sql`${sql.ref(`page.${field}`)} desc` : sql.ref(`page.${field}`)

/**
 * Rows whose `search_text`, or a live tag's, contains `q` literally, whatever the case (D4.11). The text is folded by
 * the database on both sides: two ideas of lower case would miss each other. Read through the views of own rows, or no
 * index would be used (see `createOwnRowsView`); with fewer than three characters none can be, and all rows of the
 * organization are looked at. The ids of tagged rows are read once, into an array: before a table that was just
 * filled has statistics, a join is planned as if it were empty, and would search all of it for every row.
 */
function found(
  table: Table,
  orgId: number,
  q: string,
  rowsOf: (source: string, also: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const pattern = containing(q)
  const owner = sql.ref(`own_tag.${table}_id`)
  const tagged = sql`select ${owner} from own_tag
    where org_id = ${orgId} and deleted_at is null and ${owner} is not null and search_text like ${pattern}`
  return sql`${rowsOf(`own_${table}`, sql` and search_text like ${pattern}`)} union
    ${rowsOf(`own_${table}`, sql` and ${sql.ref(`${table}.id`)} = any(array(${tagged}))`)}`
}
