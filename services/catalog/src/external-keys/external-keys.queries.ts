import { sql } from 'kysely'
import type { LockName } from '../transactions/transactions.ts'
import type { Db, Tx } from '../db.ts'
import { assetNotFound, locationNotFound } from '../errors.ts'
import { keyWithNumber, numberOfKey, type KeyedTable } from './minted-keys.ts'

const notFound = { asset: assetNotFound, location: locationNotFound }

/** The id of the live row with this key. Throws `assetNotFound` or `locationNotFound`. */
export async function getIdByKey(db: Db, orgId: number, table: KeyedTable, key: string): Promise<number> {
  const row = await liveIds(db, orgId, table, key).executeTakeFirst()
  if (!row) throw notFound[table]()
  return row.id
}

/** As `getIdByKey`; the row stays live and keeps its key until the transaction ends or changes it itself. */
export async function lockIdByKey(tx: Tx, orgId: number, table: KeyedTable, key: string): Promise<number> {
  // After a wait for a rename, the key is compared again and the row no longer matches.
  const row = await liveIds(tx, orgId, table, key).forUpdate().executeTakeFirst()
  if (!row) throw notFound[table]()
  return row.id
}

const liveIds = (db: Db, orgId: number, table: KeyedTable, key: string) =>
  db
    .selectFrom(table)
    .select('id')
    .where('org_id', '=', orgId)
    .where('external_key', '=', key)
    .where('deleted_at', 'is', null)

/**
 * The key of a new row: the one chosen, or the highest live number plus one (D4.4). Until the transaction ends, nobody
 * else of this organization and table gets past this point with a minted key, nor with a chosen one that looks minted:
 * the second would otherwise take the number that is about to be minted.
 */
export async function settleKey(
  tx: Tx,
  orgId: number,
  table: KeyedTable,
  chosen: string | undefined,
): Promise<string> {
  if (chosen !== undefined && lockNameFor(table, chosen) === undefined) return chosen
  await lockKeys(tx, orgId, table)
  return chosen ?? keyWithNumber(table, (await highestNumber(tx, orgId, table)) + 1n)
}

/** The lock that `settleKey` takes for a row with this key. */
export const lockNameFor = (table: KeyedTable, chosen: string | undefined): LockName | undefined =>
  chosen === undefined || numberOfKey(table, chosen) !== undefined ? `${table} keys` : undefined

/**
 * Until the transaction ends, nobody else of this organization and table mints a key, takes one that looks minted, or
 * renames. All renames take it: two that swap their keys would otherwise wait for each other.
 */
export async function lockKeys(tx: Tx, orgId: number, table: KeyedTable): Promise<void> {
  const name = `mint:${table}:${orgId}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}

/**
 * The highest number of a live key that looks minted; 0 without any. Call under `lockKeys`, as a statement of its own:
 * the snapshot must be taken after the lock was granted.
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
