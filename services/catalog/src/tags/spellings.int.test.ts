import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { sql, type Kysely } from 'kysely'
import { expect } from 'vitest'
import { up as fill } from '../../migrations/0023_spellings.ts'
import { up as makeUnique } from '../../migrations/0024_unique_barcode.ts'
import { test, type Catalog } from '../../test/catalog.fixture.ts'

const barcode = (value: string) => ({ tag_type: 'barcode' as const, value })

/** As an earlier release stored it. */
async function stored(catalog: Catalog, name: string, value: string): Promise<AssetView> {
  const { id } = await catalog.asset({ name })
  await sql`
    insert into tag (org_id, tag_type, value, match_value, asset_id)
    values (${catalog.orgId}, 'barcode', ${value}, ${value}, ${id})`.execute(catalog.database.db)
  return (await catalog.get(`/assets/${id}`)).json().data
}

const found = async (catalog: Catalog, query: Record<string, string>) =>
  (await catalog.get(`/assets?${new URLSearchParams(query).toString()}`))
    .json()
    .data.map(({ name }: AssetView) => name)

test('D19.1 D19.2 rows of earlier releases are found too, twins stay, and again changes nothing', async ({
  catalog,
}) => {
  const { db } = catalog.database
  const owner = db as unknown as Kysely<unknown>
  await sql`drop index tag_live_barcode`.execute(db)
  const cold = await stored(catalog, 'Ku\u0308hl', 'X\u00E9')
  await stored(catalog, 'ＴＷＩＮ', 'Xe\u0301')
  await stored(catalog, 'END ΣΊΣΥΦΟΣ', '123\r\n')
  await stored(catalog, 'Two', '45')
  await stored(catalog, 'Too', ' 45')
  await stored(catalog, 'Bla', '  ')
  await sql`update asset set search_text = lower(name || chr(31) || external_key || chr(31))`.execute(db)
  await sql`update tag set search_text = lower(value)`.execute(db)
  const rows = () =>
    sql`select id, value, match_value, is_twin, search_text from tag where org_id = ${catalog.orgId} order by created_at, id`.execute(db) // oxfmt-ignore
  await fill(owner)
  await makeUnique(owner)
  const after = (await rows()).rows
  await fill(owner)
  await makeUnique(owner)
  expect((await rows()).rows).toEqual(after)
  expect(after).toMatchObject([
    { value: 'X\u00E9', is_twin: false },
    { value: 'Xe\u0301', is_twin: true },
    { value: '123', is_twin: false },
    { value: '45', is_twin: false },
    { value: ' 45', is_twin: true },
    { value: '  ', is_twin: false },
  ])
  expect(await found(catalog, { q: 'k\u00FChl' })).toEqual(['Ku\u0308hl'])
  expect(await found(catalog, { q: 'twin' })).toEqual(['ＴＷＩＮ'])
  expect(await found(catalog, { q: 'Σίσυφος' })).toEqual(['END ΣΊΣΥΦΟΣ'])
  expect(await found(catalog, { tag: 'barcode:123\n' })).toEqual(['END ΣΊΣΥΦΟΣ'])
  expect(await found(catalog, { tag: 'barcode:Xe\u0301' })).toEqual(['Ku\u0308hl', 'ＴＷＩＮ'])
  // The twin that is left keeps the value from others.
  await catalog.delete(`/assets/${cold.id}/tags/${cold.tags[0]?.id}`)
  const taken = await catalog.post(`/assets/${cold.id}/tags`, barcode('X\u00E9'))
  expect(taken.statusCode).toBe(409)
})
