import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../test/catalog.fixture.ts'

const keys = async (catalog: Catalog, query: string, kind = 'assets') => {
  const res = await catalog.get(`/${kind}?${query}`)
  expect(res.statusCode).toBe(200)
  const { data, total_count } = res.json<{ data: AssetView[]; total_count: number }>()
  return { keys: data.map((row) => row.external_key), total_count }
}

describe('D4.11 q', () => {
  test('counts a row once if its name and several tags match', async ({ catalog }) => {
    const tags = ['needle 1', 'needle 2'].map((value) => ({ tag_type: 'rfid' as const, value }))
    await catalog.asset({ external_key: 'A', name: 'needle', tags })
    await catalog.asset({ external_key: 'B', tags: [{ tag_type: 'ble', value: 'NEEDLE' }] })
    expect(await keys(catalog, 'q=needle')).toEqual({ keys: ['A', 'B'], total_count: 2 })
  })

  test('can be combined with filters, order and page', async ({ catalog }) => {
    const of = (external_key: string, fields = {}) =>
      catalog.asset({ external_key, name: 'needle', ...fields })
    await of('A', { type: 'person' })
    await of('B', { type: 'person', is_active: false })
    await of('C', { name: 'x', type: 'person', tags: [{ tag_type: 'rfid', value: 'needle' }] })
    await of('D', { valid_to: '2001-01-01T00:00:00Z', valid_from: '2000-01-01T00:00:00Z' })
    const gone = await of('E', { type: 'person' })
    await catalog.delete(`/assets/${gone.id}`)
    expect((await keys(catalog, 'q=needle')).keys).toEqual(['A', 'B', 'C'])
    expect((await keys(catalog, 'q=needle&is_active=true')).keys).toEqual(['A', 'C'])
    expect((await keys(catalog, 'q=needle&type=asset')).keys).toEqual([])
    expect((await keys(catalog, 'q=needle&external_key=B&external_key=D')).keys).toEqual(['B'])
    expect((await keys(catalog, 'q=needle&include_deleted=true')).keys).toEqual(['A', 'B', 'C', 'E'])
    expect((await keys(catalog, 'q=needle&sort=-name,-external_key')).keys).toEqual(['C', 'B', 'A'])
    const page = 'q=needle&sort=-created_at'
    expect(await keys(catalog, `${page}&limit=1&offset=1`)).toEqual({ keys: ['B'], total_count: 3 })
    expect(await keys(catalog, `${page}&offset=3`)).toEqual({ keys: [], total_count: 3 })
  })

  // These are shorter than a trigram, so no index helps.
  test.for(['é', 'xy', '%', '_', '\\', ' '])('finds %j alone', async (q, { catalog }) => {
    await catalog.asset({ external_key: 'NAME', name: `a${q}b` })
    await catalog.asset({ external_key: 'TAG', tags: [{ tag_type: 'rfid', value: `a${q}b`.toUpperCase() }] })
    await catalog.asset({ external_key: 'NEITHER' })
    expect((await keys(catalog, `q=${encodeURIComponent(q)}`)).keys).toEqual(['NAME', 'TAG'])
  })

  test.for([
    ['Ku\u0308hlgera\u0308t', 'KÜHLGERÄT'],
    ['Kühlgerät', 'ku\u0308hl'],
    ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['Ｐａｌｌｅｔ ﬁve', 'pallet five'],
    ['100％', '0%'],
    ['H\u0331at', '\u1E96AT'],
    ['Gro\u1E9Ee', 'große'],
  ] as const)('D19.2 %j is found by %j, also in a description and a tag', async ([text, q], { catalog }) => {
    const made = await catalog.asset({ external_key: 'NAME', name: text })
    expect(made.name).toBe(text)
    await catalog.asset({ external_key: 'DESC', description: `of ${text}` })
    await catalog.asset({ external_key: 'TAG', tags: [{ tag_type: 'ble', value: text }] })
    await catalog.asset({ external_key: 'X', name: '100x' })
    const { id } = await catalog.asset({ external_key: 'LATER' })
    await catalog.patch(`/assets/${id}`, { name: text })
    expect((await keys(catalog, `q=${encodeURIComponent(q)}`)).keys).toEqual(['DESC', 'LATER', 'NAME', 'TAG'])
    await catalog.location({ external_key: 'PLACE', name: text })
    expect((await keys(catalog, `q=${encodeURIComponent(q)}`, 'locations')).keys).toEqual(['PLACE'])
  })

  test.for([
    ['Straße', 'strasse'],
    ['100x', '％'],
    ['a_b', '＼'],
  ] as const)('D19.2 %j is not found by %j', async ([name, q], { catalog }) => {
    await catalog.asset({ name })
    expect((await keys(catalog, `q=${encodeURIComponent(q)}`)).keys).toEqual([])
  })

  test('empty finds all rows', async ({ catalog }) => {
    await catalog.asset({ external_key: 'A' })
    await catalog.asset({ external_key: 'B', tags: [{ tag_type: 'rfid', value: 'x' }] })
    expect(await keys(catalog, 'q=')).toEqual({ keys: ['A', 'B'], total_count: 2 })
  })

  test('searches locations too, without the tags of assets', async ({ catalog }) => {
    const root = await catalog.location({ external_key: 'ROOT', name: 'root' })
    await catalog.location({ external_key: 'NAME', name: 'The Needle', parent_id: root.id })
    await catalog.location({ external_key: 'TAG', tags: [{ tag_type: 'rfid', value: 'needle' }] })
    await catalog.asset({ tags: [{ tag_type: 'ble', value: 'needle' }] })
    expect((await keys(catalog, 'q=NEEDLE', 'locations')).keys).toEqual(['NAME', 'TAG'])
    expect((await keys(catalog, 'q=needle&parent_id=' + root.id, 'locations')).keys).toEqual(['NAME'])
    expect((await keys(catalog, 'q=needle&parent_external_key=ROOT', 'locations')).keys).toEqual(['NAME'])
  })
})

