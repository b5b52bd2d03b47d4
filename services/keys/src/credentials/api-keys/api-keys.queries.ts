import { nextRevision } from '@whereabouts/db/outbox/revisions'
import { sql } from 'kysely'
import type { ApiKeyRow, Db, Tx } from '../../db.ts'

/** A key and whether it may be used at this moment: neither revoked nor expired. */
export type UsableKey = ApiKeyRow & { is_usable: boolean }

const isUsable =
  sql<boolean>`revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`.as('is_usable')

/** By `jti`, which is also the client id. In any organization: the caller is not known yet. */
export function findKeyByJti(db: Db, jti: string): Promise<UsableKey | undefined> {
  return db.selectFrom('api_key').selectAll().select(isUsable).where('jti', '=', jti).executeTakeFirst()
}

export function findKeyById(db: Db, orgId: number, id: number): Promise<UsableKey | undefined> {
  return db
    .selectFrom('api_key')
    .selectAll()
    .select(isUsable)
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Newest first. `revoked` includes revoked keys. */
export function listKeys(
  db: Db,
  orgId: number,
  page: { limit: number; offset: number; revoked?: boolean },
): Promise<ApiKeyRow[]> {
  return db
    .selectFrom('api_key')
    .selectAll()
    .where('org_id', '=', orgId)
    .$if(page.revoked !== true, (keys) => keys.where('revoked_at', 'is', null))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}

/** The number of keys on all pages of `listKeys`. */
export async function countKeys(
  db: Db,
  orgId: number,
  { revoked }: { revoked?: boolean } = {},
): Promise<number> {
  const { count } = await db
    .selectFrom('api_key')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('org_id', '=', orgId)
    .$if(revoked !== true, (keys) => keys.where('revoked_at', 'is', null))
    .executeTakeFirstOrThrow()
  return count
}

/** The number of keys that are neither revoked nor expired. */
export async function countUsableKeys(db: Db, orgId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from api_key
    where org_id = ${orgId} and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

export type NewKey = Pick<
  ApiKeyRow,
  'name' | 'scopes' | 'reader_key' | 'secret_hash' | 'expires_at' | 'created_by' | 'created_by_key_id'
>

export function insertKey(tx: Tx, orgId: number, key: NewKey): Promise<ApiKeyRow> {
  return tx
    .insertInto('api_key')
    .values({ org_id: orgId, ...key })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/**
 * The key that creates another one, locked against revocation until the transaction ends. Undefined if it is no longer
 * usable: a key whose revocation has not reached the gateway must not create new keys.
 */
export function lockUsableKey(tx: Tx, orgId: number, jti: string): Promise<{ id: number } | undefined> {
  return tx
    .selectFrom('api_key')
    .select('id')
    .where('org_id', '=', orgId)
    .where('jti', '=', jti)
    .where('revoked_at', 'is', null)
    .where(sql<boolean>`(expires_at is null or expires_at > clock_timestamp())`)
    .forShare()
    .executeTakeFirst()
}

/** The unrevoked key with this id (a number) or `jti` (a UUID), locked. */
export function lockKey(tx: Tx, orgId: number, key: number | string): Promise<ApiKeyRow | undefined> {
  return tx
    .selectFrom('api_key')
    .selectAll()
    .where('org_id', '=', orgId)
    .where(typeof key === 'number' ? 'id' : 'jti', '=', key)
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
}

/** Call under `lockKey`. */
export function revokeKey(tx: Tx, orgId: number, id: number): Promise<ApiKeyRow> {
  return tx
    .updateTable('api_key')
    .set({ revoked_at: sql`clock_timestamp()`, revision: nextRevision })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Revokes all keys of an organization, and returns those that were not revoked before. */
export function revokeKeysOf(tx: Tx, orgId: number): Promise<ApiKeyRow[]> {
  return tx
    .updateTable('api_key')
    .set({ revoked_at: sql`clock_timestamp()`, revision: nextRevision })
    .where('org_id', '=', orgId)
    .where('revoked_at', 'is', null)
    .returningAll()
    .execute()
}

/** `is_named`: the key that was asked for. `is_live`: it had not expired. */
export type RevokedKey = ApiKeyRow & { is_named: boolean; is_live: boolean }

/**
 * Revokes the key with this id (a number) or `jti` (a UUID) and all that it created, directly or not, also through
 * revoked keys. Returns those that were not revoked yet. Call under `lockOrg`, so that none of them creates another.
 */
export async function revokeKeyTree(tx: Tx, orgId: number, key: number | string): Promise<RevokedKey[]> {
  const isNamed = typeof key === 'number' ? sql`id = ${key}` : sql`jti = ${key}::uuid`
  const { rows } = await sql<RevokedKey>`
    with recursive tree as (
      select id from api_key where org_id = ${orgId} and ${isNamed}
      union
      select child.id from api_key child join tree on child.created_by_key_id = tree.id
      where child.org_id = ${orgId})
    update api_key set revoked_at = clock_timestamp(), revision = ${nextRevision}
    where org_id = ${orgId} and id in (select id from tree) and revoked_at is null
    returning *, ${isNamed} as is_named, (expires_at is null or expires_at > clock_timestamp()) as is_live`.execute(
    tx,
  )
  return rows
}

/** Requests per minute and reader messages per second; null is the default. */
export type KeyLimits = Pick<ApiKeyRow, 'rate_limit_per_minute' | 'message_rate_per_second'>

/** Call under `lockKey`. */
export function updateKeyLimits(
  tx: Tx,
  orgId: number,
  id: number,
  limits: Partial<KeyLimits>,
): Promise<ApiKeyRow> {
  return tx
    .updateTable('api_key')
    .set({ ...limits, revision: nextRevision })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Records the use of the key, at most once a minute. Without a new revision, because no other service reads it. */
export async function touchKey(db: Db, orgId: number, id: number): Promise<void> {
  await db
    .updateTable('api_key')
    .set({ last_used_at: sql`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where(sql<boolean>`(last_used_at is null or last_used_at <= clock_timestamp() - interval '1 minute')`)
    .execute()
}

/** Records that a device logged in with the key, at most once a minute. */
export async function touchReaderKey(db: Db, orgId: number, id: number): Promise<void> {
  await db
    .updateTable('api_key')
    .set({ last_used_at: sql`clock_timestamp()`, broker_used_at: sql`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .where(
      sql<boolean>`(broker_used_at is null or broker_used_at <= clock_timestamp() - interval '1 minute'
        or last_used_at <= clock_timestamp() - interval '1 minute')`,
    )
    .execute()
}

/** When a device last used a key that is bound to the reader; null if none did. */
export async function findReaderUse(db: Db, orgId: number, readerKey: string): Promise<string | null> {
  const { used_at } = await db
    .selectFrom('api_key')
    .select((eb) => eb.fn.max('broker_used_at').as('used_at'))
    .where('org_id', '=', orgId)
    .where('reader_key', '=', readerKey)
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow()
  return used_at
}

/**
 * Records that keys sent something a moment ago, by `jti`, in any organization. Skips keys of which that was recorded in the
 * last half minute, for example by another replica, and locked ones: the next call records them. `users` must be UUIDs.
 */
export async function touchKeys(db: Db, users: readonly string[]): Promise<void> {
  await sql`
    update api_key set last_used_at = clock_timestamp(), broker_used_at = clock_timestamp(),
      first_message_at = coalesce(first_message_at, clock_timestamp())
    where jti in (
      select jti from api_key
      where jti = any(${users}::uuid[]) and revoked_at is null
        and (first_message_at is null or last_used_at is null or broker_used_at is null
          or broker_used_at <= clock_timestamp() - interval '30 seconds'
          or last_used_at <= clock_timestamp() - interval '30 seconds')
      for update skip locked)`.execute(db)
}
