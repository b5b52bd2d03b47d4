import { buffersOfFixedPlan } from '@whereabouts/testing/database/fixed-plan'
import { CompiledQuery, sql } from 'kysely'
import { expect } from 'vitest'
import { test, type Catalog } from '../../test/catalog.fixture.ts'
import { Recorder } from '../../test/plans/recorded.fixture.ts'
import { listAssets, listAssetTexts } from '../assets/assets.lists.ts'
import { TEXT_VERSION } from '../assets/texts/texts.ts'

const LARGE = 8_000
const PAGE = 50
/** A row of the page reads two index pages and its own, and so do its tags. Skipping and counting read one index. */
const MOST_BUFFERS = 600

test.for([
  ['among many small ones, for which the plan is made', 3_000],
  ['that is the only one', 0],
] as const)(
  'one plan for all organizations reads only the page of a large one %s',
  async ([, small], { catalog }) => {
    const { orgId, tenants, database } = catalog
    await populate(catalog, small)
    const recorder = new Recorder()
    const range = { limit: PAGE, offset: 4_000 }
    const page = await listAssets(recorder.tenants(tenants).forOrg(orgId), orgId, range)
    expect(page).toMatchObject({ total: LARGE, rows: { length: PAGE } })
    expect(page.rows.every(({ tags }) => tags.length === 1)).toBe(true)
    const { text, values } = recorder.recorded[0]!
    const asked = { role: 'test_catalog_tenant', orgId, text, values }
    expect(await buffersOfFixedPlan(database.pool, asked)).toBeLessThan(MOST_BUFFERS)
  },
)

test.for([
  ['among many small ones', 3_000],
  ['that is the only one', 0],
] as const)(
  'a page of texts reads less than one of rows in a large organization %s',
  async ([, small], { catalog }) => {
    const { orgId, tenants, database } = catalog
    await populate(catalog, small)
    await sql`insert into asset_text (org_id, id, version, text)
    select org_id, id, ${TEXT_VERSION}, '{"id":' || id || '}' from asset where org_id >= ${orgId} on conflict do nothing`.execute(
      database.db,
    )
    await sql`vacuum analyze asset_text`.execute(database.db)
    const range = { limit: PAGE, offset: 4_000 }
    const buffersOf = async (list: typeof listAssets | typeof listAssetTexts) => {
      const recorder = new Recorder()
      const page = await list(recorder.tenants(tenants).forOrg(orgId), orgId, range)
      const { text, values } = recorder.recorded[0]!
      const buffers = await buffersOfFixedPlan(database.pool, {
        role: 'test_catalog_tenant',
        orgId,
        text,
        values,
      })
      return { page, buffers }
    }
    const { page, buffers } = await buffersOf(listAssetTexts)
    expect(page).toMatchObject({ total: LARGE, missing: null })
    expect(buffers).toBeLessThan((await buffersOf(listAssets)).buffers)
  },
)

type Explained = { 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }] }

test.for([['id'], ['tag']] as const)(
  'D12.5 %s reads only the rows that it names in a large organization',
  async ([filter], { catalog }) => {
    const { orgId, tenants } = catalog
    const ids = await populate(catalog, 0)
    const tag = ids.map((id) => ({ tag_type: 'rfid' as const, value: `t-${id}` }))
    const recorder = new Recorder()
    const query = { limit: 1, offset: 1, ...(filter === 'id' ? { id: ids } : { tag }) }
    const page = await listAssets(recorder.tenants(tenants).forOrg(orgId), orgId, query)
    expect(page).toMatchObject({ total: ids.length, rows: [{ id: ids[1] }] })
    const { text, values } = recorder.recorded[0]!
    expect(text).toContain('/* custom plan */')
    const explain = CompiledQuery.raw(`explain (analyze, buffers, format json) ${text}`, [...values])
    const { rows } = await tenants.forOrg(orgId).executeQuery<Explained>(explain)
    const plan = rows[0]!['QUERY PLAN'][0].Plan
    expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']).toBeLessThan(MOST_BUFFERS)
  },
)

test('D12.5 a search among many rows with equal tags looks each up in a hash table', async ({ catalog }) => {
  const { orgId, tenants, database } = catalog
  await populate(catalog, 0)
  await sql`update tag set match_value = 'SAME' where org_id = ${orgId}`.execute(database.db)
  await sql`vacuum analyze tag`.execute(database.db)
  const recorder = new Recorder()
  const query = { limit: 1, offset: 0, q: 'asset', tag: [{ tag_type: 'rfid' as const, value: 's-ame' }] }
  const page = await listAssets(recorder.tenants(tenants).forOrg(orgId), orgId, query)
  expect(page.total).toBe(LARGE)
  const { text, values } = recorder.recorded[0]!
  const explain = CompiledQuery.raw(`explain ${text}`, [...values])
  const { rows } = await tenants.forOrg(orgId).executeQuery<{ 'QUERY PLAN': string }>(explain)
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  expect(plan).toMatch(/Filter: .*asset_1\.id = \(hashed SubPlan/)
})

/** Makes a large organization, and `small` ones with one asset. The ids of three assets of the large one. */
async function populate({ orgId, database: { db } }: Catalog, small: number): Promise<number[]> {
  const first = orgId * 1_000_000
  await sql`
    insert into asset (org_id, id, external_key, name, valid_from)
    select org, ${first}::bigint + i, 'A' || lpad(i::text, 6, '0'), 'Asset', '2020-01-01' from (
      select ${orgId}::bigint as org, i from generate_series(1, ${LARGE}) as i
      union all select ${first}::bigint + i, ${LARGE} + i from generate_series(1, ${small}) as i) as made`.execute(
    db,
  )
  await sql`
    insert into tag (org_id, asset_id, tag_type, value, match_value)
    select org_id, id, 'rfid', 'T' || id, 'T' || id from asset where id > ${first}`.execute(db)
  await sql`vacuum analyze asset, tag`.execute(db)
  return [first + 1, first + LARGE / 2, first + LARGE]
}
