import type pg from 'pg'
import type { Pipeline } from '../tenant/pipeline.ts'

/**
 * A token bucket. Its whole state is the time at which it is full again. A take moves that time by the time of one
 * token, and is refused if the bucket would then need longer to fill than its capacity allows.
 */
export type Rate = { capacity: number; secondsPerToken: number }

export type Take = { taken: boolean; secondsUntilFull: number }

/** Seconds until the next take can succeed; 0 or less if it can now. */
export const secondsUntilToken = (rate: Rate, secondsUntilFull: number): number =>
  secondsUntilFull - (rate.capacity - 1) * rate.secondsPerToken

/**
 * One statement decides under the lock of the bucket's row, so that all replicas together grant exactly the tokens of
 * the bucket. `taken` compares the old and the new value: computing it from another clock reading could grant without
 * deducting. A refusal changes nothing.
 */
const TAKE = `
  insert into rate_bucket as b (key, full_at) values ($1, clock_timestamp() + make_interval(secs => $3))
  on conflict (key) do update set full_at =
    case when b.full_at <= clock_timestamp() + make_interval(secs => ($2 - 1) * $3)
         then greatest(b.full_at, clock_timestamp()) + make_interval(secs => $3) else b.full_at end
  returning old.full_at is distinct from new.full_at as taken,
            extract(epoch from new.full_at - clock_timestamp())::float8 as seconds_until_full`

/** Takes a token, or leaves the bucket as it is. Prepared once per connection. */
export async function takeToken(db: Pick<Pipeline, 'query'>, bucket: string, rate: Rate): Promise<Take> {
  const { rows } = await db.query<{ taken: boolean; seconds_until_full: number }>({
    name: 'take_token',
    text: TAKE,
    values: [bucket, rate.capacity, rate.secondsPerToken],
  })
  const [row] = rows
  if (!row) throw new Error('taking a token returned no row')
  return { taken: row.taken, secondsUntilFull: row.seconds_until_full }
}

/** Returns a token. If the bucket is full meanwhile, nothing changes. */
export async function returnToken(db: Pick<Pipeline, 'query'>, bucket: string, rate: Rate): Promise<void> {
  await db.query({
    name: 'return_token',
    text: `update rate_bucket set full_at = full_at - make_interval(secs => $2) where key = $1`,
    values: [bucket, rate.secondsPerToken],
  })
}

/** Deletes buckets that have been full for an hour: a missing row means a full bucket. */
export async function deleteFullBuckets(pool: pg.Pool): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from rate_bucket where full_at < clock_timestamp() - interval '1 hour'`,
  )
  return rowCount ?? 0
}
