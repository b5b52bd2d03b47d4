import type { DeliveryView } from '@whereabouts/contracts/resources/webhooks/webhooks'
import { sql } from 'kysely'
import type { Db } from '../db.ts'
import type { PostResult } from '../receivers/http-post.ts'

/** Attempts kept per organization (D11.7). */
export const LOG_SIZE = 500

export type Outcome = 'delivered' | 'failed'

export type AttemptRecord = Omit<DeliveryView, 'outcome'> & { webhook_id: number; outcome: Outcome }

type Attempt = Pick<AttemptRecord, 'webhook_id' | 'delivery_id' | 'attempt' | 'test'> & {
  attemptedAt: number
}

/** The log entry of an attempt that began at `attemptedAt`, in milliseconds since 1970. */
export const attemptRecord = ({ attemptedAt, ...attempt }: Attempt, result: PostResult): AttemptRecord => ({
  ...attempt,
  attempted_at: new Date(attemptedAt).toISOString(),
  outcome: result.error === undefined ? 'delivered' : 'failed',
  status_code: result.statusCode ?? null,
  latency_ms: result.latencyMs,
  error: result.error ?? null,
})

/** See recordAttempts. */
export const recordAttempt = (db: Db, orgId: number, attempt: AttemptRecord): Promise<void> =>
  recordAttempts(db, [{ ...attempt, org_id: orgId }])

/**
 * Writes at most LOG_SIZE attempts in their order. Each replaces the attempt that its organization made 500 attempts
 * earlier, by primary key, so that nothing needs trimming.
 */
export async function recordAttempts(
  db: Db,
  attempts: readonly (AttemptRecord & { org_id: number })[],
): Promise<void> {
  // The row locks of the counters are held until the commit, so that a slot has one writer at a time.
  await sql`
    with made as (
      select * from rows from (jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb) as (
        org_id bigint, webhook_id bigint, delivery_id uuid, attempt smallint, attempted_at timestamptz, outcome text,
        status_code smallint, latency_ms integer, error text, test boolean)) with ordinality
        as r (org_id, webhook_id, delivery_id, attempt, attempted_at, outcome, status_code, latency_ms, error, is_test,
        nth)
    ), counted as (
      insert into delivery_counter as c (org_id, attempts)
      select org_id, count(*) from made group by org_id order by org_id
      on conflict (org_id) do update set attempts = c.attempts + excluded.attempts
      returning org_id, attempts
    ), placed as (
      select m.*, c.attempts + 1 - row_number() over (partition by m.org_id order by m.nth desc) as position
      from made m join counted c using (org_id)
    )
    insert into delivery_attempt (org_id, slot, position, webhook_id, delivery_id, attempt, attempted_at, outcome,
      status_code, latency_ms, error, is_test)
    select org_id, position % ${LOG_SIZE}::int, position, webhook_id, delivery_id, attempt, attempted_at, outcome,
      status_code, latency_ms, error, is_test
    from placed
    on conflict (org_id, slot) do update set (position, webhook_id, delivery_id, attempt, attempted_at, outcome,
      status_code, latency_ms, error, is_test) = (excluded.position, excluded.webhook_id, excluded.delivery_id,
      excluded.attempt, excluded.attempted_at, excluded.outcome, excluded.status_code, excluded.latency_ms,
      excluded.error, excluded.is_test)`.execute(db)
}

export type Progress = { attempts: number; webhookId: number | undefined; delivered: boolean }

/** The logged attempts of a delivery, and their webhook. Without any, `attempts` is 0. */
export async function findProgress(db: Db, orgId: number, deliveryId: string): Promise<Progress> {
  const { attempts, webhook_id, delivered } = await db
    .selectFrom('delivery_attempt')
    .select((e) => [
      e.fn.coalesce(e.fn.max('attempt'), e.lit(0)).as('attempts'),
      sql<number | null>`min(webhook_id)`.as('webhook_id'),
      sql<boolean>`coalesce(bool_or(outcome = 'delivered'), false)`.as('delivered'),
    ])
    .where('org_id', '=', orgId)
    .where('delivery_id', '=', deliveryId)
    .executeTakeFirstOrThrow()
  return { attempts, webhookId: webhook_id ?? undefined, delivered }
}

/** Newest first. */
export function listAttempts(
  db: Db,
  orgId: number,
  webhookId: number,
  page: { limit: number; offset: number },
): Promise<DeliveryView[]> {
  return db
    .selectFrom('delivery_attempt')
    .select(['delivery_id', 'attempt', 'attempted_at', 'outcome', 'status_code', 'latency_ms', 'error'])
    .select('is_test as test')
    .where('org_id', '=', orgId)
    .where('webhook_id', '=', webhookId)
    .orderBy('position', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute()
}
