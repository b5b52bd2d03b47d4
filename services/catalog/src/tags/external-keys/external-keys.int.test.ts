import { expect } from 'vitest'
import { test } from '../../../test/catalog.fixture.ts'

test('D4.4 the minted key is the highest live one plus one, also if there are gaps', async ({ catalog }) => {
  const [first, second, third] = [await catalog.asset(), await catalog.asset(), await catalog.asset()]
  expect([first, second, third].map((a) => a.external_key)).toEqual([
    'ASSET-0001',
    'ASSET-0002',
    'ASSET-0003',
  ])
  await catalog.delete(`/assets/${second.id}`)
  expect((await catalog.asset()).external_key).toBe('ASSET-0004')
})

test('deleting the highest key releases its number', async ({ catalog }) => {
  await catalog.asset()
  const { id } = await catalog.asset()
  await catalog.delete(`/assets/${id}`)
  expect((await catalog.asset()).external_key).toBe('ASSET-0002')
})

test('D4.4 keys that users chose count too, with any number of digits', async ({ catalog }) => {
  await catalog.asset({ external_key: 'ASSET-7' })
  await catalog.asset({ external_key: 'ASSET-X9' })
  await catalog.asset({ external_key: 'asset-99' })
  expect((await catalog.asset()).external_key).toBe('ASSET-0008')
  await catalog.asset({ external_key: 'ASSET-9999' })
  expect((await catalog.asset()).external_key).toBe('ASSET-10000')
  await catalog.asset({ external_key: 'ASSET-9223372036854775807999' })
  expect((await catalog.asset()).external_key).toBe('ASSET-9223372036854775808000')
})

test('minting after a chosen key of maximum length is a conflict, not a failure', async ({ catalog }) => {
  await catalog.asset({ external_key: `ASSET-${'9'.repeat(249)}` })
  const res = await catalog.post('/assets', { name: 'x' })
  expect(res.statusCode).toBe(409)
  await catalog.asset({ external_key: 'MINE' })
})

test('D5.2 locations have their own numbers LOC-NNN in each organization', async ({ catalog, otherOrg }) => {
  await catalog.asset()
  await catalog.location({ external_key: 'LOC-999' }, { org: otherOrg })
  expect((await catalog.location()).external_key).toBe('LOC-001')
  await catalog.location({ external_key: 'LOC-999' })
  expect((await catalog.location()).external_key).toBe('LOC-1000')
})

test('D4.4 simultaneous creates without a key all succeed, with different keys', async ({ catalog }) => {
  const made = await Promise.all(Array.from({ length: 25 }, () => catalog.asset()))
  const keys = new Set(made.map((asset) => asset.external_key))
  expect(keys.size).toBe(25)
  expect(keys).toContain('ASSET-0025')
})

test('a create without a key succeeds while another create chooses the next number', async ({ catalog }) => {
  const rounds = Array.from({ length: 15 }, async (_, i) => {
    const org = catalog.orgId + 10_000 + i
    const [, minted] = await Promise.all([
      catalog.post('/assets', { name: 'chosen', external_key: 'ASSET-0001' }, { org }),
      catalog.post('/assets', { name: 'minted' }, { org }),
    ])
    return minted.statusCode
  })
  expect(new Set(await Promise.all(rounds))).toEqual(new Set([201]))
})

test('ids of assets, locations and tags are distinct safe integers in no order', async ({ catalog }) => {
  const tags = Array.from({ length: 40 }, (_, i) => ({ tag_type: 'rfid' as const, value: String(i) }))
  const assets = [await catalog.asset({ tags }), await catalog.asset(), await catalog.asset()]
  const locations = [await catalog.location(), await catalog.location()]
  const ids = [...assets, ...locations, ...assets.flatMap((a) => a.tags)].map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(Number.isSafeInteger(id) && id > 0).toBe(true)
  expect(ids.toSorted((a, b) => a - b)).not.toEqual(ids)
})
