import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { anyOf } from '@whereabouts/db/sql-conditions'
import { sql } from 'kysely'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import { isListed, type Sql } from './listed.sql.ts'

/**
 * Assets by their home (D21.1). `is_home` compares live locations: it is null while the home is deleted, and where the asset is
 * at a deleted location or at none.
 */
export type HomeFilter = {
  /** Assets with one of these homes. */
  ids?: readonly number[] | undefined
  /** Whether `is_home` is false, and the branch of each live home. */
  misplaced?: { wanted: boolean; branches: readonly Branch[] } | undefined
}

type Branch = { home: number; places: readonly number[] }

/** Undefined without either filter. */
export function homeFilter(
  view: CatalogView,
  orgId: number,
  query: { home_location_id?: readonly number[] | undefined; misplaced?: boolean | undefined },
): HomeFilter | undefined {
  const { home_location_id: ids, misplaced: wanted } = query
  if (wanted === undefined) return ids && { ids }
  const homes = view.homesOf(orgId).filter((id) => ids?.includes(id) ?? true)
  const live = homes.filter((id) => view.location(orgId, id)?.deleted === false)
  const branches = live.map((home) => ({ home, places: view.withDescendants(orgId, [home]) }))
  return { ids, misplaced: { wanted, branches } }
}

/**
 * The rows of `asset_place` that match, from `asset_place_home`. Of assets that are not at home, it reads what lies between the
 * locations of each branch, so no asset that is at home.
 */
export function placesByHome(orgId: number, { ids, misplaced }: HomeFilter, after: Sql = sql`true`): Sql {
  if (!misplaced)
    return sql`select s.* from asset_place s
      where s.org_id = ${orgId} and s.home_location_id is not null and ${anyOf('s.home_location_id', ids ?? [], 'bigint')}
        and ${after}`
  const ranges = misplaced.branches.flatMap(({ home, places }) =>
    (misplaced.wanted ? between(places) : places.map((place) => [place, place] as const)).map(
      ([from, to]) => [home, from, to] as const,
    ),
  )
  const column = (i: 0 | 1 | 2) => bigints(ranges.map((range) => range[i]))
  return sql`select s.* from unnest(${column(0)}, ${column(1)}, ${column(2)}) as range (home, first, last)
    cross join lateral (select * from asset_place
      where org_id = ${orgId} and home_location_id = range.home and location_id between range.first and range.last
      offset 0) s
    where ${isLivePlace(orgId, sql`s.location_id`)} and ${after}`
}

/** What is not among these ids. */
function between(ids: readonly number[]): [number, number][] {
  const sorted = ids.toSorted((a, b) => a - b)
  const starts = [0, ...sorted.map((id) => id + 1)]
  const ends = [...sorted.map((id) => id - 1), Number.MAX_SAFE_INTEGER]
  return starts.flatMap((start, i): [number, number][] => {
    const end = ends[i] ?? start
    return start <= end ? [[start, end]] : []
  })
}

const isLivePlace = (orgId: number, location: Sql): Sql => sql`${location} not in (
  select gone.id from location gone where gone.org_id = ${orgId} and gone.deleted_at is not null)`

/** The number of listed rows that match, from the same index. */
export const countByHome = (orgId: number, filter: HomeFilter, includeDeleted: boolean): Sql => sql`(
  select count(*) from (${placesByHome(orgId, filter)}) s where ${isListed('s', includeDeleted)})`

/** Whether a row found in another way matches: the asset `id`, which is at `location`. */
export function hasHome(orgId: number, filter: HomeFilter | undefined, id: Sql, location: Sql): Sql {
  if (!filter) return sql`true`
  const { ids, misplaced } = filter
  const pairs = misplaced?.branches.flatMap(({ home, places }) =>
    places.map((place) => [home, place] as const),
  )
  const [homes, places] = [0, 1].map((i) => bigints(pairs?.map((pair) => pair[i] ?? 0) ?? []))
  const live = bigints(misplaced?.branches.map(({ home }) => home) ?? [])
  const isIn = sql`(h.home_location_id, ${location}) ${sql.raw(misplaced?.wanted ? 'not in' : 'in')} (
    select * from unnest(${homes}, ${places}))`
  return sql`exists (select from asset_place h
    where h.org_id = ${orgId} and h.asset_id = ${id} and h.home_location_id is not null
      and ${ids ? anyOf('h.home_location_id', ids, 'bigint') : sql`true`}
      and ${misplaced ? sql`h.home_location_id in (select unnest(${live})) and ${isIn}` : sql`true`} offset 0)
    and ${misplaced ? sql`${location} is not null and ${isLivePlace(orgId, location)}` : sql`true`}`
}
