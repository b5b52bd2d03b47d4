import { sql } from 'kysely'
import type { ReaderMapping } from '@whereabouts/contracts/reader-mapping'
import type { ReaderView } from '@whereabouts/contracts/readers'
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

export type ReaderListRow = Omit<ReaderView, 'health' | 'configured'> &
  ReaderView['health'] & { total: number }

/** Configured readers and discovered ones, by key, each with its health; zeros for one that was never heard. */
export function listReaders(db: Db, orgId: number, page: Page): Promise<ReaderListRow[]> {
  return selectReaders(db, sql`org_id = ${orgId}`, page)
}

/** One as it is listed, configured or discovered. */
export async function findReaderListed(
  db: Db,
  orgId: number,
  readerKey: string,
): Promise<ReaderListRow | undefined> {
  const condition = sql`org_id = ${orgId} and reader_key = ${readerKey}`
  return (await selectReaders(db, condition, { limit: 1, offset: 0 }))[0]
}

async function selectReaders(
  db: Db,
  condition: ReturnType<typeof sql>,
  page: Page,
): Promise<ReaderListRow[]> {
  const { rows } = await sql<ReaderListRow>`
    select r.id, coalesce(r.reader_key, h.reader_key) as reader_key, r.name, r.format, r.timezone, r.mapping,
           r.created_at,
           h.last_seen_at, h.identity, h.last_problem, h.last_problem_at,
           coalesce(h.messages, 0) as messages, coalesce(h.reads, 0) as reads,
           coalesce(h.reads_unknown_tag, 0) as reads_unknown_tag, coalesce(h.reads_unplaced, 0) as reads_unplaced,
           coalesce(h.reads_clock_skewed, 0) as reads_clock_skewed, coalesce(h.read_errors, 0) as read_errors,
           coalesce(h.messages_buried, 0) as messages_buried,
           count(*) over () as total
    from (select * from reader where ${condition}) r
    full join (select * from reader_health where ${condition}) h on h.reader_key = r.reader_key
    order by 2 limit ${page.limit} offset ${page.offset}`.execute(db)
  return rows
}

/** For the total of a page that lies behind the end. */
export async function countReaders(db: Db, orgId: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from (
      select reader_key from reader where org_id = ${orgId}
      union select reader_key from reader_health where org_id = ${orgId}) keys`.execute(db)
  return rows[0]?.total ?? 0
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
