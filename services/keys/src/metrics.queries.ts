import { sql } from 'kysely'
import type { Db } from './db.ts'

type Counts = {
  subscriptions: Record<string, number>
  /** Seconds; null while there is no key. */
  signing_key_age: number | null
  /** Seconds; null if nothing is pending. */
  oldest_revocation: number | null
  mails: number
  /** Seconds; null if none waits. */
  oldest_mail: number | null
}

/** Reads all organizations, so only for a background job. */
export async function countEverything(db: Db): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select
      (select coalesce(jsonb_object_agg(state, orgs), '{}') from (
        select case when subscription_ends_at is null then 'open_ended'
                    when subscription_ends_at <= clock_timestamp() then 'lapsed'
                    when subscription_ends_at <= clock_timestamp() + interval '14 days' then 'ends_within_14_days'
                    else 'ends_later' end as state, count(*) as orgs
        from org group by 1) counted) as subscriptions,
      (select extract(epoch from clock_timestamp() - max(activated_at))::float8
        from signing_key where state = 'active') as signing_key_age,
      (select extract(epoch from clock_timestamp() - min(created_at))::float8
        from pending_disconnect) as oldest_revocation,
      (select count(*)::int8 from mail) as mails,
      (select extract(epoch from clock_timestamp() - min(created_at))::float8 from mail) as oldest_mail`.execute(
    db,
  )
  const [counts] = rows
  if (!counts) throw new Error('the count has no row')
  return counts
}
