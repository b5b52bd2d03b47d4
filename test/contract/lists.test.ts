import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { Api } from './support/api.ts'
import { test } from './support/fixtures.ts'
import type { Organization } from './support/organization.ts'

const LATER = '2999-01-01T00:00:00Z'
const EARLIER = '2001-01-01T00:00:00Z'
const lists = ['assets', 'locations'] as const
const create = { assets: 'createAsset', locations: 'createLocation' } as const
const list = { assets: 'listAssets', locations: 'listLocations' } as const
const remove = { assets: 'deleteAsset', locations: 'deleteLocation' } as const
const read = { assets: 'getAsset', locations: 'getLocation' } as const

async function make(api: Api, org: Organization, kind: (typeof lists)[number], body: object) {
  return (await api.call(create[kind], { token: org.admin, body: { name: 'x', ...body } })).body.data
}

async function names(api: Api, org: Organization, kind: (typeof lists)[number], query: object = {}) {
  const { body } = await api.call(list[kind], { token: org.admin, query: query as Record<string, string> })
  expect(body.total_count).toBeGreaterThanOrEqual(body.data.length)
  return body.data.map(({ name }) => name)
}

describe('D7.1 effective rows', () => {
  test.for(lists)(
    'D7.1 %s outside their window are not listed, but can be read',
    async (kind, { api, newOrg }) => {
      const org = await newOrg()
      const future = await make(api, org, kind, { name: 'future', valid_from: LATER })
      const past = await make(api, org, kind, {
        name: 'past',
        valid_from: EARLIER,
        valid_to: '2002-01-01T00:00:00Z',
      })
      await make(api, org, kind, { name: 'bounded', valid_from: EARLIER, valid_to: LATER })
      await make(api, org, kind, { name: 'open', valid_from: EARLIER, valid_to: null })
      await make(api, org, kind, { name: 'inactive', is_active: false })
      expect(await names(api, org, kind, { sort: 'name' })).toEqual(['bounded', 'inactive', 'open'])
      for (const { id } of [future, past]) {
        const params = { asset_id: id, location_id: id }
        expect((await api.call(read[kind], { params, token: org.admin })).status).toBe(200)
      }
    },
  )

  test.for(lists)(
    'D7.1 include_deleted does not bring back %s outside their window',
    async (kind, { api, newOrg }) => {
      const org = await newOrg()
      await make(api, org, kind, { valid_from: LATER })
      expect(await names(api, org, kind, { include_deleted: true })).toEqual([])
    },
  )
})

describe('D7.2 include_deleted and booleans', () => {
  test.for(lists)('D7.2 true adds deleted %s to the live ones', async (kind, { api, newOrg }) => {
    const org = await newOrg()
    await make(api, org, kind, { name: 'live' })
    const { id } = await make(api, org, kind, { name: 'deleted' })
    await api.call(remove[kind], { params: { asset_id: id, location_id: id }, token: org.admin })
    expect(await names(api, org, kind)).toEqual(['live'])
    expect(await names(api, org, kind, { include_deleted: false })).toEqual(['live'])
    const query = { include_deleted: true, sort: 'name' }
    const { body } = await api.call(list[kind], { token: org.admin, query })
    const rowsOf = body.data.map(({ name, deleted_at }) => [name, deleted_at !== null])
    expect([rowsOf, body.total_count]).toEqual([
      [
        ['deleted', true],
        ['live', false],
      ],
      2,
    ])
  })
})

