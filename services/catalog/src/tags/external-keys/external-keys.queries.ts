import { sql } from 'kysely'
import type { Db, Tx } from '../../db.ts'
import { assetNotFound, locationNotFound } from '../../errors.ts'
import type { TagOwner } from '../../changes/messages/changes.ts'
import type { LockName } from '../../changes/transactions/transactions.ts'
import { keyWithNumber, numberOfKey, type KeyedTable } from './minted-keys.ts'

const notFound = { asset: assetNotFound, location: locationNotFound }

/** The id of the live row with this key. Throws `assetNotFound` or `locationNotFound`. */
export async function getIdByKey(db: Db, orgId: number, table: KeyedTable, key: string): Promise<number> {
  const row = await liveRow(db, orgId, table, key).executeTakeFirst()
  if (!row) throw notFound[table]()
  return row.id
}

/** Like `getIdByKey`. Other transactions cannot change the row until this one ends. */
export async function lockByKey(tx: Tx, orgId: number, table: KeyedTable, key: string): Promise<TagOwner> {
  // After waiting for a rename, PostgreSQL compares the key again and finds no row.
  const row = await liveRow(tx, orgId, table, key).forUpdate().executeTakeFirst()
  if (!row) throw notFound[table]()
  return { kind: table, ...row }
}

/** The id of `lockByKey`. */
export const lockIdByKey = async (tx: Tx, orgId: number, table: KeyedTable, key: string): Promise<number> =>
  (await lockByKey(tx, orgId, table, key)).id

/** The type of an asset; null for a location. */
export const typeOf = (table: KeyedTable) =>
  sql<string | null>`${table === 'asset' ? sql.ref('type') : sql`null::text`}`.as('type')

const liveRow = (db: Db, orgId: number, table: KeyedTable, key: string) =>
  db
    .selectFrom(table)
    .select(['id', 'external_key', 'name', typeOf(table)])
    .where('org_id', '=', orgId)
    .where('external_key', '=', key)
    .where('deleted_at', 'is', null)

/**
 * The key of a new row: the chosen one, or the highest live number plus one (D4.4). For a minted key, and for a
 * chosen one that looks minted, it takes `lockKeys`: otherwise the chosen one could take the number that is being
 * minted.
 */
export async function assignKey(
  tx: Tx,
  orgId: number,
  table: KeyedTable,
  chosen: string | undefined,
): Promise<string> {
  if (chosen !== undefined && lockNameFor(table, chosen) === undefined) return chosen
  await lockKeys(tx, orgId, table)
  return chosen ?? keyWithNumber(table, (await highestNumber(tx, orgId, table)) + 1n)
}

/** The lock that `assignKey` takes for this key. */
export const lockNameFor = (table: KeyedTable, chosen: string | undefined): LockName | undefined =>
  chosen === undefined || numberOfKey(table, chosen) !== undefined ? `${table} keys` : undefined

/**
 * Allows one transaction per organization and table to mint a key, choose one that looks minted, or rename, until it
 * ends. All renames take it, because two that swap their keys would deadlock.
 */
export async function lockKeys(tx: Tx, orgId: number, table: KeyedTable): Promise<void> {
  const name = `mint:${table}:${orgId}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}

/**
 * The highest number of a live key that looks minted; 0 without any. Call under `lockKeys`, in its own statement, so
 * that its snapshot is newer than the lock.
 */
export async function highestNumber(db: Db, orgId: number, table: KeyedTable): Promise<bigint> {
  const highest = await db
    .selectFrom(table)
    .select(sql<string>`key_number::text`.as('number'))
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .where('key_number', 'is not', null)
    .orderBy('key_number', 'desc')
    .limit(1)
    .executeTakeFirst()
  return BigInt(highest?.number ?? 0)
}
