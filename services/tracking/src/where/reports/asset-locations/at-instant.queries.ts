import { sql } from 'kysely'
import type { Db } from '../../../db.ts'
import { LOCATION_KEY, type Sql } from '../listed.sql.ts'
import { readPage, type ReportPage } from './asset-locations.queries.ts'
import { orderBy, type AssetLocationsFilter } from './filter.ts'
import { isAtLocations, isNamed, isOfHome, isOldEnough, matchesSearch } from './filters.sql.ts'
import { unpackedAt, type SeenOfDay } from './packed-instant.queries.ts'
import type { PageStatement } from './pages.sql.ts'

/**
 * The report as it was at `at`: assets that were valid and not deleted then, with the last row of their history up to
 * then. Keys, names and validity are those of today, because they have no history (D8.3). Looks up the history of
 * each asset that was seen since, and unpacks its day if that is packed.
 */
export async function readAssetLocationsAt(
  db: Db,
  orgId: number,
  filter: AssetLocationsFilter,
  at: string,
): Promise<ReportPage> {
  const ofDay = await seenAt(db, orgId, filter, at)
  const page = await readPage(db, pageAt(orgId, filter, at, ofDay))
  if (page || filter.offset === 0) return page ?? { rows: [], total: 0 }
  const first = await readPage(db, pageAt(orgId, { ...filter, limit: 1, offset: 0 }, at, ofDay))
  return { rows: [], total: first?.total ?? 0 }
}

const pageAt = (
  orgId: number,
  filter: AssetLocationsFilter,
  at: string,
  ofDay: SeenOfDay,
): PageStatement => sql`
  with p as materialized (${lastSeen(orgId, filter, sql`${at}::timestamptz`, ofDay)})
  select p.asset_id, a.external_key as asset_external_key, p.location_id,
         ${LOCATION_KEY} as location_external_key, p.deleted_at as asset_deleted_at,
         p.observed_at as asset_last_seen, null as dwell_started_at, null as dwell_seconds,
         (select count(*) from p) as total
  from p cross join lateral (select p.external_key) a
  left join location l on l.org_id = ${orgId} and l.id = p.location_id
  order by ${orderBy(filter.sort)} limit ${filter.limit} offset ${filter.offset}`

/** The rows that are packed with the instant, for `lastSeen`. */
export const seenAt = (db: Db, orgId: number, filter: AssetLocationsFilter, at: string): Promise<SeenOfDay> =>
  unpackedAt(db, orgId, wasThere(orgId, filter, sql`${at}::timestamptz`), at)

const wasThere = (orgId: number, filter: AssetLocationsFilter, at: Sql): Sql => sql`
  a.org_id = ${orgId} and a.is_scanned
    and a.valid_from <= ${at} and (a.valid_to is null or a.valid_to > ${at})
    and ${filter.includeDeleted ? sql`true` : sql`(a.deleted_at is null or a.deleted_at > ${at})`}
    and ${isNamed(filter)} and ${matchesSearch(filter.q)}`

/**
 * The position, if the asset was not seen since; otherwise the newest row that is old enough. That is a row of `scan`, or of the day of
 * the instant, which was unpacked, or the last one of an earlier packed day.
 */
export const lastSeen = (orgId: number, filter: AssetLocationsFilter, at: Sql, ofDay: SeenOfDay): Sql => sql`
  select a.id as asset_id, a.external_key, a.deleted_at, p.observed_at, p.location_id
  from asset a join position now on now.org_id = ${orgId} and now.asset_id = a.id
  left join ${ofDay.rows} of_day on of_day.asset_id = a.id
  cross join lateral (
    select now.observed_at, now.location_id where now.observed_at <= ${at}
    union all (
      select row.observed_at, row.location_id from (
        (select s.observed_at, s.location_id from scan s
         where now.observed_at > ${at} and s.org_id = ${orgId} and s.asset_id = a.id
           and s.minute >= ${ofDay.packedUntil}::timestamp at time zone 'UTC' and s.minute <= ${at} and s.observed_at <= ${at}
         order by s.minute desc limit 1)
        union all
        select of_day.observed_at, of_day.location_id where now.observed_at > ${at} and of_day.asset_id is not null
        union all
        (select d.last_at, d.last_location_id from day_packed d
         where now.observed_at > ${at} and of_day.asset_id is null and d.org_id = ${orgId} and d.asset_id = a.id
           and d.day < ${ofDay.packedUntil}::date and d.day < (${at} at time zone 'UTC')::date
         order by d.day desc limit 1)) row
      limit 1)
  ) p
  where ${wasThere(orgId, filter, at)} and ${isOldEnough(filter)} and ${isAtLocations('p', orgId, filter)}
    and ${isOfHome(orgId, filter, 'a.id')}`
