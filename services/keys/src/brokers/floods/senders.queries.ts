import { sql } from 'kysely'
import type { Db } from '../../db.ts'

/** The organizations of keys by `jti`, including revoked keys. `users` must be UUIDs. */
export async function findOrgsOfKeys(db: Db, users: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('api_key')
    .select(['jti', 'org_id'])
    .where('jti', '=', sql<string>`any(${users}::uuid[])`)
    .execute()
  return new Map(rows.map(({ jti, org_id }) => [jti, org_id]))
}

/**
 * Messages per second of each live key with `scans:write`, as an operator set them, or null. Organizations without such a
 * key are missing.
 */
export async function findMessageRates(
  db: Db,
  orgIds: readonly number[],
): Promise<Map<number, (number | null)[]>> {
  const { rows } = await sql<{ org_id: number; rates: (number | null)[] }>`
    select org_id, array_agg(message_rate_per_second) as rates
    from api_key
    where org_id = any(${orgIds}::bigint[]) and revoked_at is null and 'scans:write' = any(scopes)
      and (expires_at is null or expires_at > clock_timestamp())
    group by org_id`.execute(db)
  return new Map(rows.map(({ org_id, rates }) => [org_id, rates]))
}

/** The keys of an organization whose readers may be connected: their ids are the names of broker users. */
export async function listReaderUsers(db: Db, orgId: number): Promise<string[]> {
  const { rows } = await sql<{ jti: string }>`
    select jti from api_key where org_id = ${orgId} and revoked_at is null and 'scans:write' = any(scopes)`.execute(
    db,
  )
  return rows.map(({ jti }) => jti)
}
