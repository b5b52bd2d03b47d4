import { sql } from 'kysely'
import type { Db } from '../db.ts'
import type { SealedSecret, SealedSecrets } from './secrets.ts'
import { sealOf } from './webhooks.queries.ts'

export type SealedRow = SealedSecrets & { org_id: number; id: number }

/** Drops secrets that no longer sign, so that none is kept and no key is kept for them. */
export const dropEndedSecrets = (db: Db) =>
  db
    .updateTable('webhook')
    .set({ previous_ciphertext: null, previous_key_id: null, previous_until: null })
    .where('previous_until', '<=', sql<string>`clock_timestamp()`)
    .execute()

/** The secrets of all webhooks after the id `after` of which one is encrypted with another key, by id. */
export async function listSealedWithOtherKeys(
  db: Db,
  keyId: string,
  after: number,
  limit: number,
): Promise<SealedRow[]> {
  const rows = await db
    .selectFrom('webhook')
    .select(['org_id', 'id', 'secret_ciphertext', 'secret_key_id', 'previous_ciphertext', 'previous_key_id'])
    .where((e) => e.or([e('secret_key_id', '!=', keyId), e('previous_key_id', '!=', keyId)]))
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(
    ({ org_id, id, secret_ciphertext, secret_key_id, previous_ciphertext, previous_key_id }) => ({
      org_id,
      id,
      secret_ciphertext,
      secret_key_id,
      previous: sealOf(previous_ciphertext, previous_key_id),
    }),
  )
}

/**
 * Replaces these bytes, wherever the webhook has them now: a rotation may have made the secret the one before. False if
 * they are gone, or another replica has re-encrypted them. Leaves `updated_at` as it is.
 */
export async function replaceSeal(
  db: Db,
  { org_id, id, secret_ciphertext: old }: Pick<SealedRow, 'org_id' | 'id' | 'secret_ciphertext'>,
  sealed: SealedSecret,
): Promise<boolean> {
  const ofWebhook = db.updateTable('webhook').where('org_id', '=', org_id).where('id', '=', id)
  const newest = await ofWebhook.set(sealed).where('secret_ciphertext', '=', old).executeTakeFirstOrThrow()
  if (newest.numUpdatedRows > 0n) return true
  const { secret_ciphertext: previous_ciphertext, secret_key_id: previous_key_id } = sealed
  const previous = await ofWebhook
    .set({ previous_ciphertext, previous_key_id })
    .where('previous_ciphertext', '=', old)
    .executeTakeFirstOrThrow()
  return previous.numUpdatedRows > 0n
}

/** Counts the secrets per key. */
export async function countSeals(db: Db): Promise<{ secret_key_id: string; secrets: number }[]> {
  const { rows } = await sql<{ secret_key_id: string; secrets: number }>`
    select secret_key_id, count(*) as secrets
    from (select secret_key_id from webhook union all
      select previous_key_id from webhook where previous_key_id is not null) as sealed
    group by secret_key_id order by secret_key_id`.execute(db)
  return rows
}
