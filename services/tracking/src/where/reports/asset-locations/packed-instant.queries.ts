import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { inSlices } from '@whereabouts/service-kit/limits/slices'
import { sql } from 'kysely'
import type { Db } from '../../../db.ts'
import { findLastSeen } from '../../../positions/packed/day-codec.ts'
import { dayOf, microsecondsOf } from '../../../positions/packed/day-rows.ts'
import { DAY_NUMBER, PACKED, type StoredDay } from '../../../positions/packed/packed-days.queries.ts'
import { readPackedUntil } from '../../../positions/packed/packing-state.queries.ts'
import type { Sql } from '../listed.sql.ts'

/** Rows `(asset_id, observed_at, location_id)`, to join, and the first day of which rows are not packed. */
export type SeenOfDay = { rows: Sql; packedUntil: string }

/** Packed days in memory at a time: about a kilobyte each. */
const AT_ONCE = 2_000

/**
 * Where assets were seen last on the day of an instant and before it, if that day is packed. `isWanted` is about `a`, an asset.
 */
export async function unpackedAt(db: Db, orgId: number, isWanted: Sql, at: string): Promise<SeenOfDay> {
  const packedUntil = await readPackedUntil(db)
  const us = microsecondsOf(at)
  const day = dayOf(us / 1_000)
  const [ids, instants, places]: [number[], number[], (number | null)[]] = [[], [], []]
  let after = Number.MIN_SAFE_INTEGER
  let isAll = packedUntil === '-infinity' || day >= dayOf(Date.parse(packedUntil))
  while (!isAll) {
    const { rows } = await sql<StoredDay & { asset_id: number }>`
      select d.asset_id, ${DAY_NUMBER} as day, ${PACKED}
      from asset a join position now on now.org_id = ${orgId} and now.asset_id = a.id and now.observed_at > ${at}::timestamptz
      join day_packed d on d.org_id = ${orgId} and d.asset_id = a.id and d.day = date '1970-01-01' + ${day}::int
      where ${isWanted} and a.id > ${after}
      order by a.id limit ${AT_ONCE}`.execute(db)
    await inSlices(rows, (row) => {
      const last = findLastSeen(row.day, row, us)
      if (!last) return
      ids.push(row.asset_id)
      instants.push(last.at)
      places.push(last.location_id)
    })
    isAll = rows.length < AT_ONCE
    after = rows.at(-1)?.asset_id ?? after
  }
  return {
    packedUntil,
    rows: sql`(select u.asset_id, timestamptz 'epoch' + u.us * interval '1 microsecond' as observed_at, u.location_id
      from unnest(${bigints(ids)}, ${bigints(instants)}, ${bigints(places)}) as u (asset_id, us, location_id))`,
  }
}
