import { buffersOfFixedPlan } from '@whereabouts/testing/database/fixed-plan'
import { PostgresQueryCompiler, sql, type CompiledQuery, type KyselyPlugin } from 'kysely'
import { expect } from 'vitest'
import { test } from '../../test/events.fixture.ts'
import type { Db } from '../db.ts'
import { readEvents } from './events.queries.ts'

const [LARGE, SMALL, ROWS] = [1, 2, 1_000_000]
/** A page of 50 with its index pages; the rows of 5 000 events that a filter passes over. */
const MOST = { page: 500, filtered: 1_500 }

async function populate(db: Db): Promise<void> {
  for (let from = 0; from < ROWS; from += ROWS / 10)
    await sql`insert into event (org_id, seq, id, type, occurred_at, recorded_at, data)
    select case when n % 10000 = 0 then ${SMALL}::int else ${LARGE}::int end, n, gen_random_uuid(),
      case when n % 1000 = 1 then 'asset.moved' else 'asset.created' end, now(), now(), '{"asset":{"name":"Forklift"}}'
    from generate_series(${from + 1}::int, ${from + ROWS / 10}::int) n`.execute(db)
  await sql`insert into event_head (org_id, seq, recorded_at) select org_id, max(seq), now() from event group by org_id`.execute(
    db,
  )
  await sql`vacuum analyze event`.execute(db)
}

test(
  'one plan for all organizations reads only the page, beside and within a million events',
  { timeout: 180_000 },
  async ({ database, tenants }) => {
    await populate(database.db)
    const read = async (orgId: number, after: number, types?: string[]) => {
      const asked: CompiledQuery[] = []
      const recorder: KyselyPlugin = {
        transformQuery({ node, queryId }) {
          asked.push(new PostgresQueryCompiler().compileQuery(node, queryId))
          return node
        },
        transformResult: async ({ result }) => result,
      }
      const wanted = { after, types, most: 51, mostRead: types ? 5_000 : 51 }
      const { rows } = await readEvents(tenants.forOrg(orgId).withPlugin(recorder), orgId, wanted)
      const [{ sql: text, parameters: values } = { sql: '', parameters: [] }] = asked
      const role = 'test_webhooks_tenant'
      return {
        rows: rows.length,
        buffers: await buffersOfFixedPlan(database.pool, { role, orgId, text, values }),
      }
    }
    const places = [
      [LARGE, 0],
      [LARGE, 500_000],
      [LARGE, 999_000],
      [SMALL, 0],
    ] as const
    for (const [orgId, after] of places) {
      const place = `organization ${orgId} after ${after}`
      const page = await read(orgId, after)
      expect([place, page.rows]).toEqual([place, 51])
      expect(page.buffers, place).toBeLessThan(MOST.page)
      const filtered = await read(orgId, after, ['asset.moved'])
      expect(filtered.buffers, `${place}, filtered`).toBeLessThan(MOST.filtered)
    }
  },
)
