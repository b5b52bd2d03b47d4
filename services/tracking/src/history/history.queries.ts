import { sql } from 'kysely'
import type { HistoryRow } from '@whereabouts/contracts/tracking'
import type { Db } from '../db.ts'

export type HistoryFilter = {
  from: string | undefined
  to: string | undefined
  descending: boolean
  limit: number
  offset: number
}

const within = (assetId: number, orgId: number, { from, to }: HistoryFilter) => sql`
  s.org_id = ${orgId} and s.asset_id = ${assetId}
  and ${from === undefined ? sql`true` : sql`s.observed_at >= ${from}::timestamptz and s.minute >= date_trunc('minute', ${from}::timestamptz)`}
  and ${to === undefined ? sql`true` : sql`s.observed_at <= ${to}::timestamptz and s.minute <= ${to}::timestamptz`}`

/**
 * One page of an asset's history. `duration_seconds` looks at the row before in the whole history, whatever `from`
 * says (D8.1): whole seconds between the two observations. The key of a deleted location is null, its id stays (D8.3).
 */
export async function listHistory(
  db: Db,
  orgId: number,
  assetId: number,
  filter: HistoryFilter,
): Promise<HistoryRow[]> {
  const direction = sql.raw(filter.descending ? 'desc' : 'asc')
  const { rows } = await sql<HistoryRow>`
    select page.observed_at as event_observed_at, page.location_id,
           case when l.deleted_at is null then l.external_key end as location_external_key,
           case when before.observed_at is not null
             then greatest(0, floor(extract(epoch from page.observed_at - before.observed_at)))::bigint
           end as duration_seconds
    from (
      select s.minute, s.observed_at, s.location_id from scan s where ${within(assetId, orgId, filter)}
      order by s.minute ${direction} limit ${filter.limit} offset ${filter.offset}
    ) page
    left join lateral (
      select b.observed_at from scan b
      where b.org_id = ${orgId} and b.asset_id = ${assetId} and b.minute < page.minute
      order by b.minute desc limit 1
    ) before on true
    left join location l on l.org_id = ${orgId} and l.id = page.location_id
    order by page.minute ${direction}`.execute(db)
  return rows
}

export async function countHistory(
  db: Db,
  orgId: number,
  assetId: number,
  filter: HistoryFilter,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from scan s where ${within(assetId, orgId, filter)}`.execute(db)
  return rows[0]?.total ?? 0
}
