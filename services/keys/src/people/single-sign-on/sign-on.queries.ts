import { violatedConstraint } from '@whereabouts/db/connect/constraint-violation'
import { sql } from 'kysely'
import type { Db, Tx } from '../../db.ts'
import { auditUser } from '../users/user-audit.ts'
import { SIGN_ON_SECONDS } from './sign-on-cookie.ts'
import { SignOnRefusal } from './sign-on-refusal.ts'

const CODE_SECONDS = 60

const inSeconds = (seconds: number) => sql<string>`clock_timestamp() + ${seconds} * interval '1 second'`
const isAlive = sql<boolean>`expires_at > clock_timestamp()`

export async function insertSignOn(db: Db, browserHash: Buffer): Promise<void> {
  await db
    .insertInto('sign_on')
    .values({ browser_hash: browserHash, expires_at: inSeconds(SIGN_ON_SECONDS) })
    .execute()
}

/** False if it has expired, or was taken before: of two callbacks, one gets it. */
export async function takeSignOn(db: Db, browserHash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sign_on')
    .where('browser_hash', '=', browserHash)
    .where(isAlive)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

type Code = { codeHash: Buffer; browserHash: Buffer; userId: number }

export async function insertCode(tx: Tx, { codeHash, browserHash, userId }: Code): Promise<void> {
  const code = { code_hash: codeHash, browser_hash: browserHash, user_id: userId }
  await tx
    .insertInto('sign_on_code')
    .values({ ...code, expires_at: inSeconds(CODE_SECONDS) })
    .execute()
}

/** The user of the code; undefined if it has expired, was taken before, or belongs to another browser than the given one. */
export async function takeCode(
  tx: Tx,
  codeHash: Buffer,
  browserHash: Buffer | undefined,
): Promise<number | undefined> {
  const taken = await tx
    .deleteFrom('sign_on_code')
    .where('code_hash', '=', codeHash)
    .where(isAlive)
    .$if(browserHash !== undefined, (code) => code.where('browser_hash', '=', browserHash ?? codeHash))
    .returning('user_id')
    .executeTakeFirst()
  return taken?.user_id
}

/** Holds other sign-ons of the same person until the transaction ends. */
export async function lockSubject(tx: Tx, issuer: string, subject: string): Promise<void> {
  const name = JSON.stringify(['sign-on', issuer, subject])
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
}

export async function findLinkedUser(db: Db, issuer: string, subject: string): Promise<number | undefined> {
  const link = await db
    .selectFrom('linked_subject')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return link?.user_id
}

/** Throws `address_taken` if the account is linked to somebody else of the provider. */
export async function linkSubject(tx: Tx, issuer: string, subject: string, userId: number): Promise<void> {
  await tx
    .insertInto('linked_subject')
    .values({ issuer, subject, user_id: userId })
    .execute()
    .catch((error: unknown) => {
      throw violatedConstraint(error) === 'linked_subject_one_per_issuer'
        ? new SignOnRefusal('address_taken')
        : error
    })
}

/** Returns the issuers whose links are gone. */
export async function unlinkSubjects(tx: Tx, userId: number): Promise<string[]> {
  const links = await tx
    .deleteFrom('linked_subject')
    .where('user_id', '=', userId)
    .returning('issuer')
    .execute()
  return links.map(({ issuer }) => issuer)
}

/** Issuers; null: not linked. */
export const auditLink = (
  tx: Tx,
  userId: number,
  change: { from: string | null; to: string | null },
): Promise<void> => auditUser(tx, userId, { action: 'user.update', changes: { single_sign_on: change } })

/** Deletes at most `limit` rows of each kind and returns their number. */
export async function purgeExpiredSignOns(db: Db, limit: number): Promise<number> {
  const started = await sql`
    delete from sign_on where browser_hash in (
      select browser_hash from sign_on where expires_at <= clock_timestamp()
      order by expires_at limit ${limit} for update skip locked)`.execute(db)
  const succeeded = await sql`
    delete from sign_on_code where code_hash in (
      select code_hash from sign_on_code where expires_at <= clock_timestamp()
      order by expires_at limit ${limit} for update skip locked)`.execute(db)
  return Number(started.numAffectedRows ?? 0) + Number(succeeded.numAffectedRows ?? 0)
}
