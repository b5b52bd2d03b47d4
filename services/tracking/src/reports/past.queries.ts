import { sql } from 'kysely'
import type { AssetLocationRow } from '@whereabouts/contracts/tracking'
import type { Db } from '../db.ts'
import type { ReportAsk } from './report.ask.ts'
import { withoutTotal, type ReportPage } from './report.queries.ts'
import { anyOf } from '@whereabouts/db/sql-conditions'
import { both, LOCATION_KEY, matches, orderBy, placed, type Sql } from './report.sql.ts'

/**
 * The report as it was at `at`: assets that were valid and not deleted then, with the last row of their history up to
 * then. Names, keys and validity are those of today, of which no history is kept; so is the key of a location, null
 * once it is deleted (D8.3). Looks at the history of each asset that was seen since: a second for some 200 000.
 */
export async function readPastReport(db: Db, orgId: number, ask: ReportAsk, at: string): Promise<ReportPage> {
  const page = await readPage(db, orgId, ask, at)
  if (page.rows.length > 0 || ask.offset === 0) return page
  return { rows: [], total: (await readPage(db, orgId, { ...ask, limit: 1, offset: 0 }, at)).total }
}

async function readPage(db: Db, orgId: number, ask: ReportAsk, at: string): Promise<ReportPage> {
  const { rows } = await sql<AssetLocationRow & { total: number }>`
    with p as materialized (${lastSeen(orgId, ask, sql`${at}::timestamptz`)})
    select p.asset_id, a.external_key as asset_external_key, p.location_id,
           ${LOCATION_KEY} as location_external_key, p.deleted_at as asset_deleted_at,
           p.observed_at as asset_last_seen, null as dwell_started_at, null as dwell_seconds,
           (select count(*) from p) as total
    from p cross join lateral (select p.external_key) a
    left join location l on l.org_id = ${orgId} and l.id = p.location_id
    order by ${orderBy(ask.sort)} limit ${ask.limit} offset ${ask.offset}`.execute(db)
  return { rows: rows.map(withoutTotal), total: rows[0]?.total ?? 0 }
}

/** What was not seen since is where it is now; of the rest, the newest row that is old enough. */
const lastSeen = (orgId: number, ask: ReportAsk, at: Sql): Sql => sql`
  select a.id as asset_id, a.external_key, a.deleted_at, p.observed_at, p.location_id
  from asset a join position now on now.org_id = ${orgId} and now.asset_id = a.id
  cross join lateral (
    select now.observed_at, now.location_id where now.observed_at <= ${at}
    union all (
      select s.observed_at, s.location_id from scan s
      where now.observed_at > ${at} and s.org_id = ${orgId} and s.asset_id = a.id
        and s.minute <= ${at} and s.observed_at <= ${at}
      order by s.minute desc limit 1)
  ) p
  where a.org_id = ${orgId} and a.is_scanned and ${both(
    sql`a.valid_from <= ${at} and (a.valid_to is null or a.valid_to > ${at})`,
    ask.includeDeleted ? undefined : sql`(a.deleted_at is null or a.deleted_at > ${at})`,
    ask.assetIds && anyOf('a.id', ask.assetIds, 'bigint'),
    ask.assetKeys && anyOf('a.external_key', ask.assetKeys, 'text'),
    ask.q === undefined ? undefined : matches(ask.q),
    placed('p', orgId, ask),
  )}`
