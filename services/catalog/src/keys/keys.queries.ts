import { sql } from 'kysely'
import type { Tx } from '../db.ts'
import { keysExhausted } from '../errors.ts'

/** Tables with auto-minted keys, and how such a key looks. The same pattern makes `key_number` in the migrations. */
const minted = {
  asset: { prefix: 'ASSET-', digits: 4, pattern: /^ASSET-[0-9]+$/ },
  location: { prefix: 'LOC-', digits: 3, pattern: /^LOC-[0-9]+$/ },
} as const
export type KeyedTable = keyof typeof minted

const MAX_LENGTH = 255

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
  if (chosen !== undefined && !minted[table].pattern.test(chosen)) return chosen
  await lockMint(tx, orgId, table)
  return chosen ?? nextKey(tx, orgId, table)
}

async function lockMint(tx: Tx, orgId: number, table: KeyedTable): Promise<void> {
  const name = `mint:${table}:${orgId}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}

// A statement of its own: the snapshot must be taken after the lock was granted.
async function nextKey(tx: Tx, orgId: number, table: KeyedTable): Promise<string> {
  const { prefix, digits } = minted[table]
  const highest = await tx
    .selectFrom(table)
    .select(sql<string>`(key_number + 1)::text`.as('next'))
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .where('key_number', 'is not', null)
    .orderBy('key_number', 'desc')
    .limit(1)
    .executeTakeFirst()
  const key = prefix + (highest?.next ?? '1').padStart(digits, '0')
  if (key.length > MAX_LENGTH) throw keysExhausted(prefix)
  return key
}
