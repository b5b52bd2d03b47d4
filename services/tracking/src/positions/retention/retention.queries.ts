import { bigints } from '@whereabouts/db/tenant/array-parameters'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import type { Day } from '../packed/day-rows.ts'

export const historyTables = ['day_packed', 'movement', 'scan'] as const
export type HistoryTable = (typeof historyTables)[number]

/**
 * Deletes history of these assets before a day, at most so many rows. Returns their number. Each asset is looked up by key. Rows that
 * somebody writes stay for the next time, so it waits for nobody and is safe with several at once.
 */
export async function deleteOlder(
  db: Db,
  table: HistoryTable,
  { orgId, assetIds, first }: { orgId: number; assetIds: readonly number[]; first: Day },
  limit: number,
): Promise<number> {
  const from = sql.table(table)
  const [time, until] =
    table === 'day_packed'
      ? [sql.ref('day'), sql`date '1970-01-01' + ${first}::int`]
      : [sql.ref('minute'), sql`(date '1970-01-01' + ${first}::int)::timestamp at time zone 'UTC'`]
  const { numAffectedRows = 0n } = await sql`
    with old as materialized (
      select a.id, h.${time} from unnest(${bigints(assetIds)}) as a (id)
      cross join lateral (
        select ${time} from ${from}
        where org_id = ${orgId} and asset_id = a.id and ${time} < ${until}
        order by ${time} limit ${limit} for update skip locked) h
      limit ${limit})
    delete from ${from} h using old
    where h.org_id = ${orgId} and h.asset_id = old.id and h.${time} = old.${time} and h.${time} < ${until}`.execute(
    db,
  )
  return Number(numAffectedRows)
}
