import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import type { LookupRow } from '@whereabouts/contracts/resources/catalog/lookup'
import { sql, type Kysely } from 'kysely'
import { expect } from 'vitest'
import { up as respell } from '../../migrations/0028_beacon_spellings.ts'
import type { Catalog } from '../../test/catalog.fixture.ts'
import { test } from '../../test/imports.fixture.ts'

const UUID = '5d1f0c3a-77aa-4c4e-9b1e-0a1b2c3d4e5f'
const VIEW = `${UUID}/100/7`
const SPELLINGS = [
  VIEW,
  `${UUID.toUpperCase()}/100/7`,
  `iBeacon:${UUID}-100-7`,
  `${UUID.replaceAll('-', '')}_100_7`,
  `{${UUID}}:100:7`,
  `${UUID.replaceAll('-', '')}00640007`,
]
const ble = (value: string) => ({ tag_type: 'ble' as const, value })

const found = async (catalog: Catalog, value: string) => {
  const query = new URLSearchParams({ tag: `ble:${value}` })
  const res = await catalog.get(`/assets?${query.toString()}`)
  return res.json<{ data: AssetView[] }>().data.map(({ name }) => name)
}
const looked = async (catalog: Catalog, value: string) => {
  const [row] = (await catalog.post('/lookup', { values: [value] })).json<{ data: LookupRow[] }>().data
  return row?.matches.map(({ name }) => name)
}

test('D19.3 a beacon has one spelling, however and wherever a person writes it', async ({
  catalog,
  imports,
}) => {
  for (const spelling of SPELLINGS) {
    const { id, tags } = await catalog.asset({ name: 'Cart', tags: [ble(spelling)] })
    expect(tags).toMatchObject([ble(VIEW)])
    for (const value of SPELLINGS) {
      expect(await found(catalog, value)).toEqual(['Cart'])
      expect(await looked(catalog, value)).toEqual(['Cart'])
      const searched = await catalog.get(`/assets?${new URLSearchParams({ q: value }).toString()}`)
      expect(searched.json().data).toMatchObject([{ name: 'Cart' }])
    }
    await catalog.delete(`/assets/${id}`)
  }
  const { id, external_key } = await catalog.asset()
  const legacy = { type: 'ble', value: `${UUID}-1-1` }
  const sent = await catalog.post(`/assets/${external_key}/tags`, legacy, { vocabulary: 'legacy' })
  expect(sent.json().data).toMatchObject({ type: 'ble', value: `${UUID}/1/1` })
  expect(await catalog.tag(`/assets/${id}`, ble(`${UUID} 2 2`))).toMatchObject(ble(`${UUID}/2/2`))
  await imports.run('assets', `external_key,name,ble\nI-1,Imported,ibeacon:${UUID}-3-3|${UUID}/3/3`)
  const imported = await catalog.get('/assets?external_key=I-1')
  expect(imported.json().data[0].tags).toMatchObject([ble(`${UUID}/3/3`)])
})

test('D19.3 two spellings are one tag, and a conflict names the owner', async ({ catalog, imports }) => {
  const owner = await catalog.asset({ name: 'Cart', tags: [ble(VIEW)] })
  const other = await catalog.asset({ name: 'Other' })
  for (const value of SPELLINGS) {
    const res = await catalog.post(`/assets/${other.id}/tags`, ble(value))
    expect([res.statusCode, res.json().error.conflict]).toMatchObject([409, { resource: 'asset', id: owner.id }])
  }
  const twice = await catalog.post('/assets', { name: 'Twice', tags: [ble(`${UUID}-5-5`), ble(`${UUID}_5_5`)] })
  expect(twice.statusCode).toBe(409)
  const { rows } = await imports.run('assets', `name,ble\nI,iBeacon:${UUID}-100-7`)
  expect(rows[0]?.errors).toMatchObject([{ field: 'ble', code: 'conflict' }])
}) // oxfmt-ignore

/** As an earlier release stored it. */
async function stored(catalog: Catalog, name: string, value: string): Promise<number> {
  const { id } = await catalog.asset({ name })
  const form = value.replaceAll(/[\s:-]/g, '').toUpperCase()
  await sql`
    insert into tag (org_id, tag_type, value, match_value, asset_id)
    values (${catalog.orgId}, 'ble', ${value}, ${form}, ${id})`.execute(catalog.database.db)
  return id
}

test('D19.3 rows of earlier releases are found, twins stay, and again changes nothing', async ({
  catalog,
}) => {
  const { db } = catalog.database
  const owner = db as unknown as Kysely<unknown>
  const old = await stored(catalog, 'Old', `iBeacon:${UUID}-100-7`)
  const twin = await stored(catalog, 'Twin', VIEW.toUpperCase())
  await stored(catalog, 'Exact', `${UUID}/8/8`)
  await stored(catalog, 'Loud', `${UUID.toUpperCase()}/8/8`)
  await stored(catalog, 'Address', 'c2:a4:e0:9e:11:f7')
  const rows = () =>
    sql`select value, match_value, is_twin from tag where org_id = ${catalog.orgId} order by created_at, id`.execute(db) // oxfmt-ignore
  await respell(owner)
  const after = (await rows()).rows
  await respell(owner)
  expect((await rows()).rows).toEqual(after)
  const form = UUID.replaceAll('-', '').toUpperCase()
  expect(after).toEqual([
    { value: VIEW, match_value: `${form}/100/7`, is_twin: false },
    { value: VIEW.toUpperCase(), match_value: `${form}/100/7`, is_twin: true },
    { value: `${UUID}/8/8`, match_value: `${form}/8/8`, is_twin: false },
    { value: `${UUID.toUpperCase()}/8/8`, match_value: `${form}/8/8`, is_twin: true },
    { value: 'c2:a4:e0:9e:11:f7', match_value: 'C2A4E09E11F7', is_twin: false },
  ])
  expect(await found(catalog, VIEW)).toEqual(['Old', 'Twin'])
  // The twin that is left keeps the beacon from others, in an import too.
  const { tags } = (await catalog.get(`/assets/${old}`)).json<{ data: AssetView }>().data
  await catalog.delete(`/assets/${old}/tags/${tags[0]?.id}`)
  const taken = await catalog.post(`/assets/${old}/tags`, ble(VIEW))
  expect([taken.statusCode, taken.json().error.conflict]).toMatchObject([409, { id: twin }])
})
