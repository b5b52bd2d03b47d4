import { sql } from 'kysely'
import type { Db, SigningKeyRow, Tx } from '../db.ts'
import type { SealedKey } from './sealed-keys.ts'

/** Longer than any access token lives, and than any replica goes on signing with a key it has in memory. */
const RETIRED_FOR = sql`interval '2 hours'`
/** A next key must have been published for this long before it signs, so that every verifier has seen it. */
const PUBLISHED_FOR = sql`interval '10 minutes'`

/** Every key whose signatures count, the active one included. */
export function listSigningKeys(db: Db): Promise<SigningKeyRow[]> {
  return db.selectFrom('signing_key').selectAll().orderBy('created_at').execute()
}

/** One key without its secret part, and the instants it has before it. By the clock of the database, like all of them. */
export type SigningKeyLife = Pick<
  SigningKeyRow,
  'kid' | 'state' | 'created_at' | 'activated_at' | 'retired_at'
> & {
  /** Of the next key: from when on it may sign. */
  ready_at: string | null
  is_ready: boolean
  /** Of a retired key: until when it is published. */
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

/** One replica at a time changes the set of keys; the lock ends with the transaction. */
export async function lockSigningKeys(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('signing keys of ' || current_schema(), 0))`.execute(
    tx,
  )
}

/** Call under `lockSigningKeys`, when there is no key in that state. */
export async function insertSigningKey(tx: Tx, key: SealedKey, state: 'active' | 'next'): Promise<void> {
  const activated_at = state === 'active' ? sql<string>`clock_timestamp()` : null
  await tx
    .insertInto('signing_key')
    .values({ ...key, state, activated_at })
    .execute()
}

/** Call under `lockSigningKeys`. Whether the active key is `days` old and the next one is known well enough. */
export async function isRotationDue(tx: Tx, days: number): Promise<boolean> {
  const { rows } = await sql<{ due: boolean }>`
    select exists (
      select from signing_key active, signing_key next
      where active.state = 'active' and active.activated_at <= clock_timestamp() - make_interval(days => ${days}::integer)
        and next.state = 'next' and next.created_at <= clock_timestamp() - ${PUBLISHED_FOR}
    ) as due`.execute(tx)
  return rows[0]?.due ?? false
}

/** Call under `lockSigningKeys`. The next key signs from now on; the one before is still published. */
export async function promoteNextKey(tx: Tx): Promise<void> {
  await sql`update signing_key set state = 'retired', retired_at = clock_timestamp() where state = 'active'`.execute(
    tx,
  )
  await sql`update signing_key set state = 'active', activated_at = clock_timestamp() where state = 'next'`.execute(
    tx,
  )
}

/** Forgets retired keys that no living token can name. */
export async function deleteOldSigningKeys(tx: Tx): Promise<void> {
  await sql`delete from signing_key where state = 'retired' and retired_at <= clock_timestamp() - ${RETIRED_FOR}`.execute(
    tx,
  )
}
