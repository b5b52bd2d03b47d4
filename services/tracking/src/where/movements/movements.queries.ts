import { customPlan } from '@whereabouts/db/tenant/tenant-database'
import { anyOf } from '@whereabouts/db/sql-conditions'
import { sql, type RawBuilder } from 'kysely'
import type { Movement } from '@whereabouts/contracts/resources/tracking/movements'
import type { Db } from '../../db.ts'
import type { Place } from './cursor.ts'

type Sql = RawBuilder<unknown>

export type MovementFilter = {
  /** Both included. */
  from?: string | undefined
  to?: string | undefined
  assetIds?: readonly number[] | undefined
  /** Of either end. */
  locationIds?: readonly number[] | undefined
  type?: OfType | undefined
  /** Only movements after this one in the order of pages. */
  after?: Place | undefined
}

/** Assets of some types. `ids` is called only if the newest movements have too few of them. */
type OfType = { has: (assetId: number) => boolean; ids: () => readonly number[] }

/** `at`: its instant in microseconds since 1970. */
export type MovementRow = { at: number; movement: Movement }

/** The movements, newest first. Only with assets and locations does it read all that one of the two filters finds. */
export async function listMovements(
  db: Db,
  orgId: number,
  filter: MovementFilter,
  limit: number,
): Promise<MovementRow[]> {
  const { assetIds, locationIds, type } = filter
  if (type && assetIds) {
    const typed = { ...filter, assetIds: assetIds.filter(type.has), type: undefined }
    return typed.assetIds.length === 0 ? [] : listMovements(db, orgId, typed, limit)
  }
  const inRange = rangeOf(orgId, filter)
  if (type) return listTyped(db, orgId, { inRange, locationIds, type }, limit)
  if (assetIds && locationIds) return read(db, orgId, ofBoth(inRange, assetIds, locationIds), limit)
  if (assetIds)
    return read(db, orgId, newestOf([{ column: 'asset_id', ids: assetIds }], inRange, limit), limit)
  if (!locationIds) return read(db, orgId, newest(inRange, limit), limit)
  if (locationIds.length > MANY) {
    const walked = sql`select * from (${newest(inRange, WALK)}) m where ${hasEnd(locationIds)}`
    const found = await read(db, orgId, walked, limit)
    if (found.length === limit) return found
  }
  const ends = ['to_location_id', 'from_location_id'] as const
  return read(db, orgId, newestOf(ends.map((column) => ({ column, ids: locationIds })), inRange, limit), limit) // oxfmt-ignore
}

type Typed = { inRange: Sql; locationIds: readonly number[] | undefined; type: OfType }

/**
 * First it looks among the newest movements. If these have too few, the type is rare or seldom moves: few assets are looked
 * up one by one, of many each movement is compared.
 */
async function listTyped(
  db: Db,
  orgId: number,
  { inRange, locationIds, type }: Typed,
  limit: number,
): Promise<MovementRow[]> {
  const atEnds = locationIds ? hasEnd(locationIds) : sql`true`
  const walked = sql`select * from (${newest(inRange, WALK)}) m where ${atEnds}`
  const { rows } = await sql<{ asset_id: number }>`${customPlan}
    select distinct asset_id from (${walked}) m`.execute(db)
  const near = rows.map((row) => row.asset_id).filter(type.has)
  const found = near.length === 0 ? [] : await read(db, orgId, sql`${walked} and ${ofAssets(near)}`, limit)
  if (found.length === limit) return found
  const ids = type.ids()
  if (ids.length === 0) return []
  if (locationIds) return read(db, orgId, ofBoth(inRange, ids, locationIds), limit)
  return ids.length > WALK
    ? read(db, orgId, newest(sql`${inRange} and ${ofAssets(ids)}`, limit), limit)
    : read(db, orgId, newestOf([{ column: 'asset_id', ids }], inRange, limit), limit)
}

const ofAssets = (ids: readonly number[]): Sql => anyOf('m.asset_id', ids, 'bigint')

/** With more locations, a page is usually among the newest movements of all. */
export const MANY = 20
/** As many movements are read in some milliseconds. */
export const WALK = 5_000

/** `minute` is that of the index and the partitions. Its order is that of `observed_at`, but not within a minute. */
export const ORDER = sql.raw('order by m.minute desc, m.observed_at desc, m.asset_id desc')
const COLUMNS = sql.raw('m.asset_id, m.minute, m.observed_at, m.from_location_id, m.to_location_id')

const minuteOf = (instant: Sql) => sql`date_trunc('minute', ${instant}, 'UTC')`

