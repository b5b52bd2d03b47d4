import { sql } from 'kysely'
import { randomUUID } from 'node:crypto'
import type { ReaderMapping } from '@whereabouts/contracts/resources/tracking/reader-mapping'
import type { TimeSource } from '@whereabouts/contracts/resources/tracking/readers'
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

/**
 * What changed of an organization: a reader; its rules only, if the key is empty; anything, if there is none, as the
 * release before this one notifies.
 */
export type ReaderChange = { readerKey?: string | undefined; id?: string | undefined }

const PROCESS_ID = randomUUID()
let changes = 0

export const isOfThisProcess = (changeId: string): boolean => changeId.startsWith(PROCESS_ID)

export function parseChange(payload: string): [orgId: number, ReaderChange] {
  const [orgId, readerKey, id] = payload.split(' ')
  return [Number(orgId), { readerKey, id }]
}

/** Notifies every replica, once the transaction commits, that this reader changed, or the rules of the organization. */
export async function notifyReadersChanged(db: Db, orgId: number, readerKey = ''): Promise<ReaderChange> {
  const id = `${PROCESS_ID}:${(changes += 1)}`
  await sql`select pg_notify(${READERS_CHANNEL}, ${`${orgId} ${readerKey} ${id}`})`.execute(db)
  return { readerKey, id }
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

/** Deletes the reader with its scan points. Undefined if there was none. */
export function deleteReader(
  db: Db,
  orgId: number,
  id: number,
): Promise<Pick<ReaderRow, 'reader_key'> | undefined> {
  return db
    .deleteFrom('reader')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning('reader_key')
    .executeTakeFirst()
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

/** Readers of an organization, all without keys. */
export type ReaderScope = { orgId: number; readerKeys?: readonly string[] | undefined }

/** Those of these readers, or of all organizations, that have such settings. */
export function listReaderSettings(db: Db, scope?: ReaderScope): Promise<ReaderSettingsRow[]> {
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
  return query.where(inScope(scope)).execute()
}

/** Of any table with these columns. */
export const inScope = (scope?: ReaderScope) =>
  scope === undefined
    ? sql<boolean>`true`
    : scope.readerKeys === undefined
      ? sql<boolean>`org_id = ${scope.orgId}`
      : sql<boolean>`org_id = ${scope.orgId} and reader_key = any(${scope.readerKeys}::text[])`
