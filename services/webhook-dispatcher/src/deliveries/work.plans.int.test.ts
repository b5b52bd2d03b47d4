import { openDatabase } from '@whereabouts/db/connect/database'
import { urlAs } from '@whereabouts/db/tenant/service-roles'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { addWebhook, test } from '../../test/dispatcher.fixture.ts'
import type { Db, Tables } from '../db.ts'
import { claimEndpoints } from './claims.queries.ts'
import { findWork } from './work.queries.ts'

const ROWS = 200_000
const WORKER = '00000000-0000-4000-8000-000000000001'

test(
  'a look for work reads what it finds, beside 200 000 deliveries',
  { timeout: 120_000 },
  async ({ database, orgId, newOrg }) =>
    database.db.connection().execute(async (db) => {
      const one = openDatabase<Tables>(urlAs('worker', database.url), { max: 1, plansOnce: true })
      const ids = [
        await addWebhook(db, orgId, 'https://a.example/'),
        await addWebhook(db, newOrg(), 'https://b.example/'),
      ]
      await db.updateTable('webhook').set({ moves_position: 0, others_position: 0 }).execute()
      const claim = { worker: WORKER, leaseMs: 600_000, orgIds: undefined, most: 10 }
      const asked = ids.map(({ id }) => ({ id, moves: ROWS - 5, others: ROWS, want: 4, running: 0 }))
      const look = async () => {
        await claimEndpoints(one.db, claim)
        return findWork(one.db, WORKER, asked)
      }
      await look()
      await sql`insert into event (org_id, seq, id, type, occurred_at, recorded_at, data)
      select ${orgId}, n, gen_random_uuid(), 'asset.moved', now(), now(), '{}' from generate_series(1, ${ROWS}::int) n`.execute(
        db,
      )
      await sql`insert into event_head (org_id, seq, recorded_at) values (${orgId}, ${ROWS}, now())`.execute(
        db,
      )
      // A tenth waits for later, all others are delivered.
      await sql`insert into delivery (org_id, webhook_id, seq, delivery_id, type, occurred_at, state, attempts, last_at, next_attempt_at)
      select org_id, ${ids[0]?.id}, seq, id, type, now(), case when seq % 10 = 0 then 'waiting' else 'delivered' end, 1, now(),
        case when seq % 10 = 0 then now() + interval '1 hour' end
      from event where seq <= ${ROWS - 5}`.execute(db)
      await sql`analyze event, delivery`.execute(db) // as autovacuum does
      const read = async () => {
        const { rows } = await sql<{ read: number }>`
        select sum(coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0) + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0))::float8
          as read from pg_statio_user_tables where relname in ('event', 'delivery', 'event_head', 'webhook')`.execute(
          db,
        )
        return rows[0]?.read ?? 0
      }
      const flush = (which: Db) => sql`select pg_stat_force_next_flush()`.execute(which)
      await flush(db)
      await flush(one.db)
      await look() // makes the plans again, which reads the tables too
      await flush(one.db)
      const before = await read()
      const found = await look()
      await flush(one.db)
      expect(found.find(({ target }) => target.id === ids[0]?.id)?.work.map(({ seq }) => seq)).toEqual(
        [4, 3, 2, 1].map((n) => ROWS - n),
      )
      expect((await read()) - before).toBeLessThan(500)
      await one.close()
    }),
)
