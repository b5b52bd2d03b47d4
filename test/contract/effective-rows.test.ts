import { describe, expect } from 'vitest'
import type { Api } from './support/api.ts'
import { test } from './support/fixtures.ts'
import { kinds, resourcesOf, type Kind } from './support/resources.ts'

function listOf(api: Api, token: string, kind: Kind) {
  const resources = resourcesOf(api, token, kind)
  const names = async () => (await resources.list()).body.data.map(({ name }) => name)
  return { ...resources, names }
}

describe('D7.1 effective rows', () => {
  const SOON = { timeout: 10_000, interval: 100 }
  const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString()

  test.for(kinds)('D7.1 a %s enters the list when its window begins', async (kind, { api, newOrg }) => {
    const { make, names } = listOf(api, (await newOrg()).admin, kind)
    const { valid_from } = await make({ name: 'new', valid_from: inSeconds(1) })
    const listed = await names()
    expect([listed, Date.now() < Date.parse(valid_from)], 'not before').not.toEqual([['new'], true])
    await expect.poll(names, SOON).toEqual(['new'])
  })

  test.for(kinds)(
    'D7.1 a %s leaves the list when its window ends, and can still be read',
    async (kind, { api, newOrg }) => {
      const { make, names, read } = listOf(api, (await newOrg()).admin, kind)
      const made = await make({ name: 'old', valid_to: inSeconds(2) })
      const listed = await names()
      expect([listed, Date.now() < Date.parse(made.valid_to ?? '')], 'not before').not.toEqual([[], true])
      await expect.poll(names, SOON).toEqual([])
      expect(await read(made.id)).toEqual(made)
    },
  )

  test.for(kinds)(
    'D7.1 a PATCH of its window removes a %s from the list and brings it back',
    async (kind, { api, newOrg }) => {
      const { make, patch, names } = listOf(api, (await newOrg()).admin, kind)
      const { id } = await make({ name: 'moved', valid_from: '2001-01-01T00:00:00Z' })
      await patch(id, { valid_to: '2002-01-01T00:00:00Z' })
      expect(await names()).toEqual([])
      await patch(id, { valid_to: null })
      expect(await names()).toEqual(['moved'])
      await patch(id, { valid_from: '2999-01-01T00:00:00Z' })
      expect(await names()).toEqual([])
    },
  )

  test('D7.1 the history of an asset outside its window can be read', async ({ api, newOrg }) => {
    const { admin: token } = await newOrg()
    const { make } = resourcesOf(api, token, 'asset')
    const { id } = await make({ valid_from: '2001-01-01T00:00:00Z', valid_to: '2002-01-01T00:00:00Z' })
    expect((await api.call('listAssetHistory', { token, params: { asset_id: id } })).body.data).toEqual([])
  })
})
