import { sql } from 'kysely'
import { expect } from 'vitest'
import { test } from '../../test/deliveries.fixture.ts'
import type { Db } from '../db.ts'
import { listAttempts } from './attempt-log.queries.ts'
import { findDelivery, listDeliveries, startAgain } from './deliveries.queries.ts'
import { getEndpoint } from './endpoint.queries.ts'
import { replay } from './replay.queries.ts'
import { countWaiting } from './stats.queries.ts'

const ROWS = 1_000_000
const MOST_REPLAYED = 100

/** A million events of the organization, and a delivery of each to its webhook; beside them those of another. */
async function populate(db: Db, owners: readonly { orgId: number; webhookId: number; rows: number }[]) {
  for (const { orgId, webhookId, rows } of owners) {
    await sql`insert into event (org_id, seq, id, type, occurred_at, recorded_at, data)
      select ${orgId}, n, md5(${orgId} || ' ' || n)::uuid, case when n % 1000 = 1 then 'asset.moved' else 'asset.created' end,
        now(), '2026-11-01T00:00:00Z'::timestamptz + n * interval '100 ms', '{"asset":{"id":1}}'
      from generate_series(1, ${rows}::int) n`.execute(db)
    await sql`insert into event_head (org_id, seq, recorded_at) values (${orgId}, ${rows}, now())`.execute(db)
    await sql`insert into delivery (org_id, webhook_id, seq, delivery_id, type, occurred_at, state, attempts, first_at, last_at,
        next_attempt_at, log)
      select ${orgId}, ${webhookId}, seq, id, type, occurred_at, case when seq % 10000 = 1 then 'waiting' else 'delivered' end, 1,
        recorded_at, recorded_at, now(), '[{"at":"2026-11-21T10:00:00.000Z","status_code":204,"error":null,"latency_ms":5}]'
      from event where org_id = ${orgId}`.execute(db)
    await sql`update webhook set moves_position = ${rows}, others_position = ${rows} where id = ${webhookId}`.execute(
      db,
    )
  }
  await sql`vacuum analyze delivery, event`.execute(db)
}

test(
  'each request reads what it shows, beside and within a million deliveries',
  { timeout: 300_000 },
  async ({ database: { db, pool }, owner, newOwner }) => {
    const small = await newOwner()
    await db.connection().execute(async (one) => {
      await sql`set statement_timeout = 0`.execute(one) // a million rows take longer than a request may
      await populate(one, [
        { ...owner, rows: ROWS },
        { ...small, rows: 100 },
      ])
      await sql`reset statement_timeout`.execute(one)
      await sql`select pg_stat_force_next_flush()`.execute(one)
    })
    const read = async () => {
      const { rows } = await pool.query<{ read: string }>(`
        select sum(coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0) + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0))
          as read from pg_statio_user_tables where relname in ('event', 'delivery', 'event_head', 'webhook')`)
      return Number(rows[0]?.read)
    }
    /** Blocks that the request reads, on a connection whose counts are flushed right after it. */
    const blocks = async (request: (db: Db) => Promise<unknown>): Promise<number> => {
      const before = await read()
      await db.connection().execute(async (one) => {
        await request(one)
        await sql`select pg_stat_force_next_flush()`.execute(one)
      })
      return (await read()) - before
    }
    const idOf = (orgId: number, n: number) =>
      sql<{ id: string }>`select md5(${orgId} || ' ' || ${n}::int)::uuid as id`
        .execute(db)
        .then(({ rows }) => rows[0]?.id ?? '')
    for (const { orgId, webhookId } of [owner, small]) {
      const rows = orgId === owner.orgId ? ROWS : 100
      const middle = await idOf(orgId, rows / 2)
      const from = new Date(Date.UTC(2026, 10, 1) + 100 * (rows - 50)).toISOString()
      const endpoint = await getEndpoint(db, orgId, webhookId)
      const types = ['asset.moved', 'asset.created']
      const requests: Record<string, (one: Db) => Promise<unknown>> = {
        page: (one) => listDeliveries(one, orgId, webhookId, {}, 51),
        'page in the middle': (one) => listDeliveries(one, orgId, webhookId, { before: rows / 2 }, 51),
        attempts: (one) => listAttempts(one, orgId, webhookId),
        detail: (one) => findDelivery(one, orgId, webhookId, middle),
        resend: (one) => startAgain(one, orgId, webhookId, middle),
        replay: (one) => replay(one, orgId, webhookId, { from, to: undefined, types }, MOST_REPLAYED),
        'too large': (one) =>
          replay(
            one,
            orgId,
            webhookId,
            { from: '2020-01-01T00:00:00Z', to: undefined, types },
            MOST_REPLAYED,
          ),
        waiting: (one) => countWaiting(one, orgId, { ...endpoint, event_types: types }),
      }
      for (const [name, request] of Object.entries(requests))
        expect(await blocks(request), `${name} of ${rows}`).toBeLessThan(2_500)
    }
  },
)
