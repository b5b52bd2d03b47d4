import { anyOf } from '@whereabouts/db/sql-conditions'
import { customPlan } from '@whereabouts/db/tenant/tenant-database'
import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../db.ts'
import { microsecondsIn } from '../history/page.queries.ts'
import type { Place } from '../movements/cursor.ts'
import { MANY, newest, newestOf, ORDER, rangeOf, WALK } from '../movements/movements.queries.ts'
import type { Places } from './places.ts'
import type { Step } from './step.ts'

type Sql = RawBuilder<unknown>

export type StepFilter = {
  /** Both included. */
  from?: string | undefined
  to?: string | undefined
  after?: Place | undefined
  assetIds?: readonly number[] | undefined
  places: Places
}

const STEP = sql`m.asset_id as "assetId", ${microsecondsIn('m.minute')} as minute, ${microsecondsIn('m.observed_at')} as at,
  m.from_location_id as "from", m.to_location_id as "to"`

/** The newest movements into these places, in the order of pages. Those within a place are left out if there is only one. */
export async function newestSteps(
  db: Db,
  orgId: number,
  { places, assetIds, ...range }: StepFilter,
  limit: number,
): Promise<Step[]> {
  const inRange = rangeOf(orgId, range)
  const into = entering(places)
  const all = sql`${inRange} and ${into}`
  if (assetIds && assetIds.length <= WALK)
    return read(db, newestOf([{ column: 'asset_id', ids: assetIds }], all, limit), limit)
  if (assetIds)
    return read(db, newest(sql`${all} and ${anyOf('m.asset_id', assetIds, 'bigint')}`, limit), limit)
  if (!places.ids) return read(db, newest(inRange, limit), limit)
  if (places.ids.length > MANY) {
    const found = await read(db, sql`select * from (${newest(inRange, WALK)}) m where ${into}`, limit)
    if (found.length === limit) return found
  }
  return read(db, newestOf([{ column: 'to_location_id', ids: places.ids }], all, limit), limit)
}

function entering({ ids, placeOf }: Places): Sql {
  if (!ids) return sql`true`
  const into = anyOf('m.to_location_id', ids, 'bigint')
  const isOne = ids.every((id) => placeOf(id) === ids[0])
  return isOne
    ? sql`(${into} and (m.from_location_id is null or m.from_location_id <> all(${[...ids]}::bigint[])))`
    : into
}

async function read(db: Db, source: Sql, limit: number): Promise<Step[]> {
  const { rows } = await sql<Step>`${customPlan}
    select ${STEP} from (${source}) m ${ORDER} limit ${limit}`.execute(db)
  return rows
}

type Key = { assetId: number; minute: number }

/** The `most` movements of each asset after a minute, or before it, each looked up by key. */
export async function nextSteps(
  db: Db,
  orgId: number,
  keys: readonly Key[],
  { most, isBackwards }: { most: number; isBackwards: boolean },
): Promise<Step[][]> {
  const [comparison, order] = isBackwards ? ['<', 'desc'] : ['>', 'asc']
  const found: Step[][] = keys.map(() => [])
  const { rows } = await sql<Step & { i: number }>`${customPlan}
    select k.i::int - 1 as i, ${STEP}
    from unnest(${bigints(keys.map((key) => key.assetId))}, ${bigints(keys.map((key) => key.minute))}) with ordinality as k (asset_id, minute, i)
    cross join lateral (
      select m.* from movement m
      where m.org_id = ${orgId} and m.asset_id = k.asset_id
        and m.minute ${sql.raw(comparison)} timestamptz 'epoch' + k.minute * interval '1 microsecond'
      order by m.minute ${sql.raw(order)} limit ${most} offset 0) m
    order by k.i, m.minute ${sql.raw(order)}`.execute(db)
  for (const { i, ...step } of rows) found[i]?.push(step)
  return found
}

/** The newest movement of each asset before an instant, if it was into one of these places. */
export async function lastSteps(
  db: Db,
  orgId: number,
  { before, assetIds, places }: { before?: string | undefined } & Pick<StepFilter, 'assetIds' | 'places'>,
): Promise<Step[]> {
  const until =
    before === undefined
      ? sql``
      : sql`and m.minute <= date_trunc('minute', ${before}::timestamptz, 'UTC') and m.observed_at < ${before}::timestamptz`
  const { rows } = await sql<Step>`${customPlan}
    select ${STEP} from position p cross join lateral (
      select m.* from movement m
      where m.org_id = ${orgId} and m.asset_id = p.asset_id ${until} order by m.minute desc limit 1 offset 0) m
    where p.org_id = ${orgId} ${assetIds ? sql`and ${anyOf('p.asset_id', assetIds, 'bigint')}` : sql``}
      ${places.ids ? sql`and ${anyOf('m.to_location_id', places.ids, 'bigint')}` : sql``}
      ${before === undefined ? sql`and p.location_id is not null` : sql``}`.execute(db)
  return rows
}

/** Where assets are now and since when they were seen, with the start of their dwell as a movement. */
export async function lastDwells(
  db: Db,
  orgId: number,
  { assetIds, places }: Pick<StepFilter, 'assetIds' | 'places'>,
): Promise<Step[]> {
  const { rows } = await sql<Step>`${customPlan}
    select p.asset_id as "assetId", ${microsecondsIn("date_trunc('minute', p.dwell_started_at, 'UTC')")} as minute,
           ${microsecondsIn('p.dwell_started_at')} as at, null as "from", p.location_id as "to"
    from position p
    where p.org_id = ${orgId} and p.location_id is not null and p.dwell_started_at is not null
      ${assetIds ? sql`and ${anyOf('p.asset_id', assetIds, 'bigint')}` : sql``}
      ${places.ids ? sql`and ${anyOf('p.location_id', places.ids, 'bigint')}` : sql``}`.execute(db)
  return rows
}
