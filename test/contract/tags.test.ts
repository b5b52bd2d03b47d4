import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { catalogOf } from './support/catalog.ts'
import { test } from './support/fixtures.ts'

const tagOf = (tag_type = 'rfid') => ({ tag_type, value: randomUUID() })

describe('D6 tags', () => {
  test('D6.1 a tag is id, tag_type and value; Location names it', async ({ api, token }) => {
    const { asset, location } = catalogOf(api, token)
    const [assetId, locationId] = [(await asset()).id, (await location()).id]
    for (const [operationId, path, params] of [
      ['addAssetTag', `assets/${assetId}`, { asset_id: assetId }],
      ['addLocationTag', `locations/${locationId}`, { location_id: locationId }],
    ] as const) {
      const body = tagOf('barcode')
      const reply = await api.call(operationId, { token, params, body })
      expect(reply.body).toEqual({ data: { id: expect.any(Number), ...body } })
      const at = `/api/v1/${path}/tags/${reply.body.data.id}`
      expect(reply.headers.get('location')).toBe(at)
      expect((await api.request(at, { token })).headers.get('allow')).toBe('DELETE')
    }
  })

  test('D6.3 type and value of a tag are unique across assets and locations', async ({ api, token }) => {
    const { asset, location } = catalogOf(api, token)
    const tag = tagOf()
    const { id } = await asset({ tags: [tag] })
    const elsewhere = { token, params: { location_id: (await location()).id }, body: tag }
    const { error } = (await api.call('addLocationTag', elsewhere)).body
    expect(error).toMatchObject({ type: 'conflict', detail: `tag rfid:${tag.value} already exists` })
    const other = { token, params: { asset_id: id }, body: { ...tag, tag_type: 'barcode' } }
    expect((await api.call('addAssetTag', other)).status).toBe(201)
  })

  test('D6.4 attach and detach show on the asset and do not change updated_at', async ({ api, token }) => {
    const { asset, getAsset } = catalogOf(api, token)
    const before = await asset()
    const params = { asset_id: before.id }
    const { data: tag } = (await api.call('addAssetTag', { token, params, body: tagOf() })).body
    expect((await getAsset(before.id)).body.data).toEqual({ ...before, tags: [tag] })
    const detaching = { token, params: { ...params, tag_id: tag.id } }
    expect((await api.call('removeAssetTag', detaching)).status).toBe(204)
    expect((await getAsset(before.id)).body.data).toEqual(before)
    expect((await api.call('removeAssetTag', detaching)).status).toBe(404)
  })

  test('a tag is detached only from its owner', async ({ api, token }) => {
    const { asset, getAsset } = catalogOf(api, token)
    const [one, other] = [await asset({ tags: [tagOf()] }), await asset()]
    const params = { asset_id: other.id, tag_id: one.tags[0]?.id ?? 0 }
    expect((await api.call('removeAssetTag', { token, params })).status).toBe(404)
    expect((await getAsset(one.id)).body.data).toEqual(one)
  })
})