describe('D12.5 filters of both lists', () => {
  test.for(lists)(
    'D12.5 %s are found by id and tag, and with window=any outside their window',
    async (kind, { api, newOrg }) => {
      const [org, other] = [await newOrg(), await newOrg()]
      const tags = [{ tag_type: 'ble', value: 'AA:BB' }]
      const now = await make(api, org, kind, { name: 'now', tags })
      const later = await make(api, org, kind, { name: 'later', valid_from: LATER })
      const theirs = await make(api, other, kind, { name: 'theirs', tags })
      const ids = [now, later, theirs].map(({ id }) => id)
      expect(await names(api, org, kind, { id: ids })).toEqual(['now'])
      expect(await names(api, org, kind, { id: ids, window: 'any', sort: '-name' })).toEqual(['now', 'later'])
      expect(await names(api, org, kind, { tag: ['ble:aabb', 'rfid:AABB'] })).toEqual(['now'])
      expect(await names(api, org, kind, { tag: 'barcode:AA:BB', window: 'any' })).toEqual([])
    },
  )

  test('D12.5 is_root selects locations by whether they have a parent', async ({ api, newOrg }) => {
    const org = await newOrg()
    const { id } = await make(api, org, 'locations', { name: 'hall' })
    await make(api, org, 'locations', { name: 'dock', parent_id: id })
    expect(await names(api, org, 'locations', { is_root: true })).toEqual(['hall'])
    expect(await names(api, org, 'locations', { is_root: false })).toEqual(['dock'])
    for (const parent of ['parent_id', 'parent_external_key']) {
      const { status, body } = await api.call('listLocations', {
        token: org.admin,
        query: { is_root: true, [parent]: 1 },
      })
      const codes = body.error.fields?.map(({ field, code }) => `${field} ${code}`)
      expect([status, codes]).toEqual([400, [`${parent} ambiguous_fields`, 'is_root ambiguous_fields']])
    }
  })
})

describe('D7.4 limit and offset', () => {
  test.for(lists)(
    'D7.4 pages of %s cover the list once, and total_count counts all',
    async (kind, { api, newOrg }) => {
      const org = await newOrg()
      const made = ['a', 'b', 'c', 'd', 'e']
      for (const name of made) await make(api, org, kind, { name })
      const pages = []
      for (const offset of [0, 2, 4]) {
        const { body } = await api.call(list[kind], { token: org.admin, query: { limit: 2, offset } })
        expect(body).toMatchObject({ limit: 2, offset, total_count: 5 })
        pages.push(body.data.map(({ name }) => name))
      }
      expect(pages).toEqual([['a', 'b'], ['c', 'd'], ['e']])
    },
  )

  test('D7.4 limit 200 is accepted and returned', async ({ api, newOrg }) => {
    const { admin } = await newOrg()
    const { body } = await api.call('listAssets', { token: admin, query: { limit: 200, offset: 7 } })
    expect(body).toEqual({ data: [], limit: 200, offset: 7, total_count: 0 })
  })
})

