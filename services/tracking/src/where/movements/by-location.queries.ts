import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { lastSeen, seenAt } from '../reports/asset-locations/at-instant.queries.ts'
import { LATEST_FIRST } from '../reports/asset-locations/filter.ts'
import type { Ended, Present } from './by-location.ts'

type Window = { fromMs: number; toMs: number }

/** `lastSeen` needs no page. An asset that was deleted before is nowhere. */
const UNFILTERED = { limit: 0, offset: 0, sort: LATEST_FIRST, includeDeleted: false }

/** Where assets with a location were, `most` of them. */
export async function readPresent(db: Db, orgId: number, atMs: number, most: number): Promise<Present[]> {
  const ofDay = await seenAt(db, orgId, UNFILTERED, new Date(atMs).toISOString())
  const { rows } = await sql<Present>`
    select asset_id, location_id from (${lastSeen(orgId, UNFILTERED, instant(atMs), ofDay)}) seen
    where location_id is not null limit ${most}`.execute(db)
  return rows
}

/** Assets that were deleted or no longer valid at the end, oldest first: those of the time, and those that moved in it. */
export async function readEnded(db: Db, orgId: number, { fromMs, toMs }: Window): Promise<Ended[]> {
  const [from, to] = [instant(fromMs), instant(toMs)]
  const { rows } = await sql<Ended>`
    select id as asset_id, floor(extract(epoch from ended_at) * 1000)::bigint as at
    from (select id, least(deleted_at, valid_to) as ended_at from asset where org_id = ${orgId}) a
    where ended_at <= ${to} and (ended_at > ${from} or id in (
      select asset_id from movement
      where org_id = ${orgId} and minute >= date_trunc('minute', ${from}, 'UTC') and minute <= ${to}))
    order by ended_at`.execute(db)
  return rows
}

const instant = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`
