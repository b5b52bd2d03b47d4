import { sql } from 'kysely'
import type { Db } from '../db.ts'
import { namesAssets, type ReportAsk } from './report.ask.ts'
import { candidates, gathered } from './report.gathered.ts'
import { both, effective, placed, type Sql } from './report.sql.ts'

/** `assetIds` are those that a search has found, where they are not too many to be looked up next. */
export type Counted = { total: number; assetIds?: string[] | null }

/** How many rows the report has in all. Read from indexes alone, as far as their tables did not change of late. */
export async function countReport(
  db: Db,
  orgId: number,
  ask: ReportAsk,
  gatherAtMost: number,
): Promise<Counted> {
  const isSearch = ask.q !== undefined && !namesAssets(ask)
  const statement = isSearch
    ? search(orgId, ask, gatherAtMost)
    : sql<Counted>`select ${counted(orgId, ask)} as total`
  const { rows } = await statement.execute(db)
  return rows[0] ?? { total: 0 }
}

/** Searching costs the most, so what it has found is not searched for again. */
const search = (orgId: number, ask: ReportAsk, gatherAtMost: number) => sql<Counted>`
  select count(*) as total, case when count(*) <= ${gatherAtMost} then array_agg(asset_id) end as "assetIds"
  from (${candidates(orgId, ask)}) candidate`

function counted(orgId: number, ask: ReportAsk): Sql {
  if (namesAssets(ask)) return sql`(select count(*) from (${gathered(orgId, { ...ask, sort: [] })}) g)`
  if (ask.locationIds) return countPlaced(orgId, ask)
  if (ask.placedOnly) return countPlacedAnywhere(orgId, ask)
  return ask.includeDeleted ? countAll(orgId) : countLive(orgId)
}

const countPlaced = (orgId: number, ask: ReportAsk): Sql => sql`(
  select count(*) from asset_place s
  where ${both(sql`s.org_id = ${orgId}`, placed('s', orgId, ask), effective('s', ask.includeDeleted))})`

/** Less to read than all that are somewhere: those that are nowhere, and at what was deleted. */
function countPlacedAnywhere(orgId: number, { includeDeleted }: ReportAsk): Sql {
  const listed = sql`select count(*) from asset_place s where s.org_id = ${orgId} and ${effective('s', includeDeleted)}`
  const gone = sql`select l.id from location l where l.org_id = ${orgId} and l.deleted_at is not null`
  return sql`${includeDeleted ? countAll(orgId) : countLive(orgId)}
    - (${listed} and s.location_id is null) - (${listed} and s.location_id = any(array(${gone})))`
}

/** The deleted ones have an index of their own, which holds little. */
const countAll = (orgId: number): Sql => sql`(${countLive(orgId)} + (
  select count(*) from position p
  where p.org_id = ${orgId} and p.minute > '-infinity' and p.deleted_at is not null and ${effective('p', true)}))`

/** Less to read than the validity of each: all that are live, less the few whose time is over or has not come. */
export function countLive(orgId: number): Sql {
  const live = sql`select count(*) from asset a where a.org_id = ${orgId} and a.is_scanned and a.deleted_at is null`
  return sql`((${live}) - (${live} and a.valid_to <= now()) - (${live} and a.valid_from > now()))`
}
