import { sql } from 'kysely'
import { expect } from 'vitest'
import { test } from '../../../test/catalog.fixture.ts'
import { Recorder } from '../../../test/plans/recorded.fixture.ts'
import { listDescendants } from './tree.queries.ts'

const LEVELS = 1_500
const PAGE = 200
/** A step reads an index, and a row of the page its table, parent and tags. Measured: 7. */
const BUFFERS_A_LEVEL = 14

test('a deep tree costs the same per level, also before new tables have statistics', async ({ catalog }) => {
  const { orgId, tenants, database } = catalog
  const first = orgId * 1_000_000
  await sql`alter table location set (autovacuum_enabled = false)`.execute(database.db)
  await sql`
    insert into location (org_id, id, external_key, name, parent_id)
    select ${orgId}, ${first}::bigint + i, 'L' || i, 'Level ' || i, case when i > 0 then ${first}::bigint + i - 1 end
    from generate_series(0, ${LEVELS} - 1) as i`.execute(database.db)
  const recorder = new Recorder()
  const range = { limit: PAGE, offset: LEVELS - PAGE }
  const page = await listDescendants(recorder.tenants(tenants).forOrg(orgId), orgId, first, range)
  expect(page).toMatchObject({ total: LEVELS - 1, rows: { length: PAGE - 1 } })
  const { text, values } = recorder.recorded[0]!
  const client = await database.pool.connect()
  try {
    await client.query(`begin; set local role test_catalog_tenant`)
    await client.query(`select set_config('whereabouts.org_id', $1, true)`, [orgId])
    const explain = { text: `explain (analyze, buffers, format json) ${text}`, values: [...values] }
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number } }] }>(
      explain,
    )
    expect(rows[0]!['QUERY PLAN'][0].Plan['Shared Hit Blocks']).toBeLessThan(LEVELS * BUFFERS_A_LEVEL)
  } finally {
    await client.query('rollback')
    client.release()
  }
})
