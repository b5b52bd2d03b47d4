import { sql } from 'kysely'
import type { ReaderMapping } from '@whereabouts/contracts/reader-mapping'
import type { TimeSource } from '@whereabouts/contracts/readers'
import type { Db } from '../db.ts'

export type ReaderRow = {
  org_id: number
  id: number
  reader_key: string
  name: string
  format: string
  timezone: string | null
  mapping: ReaderMapping | null
  time_source: TimeSource
  created_at: string
}
export type Page = { limit: number; offset: number }

export const READERS_CHANNEL = 'readers_changed'

/** Notifies every replica, once the transaction commits, that the readers of this organization changed. */
export async function notifyReadersChanged(db: Db, orgId: number): Promise<void> {
  await sql`select pg_notify(${READERS_CHANNEL}, ${String(orgId)})`.execute(db)
}

/** Undefined if the key is taken. */
export function insertReader(
  db: Db,
  orgId: number,
  reader: Pick<ReaderRow, 'reader_key' | 'name' | 'format' | 'timezone' | 'time_source' | 'mapping'>,
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

/** Call under `lockReader`. */
export async function updateReader(
  db: Db,
  orgId: number,
  id: number,
  values: Pick<ReaderRow, 'name' | 'format' | 'timezone' | 'time_source' | 'mapping'>,
): Promise<void> {
  await db.updateTable('reader').set(values).where('org_id', '=', orgId).where('id', '=', id).execute()
}

/** Locks the reader, so that no scan point is added to a reader that is being deleted and changes do not mix. */
export function lockReader(db: Db, orgId: number, id: number): Promise<ReaderRow | undefined> {
  return db
    .selectFrom('reader')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

/** Deletes the reader with its scan points. False if there was none. */
export async function deleteReader(db: Db, orgId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('reader')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** What of a reader decides how its messages are read. */
export type ReaderSettings = {
  timezone?: string | undefined
  /** `reader` by default. */
  time_source?: TimeSource | undefined
  mapping?: ReaderMapping | undefined
}

export type ReaderSettingsRow = Pick<
  ReaderRow,
  'org_id' | 'reader_key' | 'timezone' | 'time_source' | 'mapping'
>

/** The readers of one organization, or of all, that have such settings. */
export function listReaderSettings(db: Db, orgId?: number): Promise<ReaderSettingsRow[]> {
  const query = db
    .selectFrom('reader')
    .select(['org_id', 'reader_key', 'timezone', 'time_source', 'mapping'])
    .where((eb) =>
      eb.or([
        eb('timezone', 'is not', null),
        eb('mapping', 'is not', null),
        eb('time_source', '=', 'receipt'),
      ]),
    )
  return (orgId === undefined ? query : query.where('org_id', '=', orgId)).execute()
}