describe('D7.5 and D4.3 filters', () => {
  test.for(lists)(
    'D4.11 D5.6 external_key of %s is any-of and case-sensitive, is_active selects',
    async (kind, { api, newOrg }) => {
      const org = await newOrg()
      await make(api, org, kind, { name: 'one', external_key: 'K-1' })
      await make(api, org, kind, { name: 'two', external_key: 'K-2', is_active: false })
      await make(api, org, kind, { name: 'three', external_key: 'k-1' })
      expect(await names(api, org, kind, { external_key: ['K-1', 'K-2', 'K-9'] })).toEqual(['one', 'two'])
      expect(await names(api, org, kind, { is_active: false })).toEqual(['two'])
      expect(await names(api, org, kind, { is_active: true, external_key: 'K-2' })).toEqual([])
    },
  )

  test('D4.11 type is any-of and closed', async ({ api, newOrg }) => {
    const org = await newOrg()
    await make(api, org, 'assets', { name: 'p', type: 'person' })
    await make(api, org, 'assets', { name: 'i', type: 'inventory' })
    await make(api, org, 'assets', { name: 'a' })
    expect(await names(api, org, 'assets', { type: ['person', 'inventory'], sort: 'name' })).toEqual([
      'i',
      'p',
    ])
    const { error } = (await api.call('listAssets', { token: org.admin, query: { type: 'pallet' } })).body
    expect(error.fields).toMatchObject([{ field: 'type', code: 'invalid_value', params: { allowed_values: ['asset', 'person', 'inventory'] } }]) // oxfmt-ignore
  })

  test('D5.6 parent filters are any-of over ids or keys', async ({ api, newOrg }) => {
    const org = await newOrg()
    const parent = await make(api, org, 'locations', { name: 'hall', external_key: 'HALL' })
    await make(api, org, 'locations', { name: 'dock', parent_id: parent.id })
    expect(await names(api, org, 'locations', { parent_id: [parent.id, 5] })).toEqual(['dock'])
    expect(await names(api, org, 'locations', { parent_external_key: ['HALL', 'X'] })).toEqual(['dock'])
  })

  test.for(lists)('D4.11 q of %s is a literal, case-insensitive substring', async (kind, { api, newOrg }) => {
    const org = await newOrg()
    await make(api, org, kind, { name: '100% Cotton' })
    await make(api, org, kind, { name: 'snake_case', description: 'kept DRY' })
    await make(api, org, kind, { name: 'plain', external_key: 'Zulu-7' })
    await make(api, org, kind, { name: 'tagged', tags: [{ tag_type: 'barcode', value: `q-${kind}-4711` }] })
    const found = (q: string) => names(api, org, kind, { q })
    expect(await found('%')).toEqual(['100% Cotton'])
    expect(await found('_')).toEqual(['snake_case'])
    expect(await found('COTTON')).toEqual(['100% Cotton'])
    expect(await found('kept dry')).toEqual(['snake_case'])
    expect(await found('zulu')).toEqual(['plain'])
    expect(await found('-4711')).toEqual(['tagged'])
    expect(await found('\\')).toEqual([])
  })
})

describe('D7.6 repeated parameters, and pages past the end', () => {
  test('D7.6 an offset past the end is an empty page with the true total_count', async ({ api, newOrg }) => {
    const org = await newOrg()
    await make(api, org, 'assets', {})
    await make(api, org, 'locations', {})
    await api.call('createReader', {
      token: org.admin,
      body: { reader_key: randomUUID(), name: 'r', format: 'zebra' },
    })
    for (const operationId of ['listAssets', 'listLocations', 'listReaders'] as const) {
      const { body } = await api.call(operationId, { token: org.admin, query: { offset: 1_000_000 } })
      expect(body).toEqual({ data: [], limit: 50, offset: 1_000_000, total_count: 1 })
    }
    const keys = await api.call('listApiKeys', { params: { org_id: org.id }, token: (await org.key()).token, query: { offset: 9 } }) // oxfmt-ignore
    expect(keys.body).toEqual({ data: [], limit: 50, offset: 9, total_count: 1 })
  })
})

describe('sort', () => {
  test.for(lists)(
    'sort of %s: several fields, minus for descending, external_key by default',
    async (kind, { api, newOrg }) => {
      const org = await newOrg()
      await make(api, org, kind, { name: 'b', external_key: 'K-1' })
      await make(api, org, kind, { name: 'a', external_key: 'K-2' })
      await make(api, org, kind, { name: 'a', external_key: 'K-3' })
      const keys = async (query: object) => {
        const { body } = await api.call(list[kind], {
          token: org.admin,
          query: query as Record<string, string>,
        })
        return body.data.map(({ external_key }) => external_key)
      }
      expect(await keys({})).toEqual(['K-1', 'K-2', 'K-3'])
      expect(await keys({ sort: '-external_key' })).toEqual(['K-3', 'K-2', 'K-1'])
      expect(await keys({ sort: 'name,-external_key' })).toEqual(['K-3', 'K-2', 'K-1'])
      expect(await keys({ sort: '-name,external_key' })).toEqual(['K-1', 'K-2', 'K-3'])
      expect(await keys({ sort: '-created_at' })).toEqual(['K-3', 'K-2', 'K-1'])
    },
  )
})
