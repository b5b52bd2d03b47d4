import { sql } from 'kysely'
import type { Db, SigningKeyRow, Tx } from '../../db.ts'
import type { SealedKey } from './sealed-keys.ts'

/** Longer than the life of an access token plus the time that a replica caches a key. */
const RETIRED_FOR = sql`interval '2 hours'`
/** How long the next key must be published before it signs, so that every verifier knows it. */
const PUBLISHED_FOR = sql`interval '10 minutes'`

/** Every key whose signatures are valid, including the active one. */
export function listSigningKeys(db: Db): Promise<SigningKeyRow[]> {
  return db.selectFrom('signing_key').selectAll().orderBy('created_at').execute()
}

/** A key without its secret part, and its next instants, by the clock of the database. */
export type SigningKeyLife = Pick<
  SigningKeyRow,
  'kid' | 'state' | 'created_at' | 'activated_at' | 'retired_at'
> & {
  /** For the next key: from when it may sign. */
  ready_at: string | null
  is_ready: boolean
  /** For a retired key: until when it is published. */
  published_until: string | null
}

/** Oldest first. */
export async function listSigningKeyLives(db: Db): Promise<SigningKeyLife[]> {
  const { rows } = await sql<SigningKeyLife>`
    select kid, state, created_at, activated_at, retired_at,
           case when state = 'next' then created_at + ${PUBLISHED_FOR} end as ready_at,
           state = 'next' and created_at + ${PUBLISHED_FOR} <= clock_timestamp() as is_ready,
           retired_at + ${RETIRED_FOR} as published_until
    from signing_key order by created_at`.execute(db)
  return rows
}

/** Lets one replica at a time change the keys, until its transaction ends. */
export async function lockSigningKeys(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('signing keys of ' || current_schema(), 0))`.execute(
    tx,
  )
}

/** Call under `lockSigningKeys`, if no key is in that state. */
export async function insertSigningKey(tx: Tx, key: SealedKey, state: 'active' | 'next'): Promise<void> {
  const activated_at = state === 'active' ? sql<string>`clock_timestamp()` : null
  await tx
    .insertInto('signing_key')
    .values({ ...key, state, activated_at })
    .execute()
}

/**
 * Call under `lockSigningKeys`. Whether the active key is `days` old and the next one was published for long enough.
 */
export async function isRotationDue(tx: Tx, days: number): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    select exists (
      select from signing_key active, signing_key next
      where active.state = 'active' and active.activated_at <= clock_timestamp() - make_interval(days => ${days}::integer)
        and next.state = 'next' and next.created_at <= clock_timestamp() - ${PUBLISHED_FOR}
    ) as due`.execute(tx)
  return rows[0]?.due ?? false
}

/** Call under `lockSigningKeys`. The next key becomes active; the previous one stays published. */
export async function promoteNextKey(tx: Tx): Promise<void> {
  await sql`update signing_key set state = 'retired', retired_at = clock_timestamp() where state = 'active'`.execute(
    tx,
  )
  await sql`update signing_key set state = 'active', activated_at = clock_timestamp() where state = 'next'`.execute(
    tx,
  )
}

/** Deletes retired keys whose tokens have all expired. */
export async function deleteOldSigningKeys(tx: Tx): Promise<void> {
  await sql`delete from signing_key where state = 'retired' and retired_at <= clock_timestamp() - ${RETIRED_FOR}`.execute(
    tx,
  )
}
