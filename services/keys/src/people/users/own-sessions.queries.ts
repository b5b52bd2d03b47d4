import type { SessionView } from '@whereabouts/contracts/resources/keys/members'
import { sql } from 'kysely'
import type { Db, Tx, UserRow } from '../../db.ts'
import type { EndedChain } from '../../credentials/tokens/tokens.queries.ts'
import type { PasswordHash } from './passwords.ts'

export type OwnSession = Omit<SessionView, 'current' | 'org'> & { org_id: number; org_name: string }

const isAlive = sql<boolean>`chain.revoked_at is null and chain.expires_at > clock_timestamp()`

/** Of a user in all organizations, the last used first. Each refresh uses its chain. */
export async function listOwnSessions(
  db: Db,
  userId: number,
  page: { limit: number; offset: number },
): Promise<OwnSession[]> {
  const { rows } = await sql<OwnSession>`
    select chain.id, chain.org_id, org.name as org_name, chain.created_at, chain.expires_at,
           coalesce(used.last_used_at, chain.created_at) as last_used_at
    from token_chain chain
    join org on org.id = chain.org_id
    left join lateral (select max(token.created_at) as last_used_at from refresh_token token
                       where token.org_id = chain.org_id and token.chain_id = chain.id) used on true
    where chain.user_id = ${userId} and ${isAlive}
    order by last_used_at desc, chain.id
    limit ${page.limit} offset ${page.offset}`.execute(db)
  return rows
}

export async function countOwnSessions(db: Db, userId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int8 as count from token_chain chain where chain.user_id = ${userId} and ${isAlive}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/**
 * Ends the user's sessions except `kept`, and returns those that it ended. Call under `lockUser`, so that none starts
 * with a password. A switch to another organization starts one while the statement waits for the session it ends, so
 * the statement is repeated until none is alive.
 */
export async function endOtherSessions(
  tx: Tx,
  userId: number,
  kept: string | undefined,
): Promise<EndedChain[]> {
  const ended: EndedChain[] = []
  do ended.push(...(await endLiveSessions(tx, userId, kept)))
  while (await hasLiveSession(tx, userId, kept))
  return ended
}

const others = (kept: string | undefined) =>
  kept === undefined ? sql<boolean>`true` : sql<boolean>`id <> ${kept}`

async function hasLiveSession(tx: Tx, userId: number, kept: string | undefined): Promise<boolean> {
  const alive = await tx
    .selectFrom('token_chain')
    .select('id')
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where(others(kept))
    .limit(1)
    .executeTakeFirst()
  return alive !== undefined
}

function endLiveSessions(tx: Tx, userId: number, kept: string | undefined): Promise<EndedChain[]> {
  return tx
    .updateTable('token_chain')
    .set({ revoked_at: sql`clock_timestamp()` })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where(others(kept))
    .returning(['org_id', 'id', sql<string>`revoked_at`.as('revoked_at')])
    .execute()
}

/** Ends one session of the user; undefined if it is not theirs, or has ended. */
export async function endOwnSession(tx: Tx, userId: number, id: string): Promise<EndedChain | undefined> {
  return tx
    .updateTable('token_chain as chain')
    .set({ revoked_at: sql`clock_timestamp()` })
    .where('chain.user_id', '=', userId)
    .where('chain.id', '=', id)
    .where(isAlive)
    .returning(['chain.org_id', 'chain.id', sql<string>`chain.revoked_at`.as('revoked_at')])
    .executeTakeFirst()
}

/** The user with their password, locked: of two changes at once, the second sees the password of the first. */
export function lockUser(tx: Tx, userId: number): Promise<UserRow | undefined> {
  return tx.selectFrom('app_user').selectAll().where('id', '=', userId).forUpdate().executeTakeFirst()
}

export function findUser(db: Db, userId: number): Promise<UserRow | undefined> {
  return db.selectFrom('app_user').selectAll().where('id', '=', userId).executeTakeFirst()
}

export async function updateName(db: Db, userId: number, name: string): Promise<void> {
  await db.updateTable('app_user').set({ name }).where('id', '=', userId).execute()
}

export async function updatePassword(tx: Tx, userId: number, hash: PasswordHash): Promise<void> {
  await tx.updateTable('app_user').set(hash).where('id', '=', userId).execute()
}

/** The user has proved to read the mailbox of their address. Returns whether nobody had proved it before. */
export async function markVerified(tx: Tx, userId: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('app_user')
    .set({ email_verified_at: sql`clock_timestamp()` })
    .where('id', '=', userId)
    .where('email_verified_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
