import { sql } from 'kysely'
import type { AssetLocationRow } from '@whereabouts/contracts/tracking'
import type { Db } from '../db.ts'
import type { ReportAsk } from './report.ask.ts'
import { countReport } from './report.counts.ts'
import { pageOf } from './report.pages.ts'
import { LOCATION_KEY, orderBy } from './report.sql.ts'

export type ReportPage = { rows: AssetLocationRow[]; total: number }

/** One page of the scanned assets whose window holds now, with where they were last seen, and how many there are. */
export async function readReport(
  db: Db,
  orgId: number,
  ask: ReportAsk,
  { gatherAtMost = 5_000 } = {},
): Promise<ReportPage> {
  const total = await countReport(db, orgId, ask)
  if (ask.offset >= total) return { rows: [], total }
  const { rows } = await sql<AssetLocationRow>`
    select p.asset_id, a.external_key as asset_external_key, p.location_id,
           ${LOCATION_KEY} as location_external_key, a.deleted_at as asset_deleted_at,
           p.observed_at as asset_last_seen, p.dwell_started_at,
           floor(extract(epoch from p.observed_at - p.dwell_started_at))::bigint as dwell_seconds
    from (${pageOf(orgId, ask, total, gatherAtMost)}) page
    join position p on p.org_id = ${orgId} and p.asset_id = page.asset_id
    join asset a on a.org_id = ${orgId} and a.id = page.asset_id
    left join location l on l.org_id = ${orgId} and l.id = p.location_id
    order by ${orderBy(ask.sort)}`.execute(db)
  return { rows, total }
}
