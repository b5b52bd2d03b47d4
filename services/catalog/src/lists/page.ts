import { customPlan } from '@whereabouts/db/tenant-database'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../db.ts'
import { liveTagsAmong, type Tagged } from '../tags/live-tags.ts'

/** The table and the columns of a page, without the tags. */
export type View = { table: 'asset' | 'location'; columns: RawBuilder<unknown> }

export type PageRange = { limit: number; offset: number }

/** The parts of a statement that reads one page of a list. */
export type PagedQuery = {
  /** Follows `with`: queries that the other parts use. */
  with: RawBuilder<unknown>
  /** The number of rows on all pages. */
  total: RawBuilder<unknown>
  /** The `id` of each row of the page, in order. */
  page: RawBuilder<unknown>
  /** The best plan depends on the values, for example of a search. */
  hasCustomPlan: boolean
}

export type Page<Row> = { rows: Tagged<Row>[]; total: number }

/**
 * One page with the live tags of its rows, and the total, in one statement, so that all are of the same moment. An index
 * alone finds the ids of the page, so only its rows are read in full, and their tags in one scan. The last page says the
 * total itself. A page beyond the end has one row, which is empty except for the total.
 */
export async function readPage<Row extends { id: number }>(
  db: Db,
  orgId: number,
  { table, columns }: View,
  toQuery: (range: PageRange) => PagedQuery,
  { limit, offset }: PageRange,
): Promise<Page<Row>> {
  const { with: queries, total, page, hasCustomPlan } = toQuery({ limit, offset })
  const id = sql.ref(`${table}.id`)
  const { rows } = await sql<Tagged<Row> & { total: number }>`${hasCustomPlan ? customPlan : sql``}
    with ${queries},
    page as materialized (select array(${page}) as ids),
    tagged as materialized (
      select array_agg(owner_id) as owner_ids, array_agg(tags) as tags
      from (${liveTagsAmong(table, orgId, sql`select ids from page`)}) as owners)
    select ${columns}, coalesce(tagged.tags[array_position(tagged.owner_ids, ${id})], '[]') as tags, total
    from tagged cross join (
      select ids, case when cardinality(ids) < ${limit}::bigint and (cardinality(ids) > 0 or ${offset}::bigint = 0)
        then ${offset}::bigint + cardinality(ids) else (${total}) end as total
      from page) as counted
    left join ${sql.table(table)} on ${sql.ref(`${table}.org_id`)} = ${orgId} and ${id} = any(counted.ids)
    order by array_position(counted.ids, ${id})`.execute(db)
  const [first] = rows
  return { rows: first?.id == null ? [] : rows, total: first?.total ?? 0 }
}
