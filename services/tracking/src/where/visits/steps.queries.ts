import { anyOf } from '@whereabouts/db/sql-conditions'
import { customPlan } from '@whereabouts/db/tenant/tenant-database'
import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../../db.ts'
import { microsecondsIn } from '../history/page.queries.ts'
import type { Place } from '../movements/cursor.ts'
import { MANY, newest, newestOf, ORDER, rangeOf, WALK } from '../movements/movements.queries.ts'
import type { Places } from './places.ts'
import { begins, type Step } from './step.ts'

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

/** `read` movements, of which `last` is the oldest, and `steps` are those with which a visit may begin. */
type Slice = { steps: Step[]; read: number; last: Step | undefined }

/**
 * The newest movements into these places, in the order of pages. Those within a place are read, but not returned: few may enter a
 * place that is as large as the organization.
 */
export async function newestSteps(
  db: Db,
  orgId: number,
  { places, assetIds, ...range }: StepFilter,
  limit: number,
): Promise<Slice> {
  const inRange = rangeOf(orgId, range)
  const { ids } = places
  const all = ids ? sql`${inRange} and ${into(ids)}` : inRange
  if (assetIds && assetIds.length <= WALK)
    return read(db, newestOf([{ column: 'asset_id', ids: assetIds }], all, limit), places, limit)
  if (assetIds)
    return read(db, newest(sql`${all} and ${anyOf('m.asset_id', assetIds, 'bigint')}`, limit), places, limit)
  if (!ids) return read(db, newest(inRange, limit), places, limit)
  if (ids.length > MANY) {
    const walked = sql`select * from (${newest(inRange, limit * FEW)}) m where ${into(ids)}`
    const found = await read(db, walked, places, limit)
    if (found.read === limit) return found
  }
  return read(db, newestOf([{ column: 'to_location_id', ids }], all, limit), places, limit)
}

/** If fewer movements than one of so many are into the places, each of these is looked up. */
const FEW = 8

const into = (ids: readonly number[]) => anyOf('m.to_location_id', ids, 'bigint')

async function read(db: Db, source: Sql, places: Places, limit: number): Promise<Slice> {
  type Row = Step & { n: number; read: number }
  const { rows } = await sql<Row>`${customPlan}
    select ${STEP}, m.n::int, m.read::int from (
      select *, row_number() over (${ORDER}) as n, count(*) over () as read
      from (select * from (${source}) m ${ORDER} limit ${limit}) m) m
    where m.n = m.read or ${mayBegin(places)} order by m.n`.execute(db)
  const last = rows.at(-1)
  return { steps: rows.filter((step) => begins(step, places)), read: last?.read ?? 0, last }
}

/** Leaves out movements within the only place. */
const mayBegin = (places: Places) => crossing(places, 'm.from_location_id')
const mayEnd = (places: Places) => crossing(places, 'm.to_location_id')

function crossing({ ids, placeOf }: Places, column: string): Sql {
  if (!ids || ids.length === 1 || ids.some((id) => placeOf(id) !== ids[0])) return sql`true`
  return sql`(m.from_location_id is null or ${sql.ref(column)} <> all(${[...ids]}::bigint[]))`
}

type Key = { assetId: number; minute: number }

/** The `most` movements of each asset after a minute with which a stay may end, or all before it, each looked up by key. */
export async function nextSteps(
  db: Db,
  orgId: number,
  keys: readonly Key[],
  { most, isBackwards, places }: { most: number; isBackwards: boolean; places: Places },
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
        and ${isBackwards ? sql`true` : mayEnd(places)}
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

/** The newest positions in these places, each as the movement with which the stay at its location began. */
export async function newestDwells(
  db: Db,
  orgId: number,
  { assetIds, places, to, after }: Pick<StepFilter, 'assetIds' | 'places' | 'to' | 'after'>,
  limit: number,
): Promise<Step[]> {
  const at = after && sql`(timestamptz 'epoch' + ${after.at}::bigint * interval '1 microsecond')`
  const { rows } = await sql<Step>`${customPlan}
    select p.asset_id as "assetId", ${microsecondsIn("date_trunc('minute', p.dwell_started_at, 'UTC')")} as minute,
           ${microsecondsIn('p.dwell_started_at')} as at, null as "from", p.location_id as "to"
    from position p
    where p.org_id = ${orgId} and p.location_id is not null and p.dwell_started_at is not null
      ${assetIds ? sql`and ${anyOf('p.asset_id', assetIds, 'bigint')}` : sql``}
      ${places.ids ? sql`and ${anyOf('p.location_id', places.ids, 'bigint')}` : sql``}
      ${to === undefined ? sql`` : sql`and p.dwell_started_at <= ${to}::timestamptz`}
      ${after ? sql`and (p.dwell_started_at, p.asset_id) < (${at}, ${after.assetId}::bigint)` : sql``}
    order by p.dwell_started_at desc, p.asset_id desc limit ${limit}`.execute(db)
  return rows
}
