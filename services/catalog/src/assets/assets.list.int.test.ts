import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { expect } from 'vitest'
import { test, type Catalog } from '../../test/catalog.fixture.ts'

const keys = async (catalog: Catalog, query: string) => {
  const res = await catalog.get(`/assets?${query}`)
  expect(res.statusCode).toBe(200)
  return res.json<{ data: AssetView[] }>().data.map((asset) => asset.external_key)
}

test('D4.11 lists are sorted by external_key and paged, with the total', async ({ catalog }) => {
  await Promise.all(['C', 'A', 'B'].map((external_key) => catalog.asset({ external_key })))
  const page = (await catalog.get('/assets?limit=2&offset=1')).json()
  expect(page).toMatchObject({ limit: 2, offset: 1, total_count: 3 })
  expect(page.data.map((asset: AssetView) => asset.external_key)).toEqual(['B', 'C'])
  expect((await catalog.get('/assets')).json()).toMatchObject({ limit: 50, offset: 0 })
  const past = (await catalog.get('/assets?offset=9007199254740991')).json()
  expect(past).toMatchObject({ data: [], total_count: 3 })
})

test('rows of a list are the views of the detail route, with their live tags', async ({ catalog }) => {
  const one = await catalog.asset({ tags: [{ tag_type: 'rfid', value: '1' }] })
  const two = await catalog.asset({ tags: [{ tag_type: 'rfid', value: '2' }] })
  await catalog.delete(`/assets/${two.id}/tags/${two.tags[0]?.id}`)
  expect((await catalog.get('/assets')).json().data).toEqual([one, { ...two, tags: [] }])
})

test('sort takes several fields and a minus, and ends with the id', async ({ catalog }) => {
  await catalog.asset({ external_key: 'A', name: 'same' })
  await catalog.asset({ external_key: 'B', name: 'same' })
  await catalog.asset({ external_key: 'C', name: 'other' })
  expect(await keys(catalog, 'sort=-name,-external_key')).toEqual(['B', 'A', 'C'])
  expect(await keys(catalog, 'sort=-created_at')).toEqual(['C', 'B', 'A'])
  const tied = (await catalog.get('/assets?sort=name')).json().data.slice(1)
  expect(tied[0].id).toBeLessThan(tied[1].id)
})

test('filters are combined; repeated ones match any of the values', async ({ catalog }) => {
  await catalog.asset({ external_key: 'A', type: 'person' })
  await catalog.asset({ external_key: 'B', type: 'inventory', is_active: false })
  await catalog.asset({ external_key: 'C' })
  expect(await keys(catalog, 'external_key=A&external_key=C&external_key=NONE')).toEqual(['A', 'C'])
  expect(await keys(catalog, 'type=person&type=inventory')).toEqual(['A', 'B'])
  expect(await keys(catalog, 'is_active=false')).toEqual(['B'])
  expect(await keys(catalog, 'is_active=true&type=asset')).toEqual(['C'])
})

test('D7.1 lists contain rows whose window contains now, active or not', async ({ catalog }) => {
  await catalog.asset({ external_key: 'NOW', is_active: false, valid_to: '2999-01-01T00:00:00Z' })
  const later = await catalog.asset({ external_key: 'LATER', valid_from: '2998-01-01T00:00:00Z' })
  await catalog.asset({
    external_key: 'OVER',
    valid_from: '2020-01-01T00:00:00Z',
    valid_to: '2021-01-01T00:00:00Z',
  })
  expect(await keys(catalog, 'include_deleted=true')).toEqual(['NOW'])
  expect((await catalog.get(`/assets/${later.id}`)).statusCode).toBe(200) // the detail route ignores the window
})

