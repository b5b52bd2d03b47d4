import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../db.ts'
import { readPage, type PageRange, type Page, type PagedQuery } from '../../lists/page.ts'
import { locationView, type LocationWithParent } from '../locations.queries.ts'

/**
 * Reads one page of the live relatives of a location, valid or not, without the location itself. Empty if the
 * location does not exist.
 */
type ListRelatives = (
  db: Db,
  orgId: number,
  id: number,
  range: PageRange,
) => Promise<Page<LocationWithParent>>

const relatives =
  (toQuery: (orgId: number, id: number) => (range: PageRange) => PagedQuery): ListRelatives =>
  (db, orgId, id, range) =>
    readPage(db, orgId, locationView, toQuery(orgId, id), range)

/** The root first, the parent last. */
export const listAncestors: ListRelatives = relatives((orgId, id) => ({ limit, offset }) => ({
  with: sql`recursive above as (
      select id, parent_id, 0 as distance from (${rowOf(orgId, sql`${id}::bigint`)}) as start where deleted_at is null
      union all
      select parent.id, parent.parent_id, distance + 1
      from above cross join lateral (${rowOf(orgId, sql`above.parent_id`)}) as parent),
    matching as (select id, distance from above where distance > 0)`,
  total: sql`select count(*) from matching`,
  page: sql`select id from matching order by distance desc limit ${limit} offset ${offset}`,
  plan: sql``,
}))

/** By name, then id. */
export const listChildren: ListRelatives = relatives((orgId, id) => siblings(orgId, sql`parent_id = ${id}`))

/** The children of a location, or the roots, each with the number of its live children. */
export const listBranch = (
  db: Db,
  orgId: number,
  parentId: number | undefined,
  range: PageRange,
): Promise<Page<BranchLocation>> =>
  readPage(
    db,
    orgId,
    { ...locationView, columns: sql`${locationView.columns}, ${childrenCount}` },
    siblings(orgId, parentId === undefined ? sql`parent_id is null` : sql`parent_id = ${parentId}`),
    range,
  )

export type BranchLocation = LocationWithParent & { children_count: number }

const childrenCount = sql`(
    select count(*) from location as child
    where child.org_id = location.org_id and child.parent_id = location.id and child.deleted_at is null
  ) as children_count`

const siblings =
  (orgId: number, where: RawBuilder<unknown>) =>
  ({ limit, offset }: PageRange): PagedQuery => ({
    with: sql`matching as not materialized (
      select id, name from location where org_id = ${orgId} and ${where} and ${live})`,
    total: sql`select count(*) from matching`,
    page: sql`select id from matching order by name, id limit ${limit} offset ${offset}`,
    plan: sql``,
  })

/**
 * Depth first, siblings by name, then id. Each step reads one index row: the first child; if there is none, the next
 * sibling; if there is none, the parent. So each row up to the end of the page costs a few microseconds, in deep and in
 * wide trees. The walk ends with the last row: the way back to the start would be as long again. Rejected: sorting by
 * path, the usual way. A path contains all names above its row: gigabytes for a chain of ten thousand.
 */
export const listDescendants: ListRelatives = relatives((orgId, id) => ({ limit, offset }) => ({
  with: sql`recursive inside as (
      select id from location where org_id = ${orgId} and parent_id = ${id} and ${live}
      union all
      select child.id
      from inside cross join lateral (
        select location.id from location
        where location.org_id = ${orgId} and location.parent_id = inside.id and ${live} ${fence}) as child),
    walk as (
      select id, null::bigint as parent_id, name, 0::bigint as place, true as is_new
      from (${rowOf(orgId, sql`${id}::bigint`)}) as start where deleted_at is null
      union all
      select step.* from walk cross join lateral (
        ${sql.join([firstChild(orgId), nextSibling(orgId), backUp(orgId, id)], sql` union all `)}
        limit 1) as step
      where walk.place < least(${offset + limit}, (select count(*) from inside)))`,
  total: sql`select count(*) from inside`,
  page: sql`select id from walk where is_new and place > ${offset} order by place`,
  plan: sql``,
}))

const live = sql`location.deleted_at is null`

/** Makes each step read the index. A join might read all locations for each level of a deep tree. */
const fence = sql.raw('offset 0')

/** `union all … limit 1` runs these in turn and stops at the first row. */
const firstChild = (orgId: number): RawBuilder<unknown> => sql`(
  select location.id, location.parent_id, location.name, walk.place + 1, true from location
  where walk.is_new and location.org_id = ${orgId} and location.parent_id = walk.id and ${live}
  order by location.name, location.id limit 1)`

const nextSibling = (orgId: number): RawBuilder<unknown> => sql`(
  select location.id, location.parent_id, location.name, walk.place + 1, true from location
  where location.org_id = ${orgId} and location.parent_id = walk.parent_id
    and (location.name, location.id) > (walk.name, walk.id) and ${live}
  order by location.name, location.id limit 1)`

/** The start of the walk gets no parent, which ends the walk. A parent of a live row is live. */
const backUp = (orgId: number, root: number): RawBuilder<unknown> => sql`(
  select up.id, case when up.id <> ${root} then up.parent_id end, up.name, walk.place, false
  from (${rowOf(orgId, sql`walk.parent_id`)}) as up)`

/**
 * The row with this id, live or not. Only the primary key has this order. With `=`, a table without statistics, or with
 * those of small organizations, would be read by any index that begins with the organization: whole, for each step.
 */
const rowOf = (orgId: number, id: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select location.id, location.parent_id, location.name, location.deleted_at from location
  where location.org_id = ${orgId} and location.id between ${id} and ${id}
  order by location.id limit 1`
