import { sql } from 'kysely'
import type { Db, Tx } from '../../db.ts'

export type Suspension = { jti: string; org_id: number; until: string; strikes: number }

/** Duration of the first suspension. Each further one is twice as long. */
const FIRST_SECONDS = 30
const LONGEST_SECONDS = 600
/** After this long without a suspension, the count starts again. */
const FORGOTTEN_AFTER = sql.lit('1 hour')

/**
 * Suspends keys that are not suspended, and queues a second disconnect for logins that were allowed just before.
 * Returns the keys that this call suspended: if several replicas see a flood, one counts it.
 */
export async function suspendKeys(tx: Tx, users: readonly string[]): Promise<Suspension[]> {
  const strikes = sql`case when s.suspended_at > clock_timestamp() - ${FORGOTTEN_AFTER}::interval then s.strikes + 1 else 1 end`
  const { rows } = await sql<Suspension>`
    insert into reader_suspension as s (jti, org_id, until)
    select jti, org_id, clock_timestamp() + make_interval(secs => ${FIRST_SECONDS})
    from api_key where jti = any(${users}::uuid[]) and revoked_at is null order by jti
    on conflict (jti) do update set suspended_at = clock_timestamp(), strikes = ${strikes},
      until = clock_timestamp()
        + make_interval(secs => least(${LONGEST_SECONDS}, ${FIRST_SECONDS} * power(2, least(10, ${strikes}) - 1)))
      where s.until <= clock_timestamp()
    returning jti, org_id, until, strikes`.execute(tx)
  // Due when it counts as settled. The row of a revocation has the same effect, so it stays.
  await sql`
    insert into pending_disconnect (jti, next_at)
    select jti, clock_timestamp() + interval '4 seconds' from unnest(${rows.map(({ jti }) => jti)}::uuid[]) jti
    on conflict (jti) do nothing`.execute(tx)
  return rows
}

/** With this many suspended keys, the organization moves from key to key. Then all its keys are refused. */
const MOST_OF_ORGANIZATION = 5

/** Until when a key is refused; undefined if it is not. `jti` null: until when all keys of the organization are. */
export async function findSuspension(db: Db, orgId: number, jti: string | null): Promise<string | undefined> {
  const { rows } = await sql<{ until: string }>`
    select coalesce(max(until) filter (where jti = ${jti}::uuid), max(until)) as until from reader_suspension
    where org_id = ${orgId} and until > clock_timestamp()
    having bool_or(jti = ${jti}::uuid) or count(*) >= ${MOST_OF_ORGANIZATION}`.execute(db)
  return rows[0]?.until
}

/** Call in the transaction of the revocation. */
export async function deleteSuspension(tx: Tx, orgId: number, jti: string): Promise<void> {
  await tx.deleteFrom('reader_suspension').where('org_id', '=', orgId).where('jti', '=', jti).execute()
}

/** Deletes suspensions that no longer count. Returns their number, at most `limit`. */
export async function purgeSuspensions(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from reader_suspension where jti in (
      select jti from reader_suspension where suspended_at < clock_timestamp() - ${FORGOTTEN_AFTER}::interval
      order by suspended_at limit ${limit})`.execute(db)
  return Number(numAffectedRows ?? 0)
}
