import type { Db } from '../db.ts'
import type { SealedSecret } from './secrets.ts'

export type SealedRow = SealedSecret & { org_id: number; id: number }

/** The secrets of all organizations after `after` that are encrypted with another key, by organization. */
export function listSealedWithOtherKeys(
  db: Db,
  keyId: string,
  after: number,
  limit: number,
): Promise<SealedRow[]> {
  return db
    .selectFrom('webhook')
    .select(['org_id', 'id', 'secret_ciphertext', 'secret_key_id'])
    .where('secret_key_id', '!=', keyId)
    .where('org_id', '>', after)
    .orderBy('org_id')
    .limit(limit)
    .execute()
}

/** False if the row is gone, or another replica has re-encrypted it. Leaves `updated_at` as it is. */
export async function replaceSeal(db: Db, old: SealedRow, sealed: SealedSecret): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook')
    .set(sealed)
    .where('org_id', '=', old.org_id)
    .where('id', '=', old.id)
    .where('secret_ciphertext', '=', old.secret_ciphertext)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Counts the webhooks per key. */
export function countSeals(db: Db): Promise<{ secret_key_id: string; webhooks: number }[]> {
  return db
    .selectFrom('webhook')
    .select((e) => ['secret_key_id', e.fn.countAll<number>().as('webhooks')])
    .groupBy('secret_key_id')
    .orderBy('secret_key_id')
    .execute()
}
