import { sql } from 'kysely'
import type { ReaderMapping } from '@whereabouts/contracts/reader-mapping'
import type { Db } from '../db.ts'

export type ReaderRow = {
  org_id: number
  id: number
  reader_key: string
  name: string
  format: string
  timezone: string | null
  mapping: ReaderMapping | null
  created_at: string
}
export type Page = { limit: number; offset: number }

export const READERS_CHANNEL = 'readers_changed'

/** Tells every replica, when the transaction commits, that the readers of this organization changed. */
export async function notifyReadersChanged(db: Db, orgId: number): Promise<void> {
  await sql`select pg_notify(${READERS_CHANNEL}, ${String(orgId)})`.execute(db)
}

/** Undefined when the key is taken. */
export function insertReader(
  db: Db,
  orgId: number,
  reader: Pick<ReaderRow, 'reader_key' | 'name' | 'format' | 'timezone' | 'mapping'>,
): Promise<ReaderRow | undefined> {
  return db
    .insertInto('reader')
    .values({ org_id: orgId, ...reader })
    .onConflict((c) => c.constraint('reader_key_unique').doNothing())
    .returningAll()
    .executeTakeFirst()
}

export function findReader(db: Db, orgId: number, id: number): Promise<ReaderRow | undefined> {
  return db
    .selectFrom('reader')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Of a row that is locked. */
export async function updateReader(
  db: Db,
  orgId: number,
  id: number,
  values: Pick<ReaderRow, 'name' | 'format' | 'timezone' | 'mapping'>,
): Promise<void> {
  await db.updateTable('reader').set(values).where('org_id', '=', orgId).where('id', '=', id).execute()
}

/** Locked, so that a scan point is not added to a reader that is being removed, nor two changes are mixed. */
export function lockReader(db: Db, orgId: number, id: number): Promise<ReaderRow | undefined> {
  return db
    .selectFrom('reader')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** Scan points go with their reader. False when there was none. */
export async function deleteReader(db: Db, orgId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('reader')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** What the decoder of this reader has to be told. */
export type ReaderSettings = { timezone?: string | undefined; mapping?: ReaderMapping | undefined }

export type ReaderSettingsRow = Pick<ReaderRow, 'org_id' | 'reader_key' | 'timezone' | 'mapping'>

/** The readers of one organization, or of all, whose decoder has to be told something. */
export function listReaderSettings(db: Db, orgId?: number): Promise<ReaderSettingsRow[]> {
  const query = db
    .selectFrom('reader')
    .select(['org_id', 'reader_key', 'timezone', 'mapping'])
    .where((eb) => eb.or([eb('timezone', 'is not', null), eb('mapping', 'is not', null)]))
  return (orgId === undefined ? query : query.where('org_id', '=', orgId)).execute()
}