export function rangeOf(
  orgId: number,
  { from, to, after }: Pick<MovementFilter, 'from' | 'to' | 'after'>,
): Sql {
  const conditions = [sql`m.org_id = ${orgId}`]
  const bound = (comparison: '>=' | '<=', instant: Sql) =>
    conditions.push(
      sql`m.minute ${sql.raw(comparison)} ${minuteOf(instant)} and m.observed_at ${sql.raw(comparison)} ${instant}`,
    )
  if (from !== undefined) bound('>=', sql`${from}::timestamptz`)
  if (to !== undefined) bound('<=', sql`${to}::timestamptz`)
  if (after) {
    const at = sql`(timestamptz 'epoch' + ${after.at}::bigint * interval '1 microsecond')`
    bound('<=', at)
    conditions.push(sql`(m.observed_at, m.asset_id) < (${at}, ${after.assetId}::bigint)`)
  }
  return sql.join(conditions, sql` and `)
}

const hasEnd = (locationIds: readonly number[]): Sql =>
  sql`(${anyOf('m.to_location_id', locationIds, 'bigint')} or ${anyOf('m.from_location_id', locationIds, 'bigint')})`

export const newest = (condition: Sql, limit: number): Sql =>
  sql`select ${COLUMNS} from movement m where ${condition} ${ORDER} limit ${limit}`

/**
 * Materialized, so that PostgreSQL chooses the index that finds fewer rows, and not the one that is in order. Many locations
 * are only compared: to look up each of them takes longer than to read the assets.
 */
function ofBoth(inRange: Sql, assetIds: readonly number[], locationIds: readonly number[]): Sql {
  const [first, then] =
    locationIds.length > MANY ? [sql`true`, hasEnd(locationIds)] : [hasEnd(locationIds), sql`true`]
  return sql`
    with found as materialized (
      select ${COLUMNS} from movement m where ${inRange} and ${anyOf('m.asset_id', assetIds, 'bigint')} and ${first})
    select ${COLUMNS} from found m where ${then}`
}

type Keys = { column: 'asset_id' | 'to_location_id' | 'from_location_id'; ids: readonly number[] }

/**
 * The newest movements of many keys, each looked up in an index. First a few of each key: with the oldest row of the page
 * that these would make, no key has to be read further back. With √n keys less of each, the keys that have more are so
 * few that both steps read at most `limit` times √n rows.
 */
export function newestOf(keys: readonly Keys[], condition: Sql, limit: number): Sql {
  const n = keys.reduce((sum, { ids }) => sum + ids.length, 0)
  const of = (more: Sql, most: number) =>
    sql.join(
      keys.map(
        ({ column, ids }) => sql`
        select m.* from unnest(${[...ids]}::bigint[]) as k (id) cross join lateral (
          select ${COLUMNS} from movement m
          where ${sql.ref(`m.${column}`)} = k.id and ${condition} ${more} ${ORDER} limit ${most} offset 0) m`,
      ),
      sql` union `,
    )
  return sql`
    with few as materialized (${of(sql``, Math.ceil(limit / Math.sqrt(n)))}),
    oldest as materialized (select few.minute from few order by few.minute desc limit 1 offset ${limit - 1})
    select ${COLUMNS} from (${of(sql`and m.minute >= coalesce((select oldest.minute from oldest), '-infinity')`, limit)}) m`
}

/** The first movements of `source`, with names of now, and with the next movement of the asset. */
async function read(db: Db, orgId: number, source: Sql, limit: number): Promise<MovementRow[]> {
  const { rows } = await sql<Movement & { at: number }>`${customPlan}
    with page as materialized (select ${COLUMNS} from (${source}) m ${ORDER} limit ${limit})
    select (extract(epoch from m.observed_at) * 1000000)::bigint as at, m.observed_at as occurred_at,
           ${thing('m.asset_id', 'a')} as asset,
           case when m.from_location_id is not null then ${thing('m.from_location_id', 'f')} end as from_location,
           ${thing('m.to_location_id', 't')} as to_location,
           floor(extract(epoch from n.observed_at - m.observed_at))::bigint as dwell_seconds
    from page m
    ${named(orgId, 'asset', 'm.asset_id', 'a')}
    ${named(orgId, 'location', 'm.from_location_id', 'f')}
    ${named(orgId, 'location', 'm.to_location_id', 't')}
    left join lateral (
      select n.observed_at from movement n
      where n.org_id = ${orgId} and n.asset_id = m.asset_id and n.minute > m.minute
      order by n.minute limit 1 offset 0) n on true
    ${ORDER}`.execute(db)
  return rows.map(({ at, ...movement }) => ({ at, movement }))
}

const thing = (id: string, row: string) =>
  sql.raw(`json_build_object('id', ${id}, 'external_key', ${row}.external_key, 'name', ${row}.name)`)

/** Each row is looked up by its key (`offset 0`). */
const named = (orgId: number, table: 'asset' | 'location', id: string, row: string): Sql => sql`
  left join lateral (
    select x.external_key, x.name from ${sql.table(table)} x
    where x.org_id = ${orgId} and x.id = ${sql.ref(id)} and x.deleted_at is null offset 0) ${sql.ref(row)} on true`