describe.for(['own_asset', 'own_location', 'own_tag'])('the view %s, which searches read,', (view) => {
  const read = async (catalog: Catalog, org: number) => {
    const rows = sql<{
      org_id: number
      search_text: string
    }>`select org_id, search_text from ${sql.table(view)}`
    return (await rows.execute(catalog.tenants.forOrg(org))).rows
  }

  test("contains only rows of the session's organization", async ({ catalog, otherOrg }) => {
    for (const org of [catalog.orgId, otherOrg]) {
      const value = `tag of ${org}`
      await catalog.asset({ name: `asset of ${org}`, tags: [{ tag_type: 'rfid', value }] }, { org })
      await catalog.location({ name: `location of ${org}` }, { org })
    }
    for (const org of [catalog.orgId, otherOrg]) {
      const rows = await read(catalog, org)
      expect(rows).toHaveLength(1)
      expect(rows[0]).toMatchObject({ org_id: org, search_text: expect.stringContaining(`of ${org}`) })
    }
    const query = sql`select from ${sql.table(view)} where org_id = ${otherOrg}`
    expect((await query.execute(catalog.tenants.forOrg(catalog.orgId))).rows).toEqual([])
  })

  test('cannot be read without an organization, and not be written', async ({ catalog }) => {
    const { pool } = catalog.database
    const asTenant = async (statement: string) => {
      const client = await pool.connect()
      try {
        await client.query('begin')
        await client.query('set local role test_catalog_tenant')
        return await client.query(statement)
      } finally {
        await client.query('rollback')
        client.release()
      }
    }
    await expect(asTenant(`select from ${view}`)).rejects.toThrow('whereabouts.org_id')
    await expect(asTenant(`delete from ${view}`)).rejects.toThrow('permission denied')
    await expect(asTenant(`update ${view} set deleted_at = now()`)).rejects.toThrow('permission denied')
    await expect(asTenant(`insert into ${view} (org_id) values (1)`)).rejects.toThrow('permission denied')
  })
})
