import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../db.ts'
import { liveTagsAmong, type Tagged } from '../tags/live-tags.ts'

/** The table of a page, its own columns, and those of a row of the page besides the tags. */
export type View = { table: 'asset' | 'location'; own: RawBuilder<unknown>; columns: RawBuilder<unknown> }

export type PageRange = { limit: number; offset: number }

/** The parts of a statement that reads one page of a list. */
export type PagedQuery = {
  /** Follows `with`: queries that the other parts use. */
  with: RawBuilder<unknown>
  /** The number of rows on all pages. */
  total: RawBuilder<unknown>
  /** The `id` of each row of the page, in order. */
  page: RawBuilder<unknown>
  /** Start of the statement, which says how it is planned. */
  plan: RawBuilder<unknown>
}

export type Page<Row> = { rows: Tagged<Row>[]; total: number }

/**
 * One page with the live tags of its rows, and the total, in one statement, so that all are of the same moment. An index
 * alone finds the ids of the page, so only its rows are read in full. The last page says the total itself. A page beyond
 * the end has one row, which is empty except for the total. Each row, and the tags of each, are looked up by themselves: a
 * plan for all values would otherwise read all rows of an organization (`fixedPlan`).
 */
export async function readPage<Row extends { id: number }>(
  db: Db,
  orgId: number,
  { table, own, columns }: View,
  toQuery: (range: PageRange) => PagedQuery,
  range: PageRange,
): Promise<Page<Row>> {
  const owner = sql.table(table)
  const { rows } = await sql<Tagged<Row> & { total: number }>`
    ${idsOfPage(toQuery, range)},
    tagged as materialized (${liveTagsAmong(table, orgId, sql`select unnest(ids) from page`)})
    select ${columns}, coalesce(tagged.tags, '[]') as tags, counted.total
    from ${COUNTED}
    left join lateral (select ${own} from ${owner}
      where ${sql.ref(`${table}.org_id`)} = ${orgId} and ${sql.ref(`${table}.id`)} = listed.id offset 0) as ${owner} on true
    left join tagged on tagged.owner_id = listed.id
    order by listed.place`.execute(db)
  const [first] = rows
  return { rows: first?.id == null ? [] : rows, total: first?.total ?? 0 }
}

/** A page as JSON texts with commas between them, or the ids of those that are missing. */
export type PageText = { texts: string; missing: null; total: number } | { missing: number[] }

/** Like `readPage`, from stored texts. `textOf` returns the column `text` of the row with this id. */
export async function readPageText(
  db: Db,
  toQuery: (range: PageRange) => PagedQuery,
  textOf: (id: RawBuilder<unknown>) => RawBuilder<unknown>,
  range: PageRange,
): Promise<PageText> {
  const { rows } = await sql<PageText>`
    ${idsOfPage(toQuery, range)}
    select coalesce(string_agg(stored.text, ',' order by listed.place), '') as texts, counted.total,
      array_agg(listed.id) filter (where stored.text is null and listed.id is not null) as missing
    from ${COUNTED}
    left join lateral (${textOf(sql`listed.id`)} offset 0) as stored on true
    group by counted.total`.execute(db)
  const [page] = rows
  if (!page) throw new Error('an aggregate has one row')
  return page
}

/** The ids of a page in order, and the total. */
const idsOfPage = (toQuery: (range: PageRange) => PagedQuery, range: PageRange) => {
  const { limit, offset } = range
  const { with: queries, total, page, plan } = toQuery(range)
  return sql`${plan}
    with ${queries},
    page as materialized (select array(${page}) as ids),
    counted as (
      select ids, case when cardinality(ids) < ${limit}::bigint and (cardinality(ids) > 0 or ${offset}::bigint = 0)
        then ${offset}::bigint + cardinality(ids) else (${total}) end as total
      from page)`
}

const COUNTED = sql`counted left join unnest(counted.ids) with ordinality as listed (id, place) on true`
