import { sql, type RawBuilder } from 'kysely'
import type { HourOfMovements } from '@whereabouts/contracts/resources/tracking/movements'
import { anyOf } from '@whereabouts/db/sql-conditions'
import type { Db } from '../../../db.ts'
import type { Window } from './movement-summary.rules.ts'
import type { Sql } from '../listed.sql.ts'

/** A location, `isDeep`: with its sub-locations. */
type Area = { locationIds: readonly number[]; isDeep: boolean }

/** What is counted, and in which steps. */
export type Counted = {
  stepSeconds: number
  area?: Area | undefined
  /** Only movements of these assets. */
  assetIds?: readonly number[] | undefined
}

/** The steps of the window that have movements. `from` is included, `to` is not. */
export async function countMovements(
  db: Db,
  orgId: number,
  { fromMs, toMs }: Window,
  { stepSeconds, area, assetIds }: Counted,
): Promise<HourOfMovements[]> {
  const [from, to] = [instant(fromMs), instant(toMs)]
  const { rows } = await sql<HourOfMovements>`
    select date_bin(${stepSeconds} * interval '1 second', moved.observed_at, timestamptz 'epoch') as hour, count(*) as moves${inAndOut(area)}
    from movement moved
    where moved.org_id = ${orgId} and moved.minute >= date_trunc('minute', ${from}, 'UTC') and moved.minute < ${to}
      and moved.observed_at >= ${from} and moved.observed_at < ${to}${ofAssets(assetIds)}
    group by 1`.execute(db)
  return rows
}

const ofAssets = (ids: readonly number[] | undefined): Sql =>
  ids ? sql` and ${anyOf('moved.asset_id', ids, 'bigint')}` : sql``

const instant = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`

function inAndOut(area: Area | undefined): RawBuilder<unknown> {
  if (area === undefined) return sql``
  const [ends, starts] = ['to_location_id', 'from_location_id'].map(
    // Null is outside.
    (column) => sql`coalesce(${anyOf(`moved.${column}`, area.locationIds, 'bigint')}, false)`,
  ) as [Sql, Sql]
  const within = area.isDeep ? sql`, count(*) filter (where ${ends} and ${starts}) as within` : sql``
  return sql`, count(*) filter (where ${ends} and not ${starts}) as in,
    count(*) filter (where ${starts} and not ${ends}) as out${within}`
}
