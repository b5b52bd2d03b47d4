import { sql } from 'kysely'
import { expect } from 'vitest'
import { test, type Catalog } from '../../test/catalog.fixture.ts'
import { listConditions } from './conditions.ts'
import { filtered } from './filtered.ts'

const ASSETS = 200
const LONG_TEXTS = 2_000

type PlanNode = {
  'Relation Name'?: string
  'Index Name'?: string
  'Actual Loops': number
  Plans?: PlanNode[]
}
const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

test('a search reads the tags once, also before new tables have statistics', async ({ catalog }) => {
  const { orgId, database } = catalog
  await catalog.asset({ tags: [{ tag_type: 'rfid', value: 'first' }] })
  await sql`
    with made as (
      insert into asset (org_id, external_key, name, type, valid_from)
      select ${orgId}, 'A-' || n, 'Asset', 'asset', '2020-01-01' from generate_series(1, ${ASSETS}) n
      returning id)
    insert into tag (org_id, asset_id, tag_type, value, match_value)
    select ${orgId}, id, 'rfid', 'T-' || id, 'T' || id from made`.execute(database.db)
  const scans = (await planOfSearch(catalog, 't-')).filter((node) => node['Relation Name'] === 'tag')
  expect(scans.map((scan) => scan['Actual Loops'])).toEqual([1])
})

test('a search of long texts uses the index, also before new tables have statistics', async ({ catalog }) => {
  const { orgId, database } = catalog
  await sql`alter table asset set (autovacuum_enabled = false)`.execute(database.db)
  await sql`
    insert into asset (org_id, external_key, name, description)
    select ${orgId}, 'W' || n, 'Crate', repeat('aaa ', 250) || n from generate_series(1, ${LONG_TEXTS}) n`.execute(
    database.db,
  )
  const indexes = (await planOfSearch(catalog, 'aaaa aaab')).flatMap((node) => node['Index Name'] ?? [])
  expect(indexes).toContain('asset_found')
})

async function planOfSearch({ orgId, tenants }: Catalog, q: string): Promise<PlanNode[]> {
  const query = filtered(orgId, {
    table: 'asset',
    conditions: listConditions(orgId, 'asset', {}),
    q,
    sort: [{ field: 'name', descending: false }],
  })({ limit: 50, offset: 0 })
  const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>`
    explain (analyze, format json) with ${query.with} select * from (${query.page}) as page`.execute(
    tenants.forOrg(orgId),
  )
  return nodesOf(rows[0]!['QUERY PLAN'][0].Plan)
}
