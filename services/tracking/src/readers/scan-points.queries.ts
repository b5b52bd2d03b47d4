import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../db.ts'
import type { Page } from './readers.queries.ts'

export type ScanPointRow = {
  id: number
  antenna: number
  name: string
  location_id: number | null
  location_external_key: string | null
  min_rssi_dbm: number | null
  rssi_offset_db: number
}

/** How the strengths of its reads count. Undefined: the default of a new one; of a stored one, no change. */
type Strength = { min_rssi_dbm?: number | null | undefined; rssi_offset_db?: number | undefined }

/** Undefined if the antenna already has a scan point. */
export function insertScanPoint(
  db: Db,
  orgId: number,
  point: { reader_id: number; antenna: number; name: string; location_id: number | null } & Strength,
) {
  return db
    .insertInto('scan_point')
    .values({ org_id: orgId, ...point })
    .onConflict((c) => c.constraint('scan_point_antenna_unique').doNothing())
    .returning(['id', 'antenna', 'name', 'location_id', 'min_rssi_dbm', 'rssi_offset_db'])
    .executeTakeFirst()
}

/** Call under `lockReader`. Undefined fields stay. */
export async function updateScanPoint(
  db: Db,
  orgId: number,
  id: number,
  changes: {
    antenna?: number | undefined
    name?: string | undefined
    location_id?: number | null
  } & Strength,
): Promise<void> {
  if (Object.values(changes).every((value) => value === undefined)) return
  await db.updateTable('scan_point').set(changes).where('org_id', '=', orgId).where('id', '=', id).execute()
}

/** Whether another scan point of the reader has the antenna. */
export async function isAntennaTaken(
  db: Db,
  orgId: number,
  readerId: number,
  antenna: number,
  otherThan: number,
): Promise<boolean> {
  const found = await db
    .selectFrom('scan_point')
    .select('id')
    .where('org_id', '=', orgId)
    .where('reader_id', '=', readerId)
    .where('antenna', '=', antenna)
    .where('id', '!=', otherThan)
    .executeTakeFirst()
  return found !== undefined
}

/** Ordered by antenna. */
export function listScanPoints(db: Db, orgId: number, readerId: number, page: Page): Promise<ScanPointRow[]> {
  return selectScanPoints(db, orgId, readerId, sql`true`, page)
}

export async function findScanPoint(
  db: Db,
  orgId: number,
  readerId: number,
  id: number,
): Promise<ScanPointRow | undefined> {
  return (await selectScanPoints(db, orgId, readerId, sql`p.id = ${id}`, { limit: 1, offset: 0 }))[0]
}

/** A deleted location keeps its id; its key is null. */
async function selectScanPoints(
  db: Db,
  orgId: number,
  readerId: number,
  condition: RawBuilder<unknown>,
  page: Page,
): Promise<ScanPointRow[]> {
  const { rows } = await sql<ScanPointRow>`
    select p.id, p.antenna, p.name, p.location_id, p.min_rssi_dbm, p.rssi_offset_db,
           case when l.deleted_at is null then l.external_key end as location_external_key
    from scan_point p left join location l on l.org_id = p.org_id and l.id = p.location_id
    where p.org_id = ${orgId} and p.reader_id = ${readerId} and ${condition}
    order by p.antenna limit ${page.limit} offset ${page.offset}`.execute(db)
  return rows
}

export async function countScanPoints(db: Db, orgId: number, readerId: number): Promise<number> {
  const row = await db
    .selectFrom('scan_point')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('org_id', '=', orgId)
    .where('reader_id', '=', readerId)
    .executeTakeFirstOrThrow()
  return row.total
}

export async function deleteScanPoint(db: Db, orgId: number, readerId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('scan_point')
    .where('org_id', '=', orgId)
    .where('reader_id', '=', readerId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
