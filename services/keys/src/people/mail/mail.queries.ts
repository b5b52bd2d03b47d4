import { sql } from 'kysely'
import type { Db, MailRow, Tx } from '../../db.ts'

type NewMail = Pick<MailRow, 'id' | 'template' | 'recipient' | 'details'> & { seconds: number }

const inSeconds = (seconds: number) => sql<string>`clock_timestamp() + make_interval(secs => ${seconds})`

/** In the transaction of what causes the mail: both commit, or neither. One with the same id is written once. */
export async function insertMail(db: Db, { seconds, details, ...mail }: NewMail): Promise<void> {
  await db
    .insertInto('mail')
    .values({ ...mail, details: sql`${JSON.stringify(details)}::jsonb`, expires_at: inSeconds(seconds) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Takes the mail that is due longest, those about alerts last: many of them delay no new password. Sets its next attempt, as if this one failed. So a failure needs no write, and
 * a process that dies keeps no mail. The pause doubles from two minutes, longer than an attempt may take, to an hour.
 */
export async function claimMail(tx: Tx): Promise<MailRow | undefined> {
  const { rows } = await sql<MailRow>`
    update mail set attempts = attempts + 1,
      next_attempt_at = clock_timestamp() + least(interval '2 minutes' * 2 ^ least(attempts, 10), interval '1 hour')
    where id = (
      select id from mail where next_attempt_at <= clock_timestamp() and expires_at > clock_timestamp()
      order by template = 'alerts', next_attempt_at limit 1 for update skip locked)
    returning *`.execute(tx)
  return rows[0]
}

export async function deleteMail(db: Db, id: string): Promise<void> {
  await db.deleteFrom('mail').where('id', '=', id).execute()
}

/** Deletes at most `limit` mails whose time is over, with the link they carry, and returns them. */
export async function takeExpiredMails(db: Db, limit: number): Promise<MailRow[]> {
  const { rows } = await sql<MailRow>`
    delete from mail where id in (
      select id from mail where expires_at <= clock_timestamp() limit ${limit} for update skip locked)
    returning *`.execute(db)
  return rows
}

/** For the list of invitations. */
export async function noteUndelivered(db: Db, mailId: string): Promise<void> {
  await db
    .updateTable('invitation')
    .set({ mail_failed_at: sql`clock_timestamp()` })
    .where('mail_id', '=', mailId)
    .execute()
}