test('D7.2 include_deleted adds deleted rows', async ({ catalog }) => {
  const gone = await catalog.asset({ external_key: 'GONE', tags: [{ tag_type: 'rfid', value: 'g' }] })
  await catalog.asset({ external_key: 'LIVE' })
  await catalog.delete(`/assets/${gone.id}`)
  expect(await keys(catalog, 'include_deleted=false')).toEqual(['LIVE'])
  const [deleted, live] = (await catalog.get('/assets?include_deleted=true')).json().data
  expect(deleted).toEqual({ ...gone, deleted_at: expect.any(String), tags: [] })
  expect(live.deleted_at).toBeNull()
})

test.for([
  { q: 'FORK', finds: ['NAME'] },
  { q: 'keyed', finds: ['KEYED-9'] },
  { q: 'second%0ALINE', finds: ['DESC'] },
  { q: 'e280ab', finds: ['TAG'] },
  { q: 'ÄRGER', finds: ['UMLAUT'] },
  { q: '100%25', finds: ['PERCENT'] },
  { q: 'a_b', finds: ['UNDERSCORE'] },
  { q: '%5C', finds: ['BACKSLASH'] },
  { q: 'detached', finds: [] },
  { q: 'nowhere', finds: [] },
])('D4.11 q=$q is a literal substring, ignoring case', async ({ q, finds }, { catalog }) => {
  await catalog.asset({ external_key: 'NAME', name: 'Big Forklift' })
  await catalog.asset({ external_key: 'KEYED-9' })
  await catalog.asset({ external_key: 'DESC', name: 'd', description: 'first\nSecond\nLine' })
  const tagged = await catalog.asset({ external_key: 'TAG', tags: [{ tag_type: 'rfid', value: 'xE280AB' }] })
  const tag = await catalog.tag(`/assets/${tagged.id}`, { tag_type: 'rfid', value: 'detached' })
  await catalog.delete(`/assets/${tagged.id}/tags/${tag.id}`)
  await catalog.asset({ external_key: 'UMLAUT', name: 'Kein ärger' })
  await catalog.asset({ external_key: 'PERCENT', name: '100% wool' })
  await catalog.asset({ external_key: 'NOPERCENT', name: '1000 wool' })
  await catalog.asset({ external_key: 'UNDERSCORE', name: 'a_b' })
  await catalog.asset({ external_key: 'NOUNDERSCORE', name: 'axb' })
  await catalog.asset({ external_key: 'BACKSLASH', name: String.raw`a\b` })
  // "Forklift" is the default name of the fixture.
  const found = (await keys(catalog, `q=${q}`)).filter((key) => q !== 'FORK' || key === 'NAME')
  expect(found).toEqual(finds)
})

test('q finds nothing of another organization with the same tags', async ({ catalog, otherOrg }) => {
  await catalog.asset({ name: 'x', tags: [{ tag_type: 'rfid', value: 'SECRET' }] }, { org: otherOrg })
  expect(await keys(catalog, 'q=secret')).toEqual([])
})

test.for([
  ['limit=0', 'limit', 'too_small'],
  ['limit=201', 'limit', 'too_large'],
  ['limit=x', 'limit', 'invalid_value'],
  ['offset=-1', 'offset', 'too_small'],
  ['offset=9007199254740992', 'offset', 'too_large'],
  ['is_active=1', 'is_active', 'invalid_value'],
  ['type=robot', 'type', 'invalid_value'],
  ['external_key=a.b', 'external_key', 'invalid_value'],
  ['sort=price', 'sort', 'invalid_value'],
  ['q=a&q=b', 'q', 'invalid_value'],
  ['q=%00', 'q', 'invalid_value'],
  ['parent_id=1', 'parent_id', 'unknown_field'],
] as const)('the query %s is refused', async ([query, field, code], { catalog }) => {
  const res = await catalog.get(`/assets?${query}`)
  expect(res.statusCode).toBe(400)
  expect(res.json().error.fields).toMatchObject([{ field, code }])
})

test('broken percent encoding answers 400', async ({ catalog }) => {
  const res = await catalog.get('/assets?q=%FF')
  expect(res.json().error.type).toBe('bad_request')
})
