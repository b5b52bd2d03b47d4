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

/** Whether the asset `id`, which was found in another way and is at `location`, matches. */
export const hasHome = (orgId: number, filter: HomeFilter, id: Sql, location: Sql): Sql => sql`
  exists (select from asset_place h
    where h.org_id = ${orgId} and h.asset_id = ${id} and ${isHomed('h', filter, location)} offset 0)
  and ${filter.misplaced ? isLivePlace(orgId, location) : sql`true`}`

/**
 * Whether the row `alias` of `asset_place` matches at `location`, which is not deleted. `is true` and `is false` make PostgreSQL hash
 * the branches once. Without them, they become a join that reads all branches for each row: at 100 000 assets with 500 homes, a page
 * in the middle takes over 5 s instead of 0.3 s (measured).
 */
export function isHomed(alias: 'h' | 's', { ids = [], misplaced }: HomeFilter, location: Sql): Sql {
  const home = `${alias}.home_location_id`
  if (!misplaced) return anyOf(home, ids, 'bigint')
  const { wanted, branches } = misplaced
  const pairs = branches.flatMap((branch) => branch.places.map((place) => [branch.home, place] as const))
  const column = (i: 0 | 1) => bigints(pairs.map((pair) => pair[i]))
  const isIn = sql`(${sql.ref(home)}, ${location}) in (select * from unnest(${column(0)}, ${column(1)}))`
  const live = branches.map((branch) => branch.home)
  return wanted ? sql`${anyOf(home, live, 'bigint')} and (${isIn}) is false` : sql`(${isIn}) is true`
}
