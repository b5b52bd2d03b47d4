import type { ChainOwner } from '../../attempts/attempts.ts'
import { limits } from '@whereabouts/contracts/limits'
import { KEY_TOKEN_SECONDS, SESSION_TOKEN_SECONDS } from '@whereabouts/contracts/resources/keys/token-claims'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db.ts'

/** A refresh token with its chain, which is locked. Exactly one of `key_id` and `user_id` is set. */
export type LockedToken = {
  hash: Buffer
  chain_id: string
  org_id: number
  key_id: number | null
  user_id: number | null
  /** The scopes that the chain was narrowed to; null if it was not. */
  scopes: string[] | null
  is_spent: boolean
  is_expired: boolean
  is_revoked: boolean
}

/** Spent tokens of a chain whose replay ends it: a day of a key, four days of a session. */
const KEPT_SPENT = 100

const LIFE = sql<string>`clock_timestamp() + interval '30 days'`

/**
 * Starts a chain with its first refresh token and returns its id. `scopes` null: all scopes of the key. Ends those that
 * the owner has used least recently beyond its limit.
 */
export async function startChain(
  tx: Tx,
  owner: ChainOwner,
  hash: Buffer,
  scopes: string[] | null = null,
): Promise<string> {
  await makeRoom(tx, owner)
  const { id } = await tx
    .insertInto('token_chain')
    .values({
      org_id: owner.orgId,
      key_id: 'keyId' in owner ? owner.keyId : null,
      user_id: 'userId' in owner ? owner.userId : null,
      scopes,
      expires_at: LIFE,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await insertRefreshToken(tx, owner.orgId, id, hash)
  return id
}

/**
 * The access tokens of an ended chain live on until they expire. Otherwise programs that share a key would end each other's
 * tokens again and again. Two statements, so that the second sees the tokens of a refresh that the first waited for.
 */
async function makeRoom(tx: Tx, owner: ChainOwner): Promise<void> {
  const isKey = 'keyId' in owner
  const ofOwner = isKey ? sql`key_id = ${owner.keyId}` : sql`user_id = ${owner.userId}`
  const lock = `token_chain ${owner.orgId} ${isKey ? `key ${owner.keyId}` : `user ${owner.userId}`}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx)
  // A switch to another organization holds the lock of a session already, so of two nobody may wait for the other.
  const { rows } = await sql<{ id: string }>`
    select id from token_chain where org_id = ${owner.orgId} and id in (
      select id from token_chain chain
      where org_id = ${owner.orgId} and ${ofOwner} and revoked_at is null and exists (
        select from refresh_token t where t.org_id = chain.org_id and t.chain_id = chain.id
          and t.spent_at is null and t.expires_at > clock_timestamp())
      order by expires_at desc, id offset ${limits.tokenChains[isKey ? 'key' : 'user'] - 1})
    for update ${isKey ? sql`` : sql`skip locked`}`.execute(tx)
  if (rows.length === 0) return
  const life = isKey ? KEY_TOKEN_SECONDS : SESSION_TOKEN_SECONDS
  await sql`
    with ended as (
      update token_chain set expires_at = least(expires_at, clock_timestamp() + make_interval(secs => ${life}))
      where org_id = ${owner.orgId} and id = any(${rows.map(({ id }) => id)}::uuid[]) returning org_id, id)
    update refresh_token t set expires_at = clock_timestamp() from ended
    where t.org_id = ended.org_id and t.chain_id = ended.id and t.spent_at is null`.execute(tx)
}

/** The organization of a token, which never changes. Undefined for a token that was never issued or was purged. */
export async function findTokenOrg(db: Db, hash: Buffer): Promise<number | undefined> {
  const found = await db
    .selectFrom('refresh_token')
    .select('org_id')
    .where('hash', '=', hash)
    .executeTakeFirst()
  return found?.org_id
}

/**
 * The token, with its chain locked until the transaction ends. If two requests use one token at once, the second waits
 * here and then sees it spent. Undefined for a token that was never issued or was purged.
 *
 * Two statements, so that the second sees the changes that the first waited for. Locks only the chain, because every
 * change of a token holds that lock. The purge locks chains too, and one lock order cannot deadlock.
 */
export async function lockRefreshToken(tx: Tx, hash: Buffer): Promise<LockedToken | undefined> {
  await sql`
    select from token_chain c join refresh_token t on t.org_id = c.org_id and t.chain_id = c.id
    where t.hash = ${hash}
    for update of c`.execute(tx)
  const { rows } = await sql<LockedToken>`
    select t.hash, t.chain_id, t.org_id, c.key_id, c.user_id, c.scopes,
           t.spent_at is not null as is_spent,
           t.expires_at <= clock_timestamp() as is_expired,
           c.revoked_at is not null as is_revoked
    from refresh_token t join token_chain c on c.org_id = t.org_id and c.id = t.chain_id
    where t.hash = ${hash}`.execute(tx)
  return rows[0]
}

export const ownerOf = ({ org_id: orgId, key_id: keyId, user_id: userId }: LockedToken): ChainOwner =>
  keyId === null ? { orgId, userId: Number(userId) } : { orgId, keyId }

/** Spends the locked token and inserts its successor. */
export async function replaceRefreshToken(tx: Tx, token: LockedToken, nextHash: Buffer): Promise<void> {
  await tx
    .updateTable('refresh_token')
    .set({ spent_at: sql`clock_timestamp()` })
    .where('hash', '=', token.hash)
    .execute()
  await tx
    .updateTable('token_chain')
    .set({ expires_at: LIFE })
    .where('org_id', '=', token.org_id)
    .where('id', '=', token.chain_id)
    .execute()
  await insertRefreshToken(tx, token.org_id, token.chain_id, nextHash)
  // The purge deletes them. So a chain that is refreshed all the time keeps few rows.
  await sql`
    update refresh_token set expires_at = clock_timestamp() where hash in (
      select hash from refresh_token
      where org_id = ${token.org_id} and chain_id = ${token.chain_id} and spent_at is not null
      order by spent_at desc offset ${KEPT_SPENT})`.execute(tx)
}

export type EndedChain = { org_id: number; id: string; revoked_at: string }

/** Undefined if it had ended before. */
export function revokeChain(tx: Tx, orgId: number, chainId: string): Promise<EndedChain | undefined> {
  return tx
    .updateTable('token_chain')
    .set({ revoked_at: sql`clock_timestamp()` })
    .where('org_id', '=', orgId)
    .where('id', '=', chainId)
    .where('revoked_at', 'is', null)
    .returning(['org_id', 'id', sql<string>`revoked_at`.as('revoked_at')])
    .executeTakeFirst()
}

/** Narrows the scopes of future access tokens of the chain. */
export async function narrowChain(tx: Tx, orgId: number, chainId: string, scopes: string[]): Promise<void> {
  await tx
    .updateTable('token_chain')
    .set({ scopes })
    .where('org_id', '=', orgId)
    .where('id', '=', chainId)
    .execute()
}

/** Whether the chain is alive. A missing one has ended with its member or organization. */
export async function isChainAlive(db: Db, orgId: number, chainId: string): Promise<boolean> {
  const chain = await db
    .selectFrom('token_chain')
    .select('id')
    .where('org_id', '=', orgId)
    .where('id', '=', chainId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  return chain !== undefined
}

async function insertRefreshToken(tx: Tx, orgId: number, chainId: string, hash: Buffer): Promise<void> {
  await tx
    .insertInto('refresh_token')
    .values({ hash, org_id: orgId, chain_id: chainId, expires_at: LIFE })
    .execute()
}

/**
 * Deletes expired chains and tokens, at most `limit` of each, and returns the number of rows. A spent token stays
 * until it expires, so that its replay is detected. A chain that was ended stays until its access tokens have expired,
 * and the newest of a member longer: it says when they last signed in.
 */
export async function purgeExpiredTokens(db: Db, limit: number): Promise<number> {
  const chains = await sql`
    delete from token_chain where (org_id, id) in (
      select org_id, id from token_chain chain
      where expires_at <= clock_timestamp()
        or revoked_at <= clock_timestamp() - interval '2 hours' and (user_id is null or exists (
          select from token_chain newer where newer.org_id = chain.org_id and newer.user_id = chain.user_id
            and newer.created_at > chain.created_at))
      limit ${limit} for update skip locked)`.execute(db)
  const tokens = await sql`
    delete from refresh_token where hash in (
      select hash from refresh_token where expires_at <= clock_timestamp()
      order by expires_at limit ${limit} for update skip locked)`.execute(db)
  return Number(chains.numAffectedRows ?? 0) + Number(tokens.numAffectedRows ?? 0)
}
