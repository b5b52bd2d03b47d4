import { sql } from 'kysely'
import type { AssetLocationRow } from '@whereabouts/contracts/tracking'
import type { Db } from '../db.ts'
import type { ReportAsk } from './report.ask.ts'
import { countReport } from './report.counts.ts'
import { byLocation } from './report.by-location.ts'
import { isCountedByPage, pagesOf, type Bounds } from './report.pages.ts'
import { LOCATION_KEY, orderBy, type Sql } from './report.sql.ts'

export type ReportPage = { rows: AssetLocationRow[]; total: number }

/** One page of the scanned assets whose window holds now, with where they were last seen, and how many there are. */
export async function readReport(
  db: Db,
  orgId: number,
  ask: ReportAsk,
  bounds: Bounds = { gatherAtMost: 5_000, walkAtMost: 5_000 },
): Promise<ReportPage> {
  const known = isCountedByPage(ask, bounds) ? await readCounted(db, orgId, ask) : undefined
  if (known) return known
  const counted = await countReport(db, orgId, ask, bounds.gatherAtMost)
  const { total } = counted
  const wanted = Math.min(ask.limit, total - ask.offset)
  let rows: AssetLocationRow[] = []
  if (wanted > 0)
    for (const page of pagesOf(orgId, ask, counted, bounds)) {
      rows = await readPage(db, orgId, ask, page)
      if (rows.length >= wanted) break
    }
  return { rows, total }
}

type Totalled = AssetLocationRow & { total: number }

export function withoutTotal(row: Totalled): AssetLocationRow {
  const { total: _, ...rest } = row
  return rest
}

/** Undefined past the end, where no row is left that could tell the total. */
async function readCounted(db: Db, orgId: number, ask: ReportAsk): Promise<ReportPage | undefined> {
  const rows = await readPage<Totalled>(db, orgId, ask, byLocation(orgId, ask), sql`, page.total`)
  return rows[0] && { rows: rows.map(withoutTotal), total: rows[0].total }
}

async function readPage<Row extends AssetLocationRow>(
  db: Db,
  orgId: number,
  { sort }: ReportAsk,
  page: Sql,
  also: Sql = sql``,
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select p.asset_id, a.external_key as asset_external_key, p.location_id,
           ${LOCATION_KEY} as location_external_key, a.deleted_at as asset_deleted_at,
           p.observed_at as asset_last_seen, p.dwell_started_at,
           floor(extract(epoch from p.observed_at - p.dwell_started_at))::bigint as dwell_seconds${also}
    from (${page}) page
    join position p on p.org_id = ${orgId} and p.asset_id = page.asset_id
    join asset a on a.org_id = ${orgId} and a.id = page.asset_id
    left join location l on l.org_id = ${orgId} and l.id = p.location_id
    order by ${orderBy(sort)}`.execute(db)
  return rows
}
