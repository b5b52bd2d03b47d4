import { routesOf } from '@whereabouts/contracts/routes'
import { expect } from 'vitest'
import { test, type Planned, type Plans } from './plans.fixture.ts'

// The fixture sends all requests and explains their statements, within the first test.
const slow = { timeout: 120_000 }

/** Indexes of keys, pages, orders, trees, and searches with at least three characters. */
const INDEXES = [
  'asset_pkey', 'asset_listed', 'asset_by_external_key', 'asset_by_name', 'asset_by_created_at', 'asset_by_updated_at',
  'asset_key_number', 'asset_found', 'asset_count_pkey', 'asset_ended', 'asset_not_begun',
  'location_pkey', 'location_by_external_key', 'location_by_name', 'location_by_created_at', 'location_by_updated_at',
  'location_key_number', 'location_siblings', 'location_search',
  'tag_pkey', 'tag_of_asset', 'tag_of_location', 'tag_match', 'tag_found',
] // oxfmt-ignore

const wholeTables = ({ planned, tables }: Plans, kind: 'scans' | 'genericScans') =>
  planned.flatMap(({ during, text, [kind]: scans }) =>
    scans
      .filter(({ type, table }) => type === 'Seq Scan' && tables.has(table))
      .map((scan) => ({ during, text, scan })),
  )

const indexesOf = (planned: readonly Planned[]) =>
  new Set(planned.flatMap(({ scans }) => scans.flatMap(({ index }) => index ?? [])))

test('the requests cover every operation and succeed', slow, ({ plans: { sent } }) => {
  expect(new Set(sent.map(({ operation }) => operation))).toEqual(
    new Set(routesOf('catalog').map(([id]) => id)),
  )
  expect(sent.filter(({ status }) => status >= 300)).toEqual([])
})

test('no statement of a request reads the rows of all organizations', slow, ({ plans }) => {
  expect(plans.planned.length).toBeGreaterThan(100)
  expect(wholeTables(plans, 'scans')).toEqual([])
})

test('no prepared statement reads the rows of all organizations', slow, ({ plans }) => {
  expect(wholeTables(plans, 'genericScans')).toEqual([])
})

test('every index is used', slow, ({ plans: { planned } }) => {
  const used = indexesOf(planned)
  expect(INDEXES.filter((index) => !used.has(index))).toEqual([])
})

test.for([
  ['/assets?offset=250', ['asset_listed', 'asset_ended', 'asset_not_begun']],
  ['/assets?is_active=false', ['asset_listed', 'asset_listed']],
] as const)('%s counts and skips rows with index-only scans', slow, ([path, indexes], { plans }) => {
  const page = plans.planned.find(({ during }) => during === `listAssets ${path}`)
  for (const kind of ['scans', 'genericScans'] as const) {
    const found = page?.[kind].filter(({ type }) => type === 'Index Only Scan').map(({ index }) => index)
    expect(found?.toSorted()).toEqual([...indexes].toSorted())
  }
})

test.for(['asset', 'location'])('D4.11 a search of %ss uses an index', slow, (kind, { plans }) => {
  const searches = plans.planned.filter(({ during }) => during.includes(`/${kind}s?q=serial`))
  const used = indexesOf(searches)
  expect(used).toContain(kind === 'asset' ? 'asset_found' : 'location_search')
  expect(used).toContain('tag_found')
})

test.for([
  ['/assets?id=', 'asset_pkey'],
  ['/assets?tag=', 'tag_match'],
  ['/locations?id=', 'location_pkey'],
  ['/locations?tag=', 'tag_match'],
  ['/locations?is_root=true', 'location_siblings'],
] as const)('D12.5 %s finds its rows with %s', slow, ([path, index], { plans }) => {
  const pages = plans.planned.filter(({ during }) => during.includes(` ${path}`))
  expect(indexesOf(pages)).toContain(index)
})
