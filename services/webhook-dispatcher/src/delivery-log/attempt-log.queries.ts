import type { DeliveryView } from '@whereabouts/contracts/resources/webhooks/webhooks'
import { sql } from 'kysely'
import type { Attempt, Db } from '../db.ts'
import type { PostResult } from '../receivers/http-post.ts'
import type { Payload } from '../receivers/payload.ts'

/** Attempts that are listed (D11.7). */
export const LISTED_ATTEMPTS = 500

/** An attempt that began at `attemptedAt`, in milliseconds since 1970, as the log of a delivery has it. */
export const attemptOf = (attemptedAt: number, result: PostResult): Attempt => ({
  at: new Date(attemptedAt).toISOString(),
  status_code: result.statusCode ?? null,
  error: result.error ?? null,
  latency_ms: result.latencyMs,
})

/** The last attempts of a webhook, newest first. */
export async function listAttempts(db: Db, orgId: number, webhookId: number): Promise<DeliveryView[]> {
  // A delivery was last attempted no earlier than each of its attempts, so the newest attempts are in these rows.
  const { rows } = await sql<DeliveryView>`
    with tried as (
      select seq, delivery_id, is_test, log from delivery
      where org_id = ${orgId} and webhook_id = ${webhookId} and log <> '[]'
      order by last_at desc limit ${LISTED_ATTEMPTS}
    )
    select t.delivery_id, a.nth::int as attempt, a.at as attempted_at,
      case when a.error is null then 'delivered' else 'failed' end as outcome, a.status_code, a.latency_ms, a.error,
      t.is_test as test
    from tried t cross join lateral rows from (jsonb_to_recordset(t.log) as (
      at text, status_code int, error text, latency_ms int)) with ordinality a (at, status_code, error, latency_ms, nth)
    order by a.at desc, t.seq desc, a.nth desc limit ${LISTED_ATTEMPTS}`.execute(db)
  return rows
}

/** Logs a test event, which was one attempt. It is in no feed, so its number is the time, below all others. */
export async function recordTest(
  db: Db,
  orgId: number,
  webhookId: number,
  { deliveryId, event, timestamp }: Payload,
  attempt: Attempt,
): Promise<void> {
  await sql`
    insert into delivery (org_id, webhook_id, seq, delivery_id, type, occurred_at, state, attempts, first_at, last_at,
      is_test, log)
    values (${orgId}, ${webhookId}, -(extract(epoch from clock_timestamp()) * 1000000)::bigint, ${deliveryId}, ${event},
      to_timestamp(${timestamp}::float8), ${attempt.error === null ? 'delivered' : 'failed'}, 1,
      ${attempt.at}::timestamptz, ${attempt.at}::timestamptz, true, ${JSON.stringify([attempt])}::jsonb)`.execute(
    db,
  )
}
