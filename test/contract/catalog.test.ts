import { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { LocationView } from '@whereabouts/contracts/resources/catalog/locations'
import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { CallOptions } from './support/api.ts'
import { catalogOf } from './support/catalog.ts'
import { test } from './support/fixtures.ts'

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const tagOf = (tag_type = 'rfid') => ({ tag_type, value: randomUUID() })

describe('D4 assets', () => {
  test('D4.1 D4.2 a new asset has every field, and Location leads to it', async ({ api, newOrg }) => {
    const { admin: token } = await newOrg()
    const tag = tagOf('ble')
    const created = await api.call('createAsset', { token, body: { name: 'Forklift 7', tags: [tag] } })
    expect(created.status).toBe(201)
    const { data } = created.body
    const fields = Object.entries(AssetView.shape).filter(([, schema]) => !schema.isOptional())
    expect(Object.keys(data).toSorted()).toEqual(fields.map(([name]) => name).toSorted())
    expect(data).toEqual({
      ...data,
      id: expect.any(Number),
      external_key: 'ASSET-0001',
      name: 'Forklift 7',
      description: null,
      type: 'asset',
      metadata: {},
      is_active: true,
      valid_from: data.created_at,
      valid_to: null,
      created_at: expect.stringMatching(INSTANT),
      updated_at: data.created_at,
      deleted_at: null,
      tags: [{ id: expect.any(Number), ...tag }],
    })
    expect(created.headers.get('location')).toBe(`/api/v1/assets/${data.id}`)
    const read = await api.request(created.headers.get('location') ?? '', { token })
    expect(read.body).toEqual({ data })
  })

  test('D4.2 values are kept as sent', async ({ api, token }) => {
    const body = {
      name: 'Pallet',
      external_key: `K-${randomUUID()}`,
      description: 'two\nlines',
      type: 'inventory',
      is_active: false,
      metadata: { weight: { kg: 12.5 }, marks: ['a', null, true] },
      valid_from: '2020-01-01T00:00:00.000Z',
      valid_to: '2999-01-01T00:00:00.000Z',
    }
    const { data } = (await api.call('createAsset', { token, body })).body
    expect(data).toMatchObject(body)
  })

  test('D4.2 a tag collision creates nothing', async ({ api, newOrg }) => {
    const { admin: token } = await newOrg()
    const { asset } = catalogOf(api, token)
    const taken = tagOf()
    await asset({ tags: [taken] })
    const free = tagOf()
    const reply = await api.call('createAsset', { token, body: { name: 'b', tags: [free, taken] } })
    expect(reply.body.error).toMatchObject({
      type: 'conflict',
      detail: `tag rfid:${taken.value} already exists`,
    })
    expect((await api.call('listAssets', { token })).body.total_count).toBe(1)
    expect((await asset({ tags: [free] })).tags).toMatchObject([free])
  })

  test('auto-mint: the highest live number plus one; gaps stay, but a deleted highest number is used again', async ({
    api,
    newOrg,
  }) => {
    const { asset, deleteAsset } = catalogOf(api, (await newOrg()).admin)
    const keyOf = async () => (await asset()).external_key
    const [first, second, third] = [await asset(), await asset(), await asset()]
    const keys = [first, second, third].map(({ external_key }) => external_key)
    expect(keys).toEqual(['ASSET-0001', 'ASSET-0002', 'ASSET-0003'])
    await deleteAsset(second.id)
    expect(await keyOf()).toBe('ASSET-0004')
    await deleteAsset((await asset({ external_key: 'ASSET-9999' })).id)
    expect(await keyOf()).toBe('ASSET-0005')
    await asset({ external_key: 'ASSET-9999' })
    expect(await keyOf()).toBe('ASSET-10000')
  })

  test('D4.4 simultaneous creates without a key all succeed', async ({ api, newOrg }) => {
    const { asset } = catalogOf(api, (await newOrg()).admin)
    const made = await Promise.all(Array.from({ length: 8 }, () => asset()))
    const keys = made.map(({ external_key }) => external_key).toSorted()
    expect(keys).toEqual(Array.from({ length: 8 }, (_, i) => `ASSET-000${i + 1}`))
  })

  test('D4.10 a deleted asset is 404 everywhere, and its key and tags are free again', async ({
    api,
    token,
  }) => {
    const { asset, getAsset, deleteAsset } = catalogOf(api, token)
    const tag = tagOf()
    const { id, external_key, tags } = await asset({ external_key: `K-${randomUUID()}`, tags: [tag] })
    const deleted = await deleteAsset(id)
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    const params = { asset_id: id, tag_id: tags[0]?.id ?? 0 }
    const after = [
      await deleteAsset(id),
      await getAsset(id),
      await api.call('listAssetHistory', { token, params }),
      await api.call('addAssetTag', { token, params, body: tagOf() }),
      await api.call('removeAssetTag', { token, params }),
    ]
    expect(after.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    const again = await asset({ external_key, tags: [tag] })
    expect(again).toMatchObject({ external_key, tags: [tag] })
    expect(again.id).not.toBe(id)
  })

  test('soft deletion: the list shows deleted_at and the deleted tags only on demand', async ({
    api,
    newOrg,
  }) => {
    const { admin: token } = await newOrg()
    const { asset, deleteAsset } = catalogOf(api, token)
    const { id } = await asset({ tags: [tagOf()] })
    await deleteAsset(id)
    expect((await api.call('listAssets', { token })).body.data).toEqual([])
    const { body } = await api.call('listAssets', { token, query: { include_deleted: true } })
    expect(body.data).toMatchObject([{ id, deleted_at: expect.stringMatching(INSTANT) }])
  })

  const details: [operation: 'getAsset' | 'getLocation', make: 'asset' | 'location'][] = [
    ['getAsset', 'asset'],
    ['getLocation', 'location'],
  ]
  test.for(details)('include_deleted on %s is invalid_context', async ([operation, kind], { api, token }) => {
    const { id } = await catalogOf(api, token)[kind]()
    const call: CallOptions = {
      token,
      params: { asset_id: id, location_id: id },
      query: { include_deleted: true },
    }
    const { error } = (await api.call(operation, call)).body
    expect(error.fields).toMatchObject([{ field: 'include_deleted', code: 'invalid_context' }])
  })

  test('a taken external_key is a conflict; another organization may have the same', async ({
    api,
    newOrg,
  }) => {
    const [one, other] = [await newOrg(), await newOrg()]
    const body = { name: 'a', external_key: 'SAME' }
    expect((await api.call('createAsset', { token: one.admin, body })).status).toBe(201)
    expect((await api.call('createAsset', { token: one.admin, body })).body.error.type).toBe('conflict')
    expect((await api.call('createAsset', { token: other.admin, body })).status).toBe(201)
  })
})

describe('D5 locations', () => {
  test('D5.1 D5.2 a new location has every field, and Location leads to it', async ({ api, newOrg }) => {
    const { admin: token } = await newOrg()
    const created = await api.call('createLocation', { token, body: { name: 'Dock 1' } })
    const { data } = created.body
    expect(Object.keys(data).toSorted()).toEqual(Object.keys(LocationView.shape).toSorted())
    expect(data).toEqual({
      ...data,
      id: expect.any(Number),
      external_key: 'LOC-001',
      name: 'Dock 1',
      description: null,
      parent_id: null,
      parent_external_key: null,
      is_active: true,
      valid_from: data.created_at,
      valid_to: null,
      created_at: expect.stringMatching(INSTANT),
      updated_at: data.created_at,
      deleted_at: null,
      tags: [],
    })
    expect(created.headers.get('location')).toBe(`/api/v1/locations/${data.id}`)
    const params = { location_id: data.id }
    expect((await api.call('getLocation', { token, params })).body).toEqual({ data })
  })

  test('D5.3 a parent is named by id, by key, or by both', async ({ api, token }) => {
    const { location } = catalogOf(api, token)
    const parent = await location({ external_key: `HALL-${randomUUID()}` })
    const pair = { parent_id: parent.id, parent_external_key: parent.external_key }
    for (const body of [
      { parent_id: pair.parent_id },
      { parent_external_key: pair.parent_external_key },
      pair,
    ])
      expect(await location(body)).toMatchObject(pair)
    expect(await location({ parent_id: null, parent_external_key: null })).toMatchObject({ parent_id: null })
  })

  test('D5.3 an id and a key that disagree are ambiguous on both, and the key is resolved first', async ({
    api,
    token,
  }) => {
    const { location } = catalogOf(api, token)
    const [one, other] = [await location(), await location()]
    const send = (body: object) => api.call('createLocation', { token, body: { name: 'x', ...body } })
    const differing = await send({ parent_id: one.id, parent_external_key: other.external_key })
    const codes = differing.body.error.fields?.map(({ field, code }) => `${field} ${code}`)
    expect(codes).toEqual(['parent_id ambiguous_fields', 'parent_external_key ambiguous_fields'])
    const neither = await send({ parent_id: 5, parent_external_key: 'NOWHERE' })
    expect(neither.body.error.fields).toMatchObject([{ field: 'parent_external_key', code: 'fk_not_found' }])
  })

  test('D5.3 a deleted or foreign parent does not resolve', async ({ api, newOrg, token }) => {
    const { location, deleteLocation } = catalogOf(api, token)
    const deleted = await location()
    await deleteLocation(deleted.id)
    const foreign = await catalogOf(api, (await newOrg()).admin).location()
    for (const parent_id of [deleted.id, foreign.id]) {
      const reply = await api.call('createLocation', { token, body: { name: 'x', parent_id } })
      expect(reply.body.error.fields).toMatchObject([{ field: 'parent_id', code: 'fk_not_found' }])
    }
  })

  test('D5.5 a location with live children cannot be deleted; without them it can', async ({
    api,
    token,
  }) => {
    const { location, deleteLocation } = catalogOf(api, token)
    const parent = await location()
    const child = await location({ parent_id: parent.id })
    expect((await deleteLocation(parent.id)).body.error.type).toBe('conflict')
    expect((await deleteLocation(child.id)).status).toBe(204)
    expect((await deleteLocation(parent.id)).status).toBe(204)
    expect((await deleteLocation(parent.id)).status).toBe(404)
  })
})
