import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { CallOptions } from './support/api.ts'
import { test } from './support/fixtures.ts'
import { succeed } from './support/organization.ts'
import { codesOf, kinds, resourcesOf, type Kind } from './support/resources.ts'
import { callerOf, rows } from './support/rows.ts'

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const newTag = (tag_type = 'rfid') => ({ tag_type, value: randomUUID() })

/** Valid bodies of sub-routes, so that only the missing owner can be refused. */
const bodies: Record<string, object> = {
  updateAsset: {},
  updateLocation: {},
  renameAsset: { external_key: `K-${randomUUID()}` },
  renameLocation: { external_key: `K-${randomUUID()}` },
  addAssetTag: newTag(),
  addLocationTag: newTag(),
}

/** All sub-routes, except those that are for deleted rows too. */
const forDeleted = /\/(?:restore|erase)$/

const routesOf = (kind: Kind) =>
  rows.filter(
    ({ path, vocabulary }) =>
      vocabulary === undefined && path.startsWith(`/${kind}s/{`) && !forDeleted.test(path),
  )

describe('soft deletion', () => {
  test.for(kinds)(
    'D4.10 DELETE of a %s is 204 once, then 404 here and on every sub-route',
    async (kind, { api, org, token }) => {
      const { make, remove } = resourcesOf(api, token, kind)
      const { id, tags } = await make({ tags: [newTag()] })
      const deleted = await remove(id)
      expect([deleted.status, deleted.text]).toEqual([204, ''])
      expect(routesOf(kind).length).toBeGreaterThanOrEqual(6)
      for (const row of routesOf(kind)) {
        const params = { asset_id: id, location_id: id, tag_id: tags[0]?.id ?? 0 }
        const reply = await api.call(row.operationId, {
          token: callerOf(row, { admin: org.admin, token }),
          params,
          ...(row.body && { body: bodies[row.operationId] }),
        })
        expect([row.operationId, reply.status, reply.body.error.type]).toEqual([
          row.operationId,
          404,
          'not_found',
        ])
      }
    },
  )

  test.for(kinds)(
    'a deleted %s leaves the list, and comes back in it only on demand, with deleted_at',
    async (kind, { api, newOrg }) => {
      const { make, remove, list } = resourcesOf(api, (await newOrg()).admin, kind)
      const [live, gone] = [await make({ name: 'live' }), await make({ name: 'gone', tags: [newTag()] })]
      const before = new Date().toISOString()
      await remove(gone.id)
      for (const query of [
        {},
        { include_deleted: false },
        { q: 'gone' },
        { external_key: gone.external_key },
      ])
        expect((await list(query)).body.data.filter(({ id }) => id === gone.id)).toEqual([])
      const { data, total_count } = (await list({ include_deleted: true, sort: 'name' })).body
      expect(total_count).toBe(2)
      expect(data).toEqual([{ ...gone, deleted_at: expect.stringMatching(INSTANT), tags: [] }, live])
      const at = Date.parse(data[0]?.deleted_at ?? '')
      expect(at).toBeGreaterThanOrEqual(Date.parse(before) - 1_000)
      expect(at).toBeLessThanOrEqual(Date.now() + 1_000)
    },
  )

  test.for(kinds)(
    'filters of the %s list apply to deleted rows as to live ones',
    async (kind, { api, newOrg }) => {
      const { make, remove, list } = resourcesOf(api, (await newOrg()).admin, kind)
      const gone = await make({ name: 'Needle', external_key: 'K-1', is_active: false })
      await remove(gone.id)
      await make({ name: 'Needle two', external_key: 'K-1' })
      const count = async (query: Record<string, string | boolean>) =>
        (await list({ include_deleted: true, ...query })).body.total_count
      expect(await count({ external_key: 'K-1' })).toBe(2)
      expect(await count({ is_active: false })).toBe(1)
      expect(await count({ q: 'needle' })).toBe(2)
      expect(await count({ q: 'two' })).toBe(1)
      expect((await list({ external_key: 'K-1' })).body.total_count).toBe(1)
    },
  )

  test.for(kinds)(
    'D4.10 deleting a %s frees its key and its tags, all at once',
    async (kind, { api, token }) => {
      const { make, remove, attach } = resourcesOf(api, token, kind)
      const tags = [newTag('rfid'), newTag('ble'), newTag('barcode')]
      const gone = await make({ tags })
      const [one, ...others] = tags
      await remove(gone.id)
      const again = await make({ external_key: gone.external_key, tags: others })
      expect(again).toMatchObject({ external_key: gone.external_key, tags: others })
      expect((await attach(again.id, one ?? {})).status).toBe(201)
    },
  )

  test.for(kinds)('exactly one of simultaneous deletes of a %s is 204', async (kind, { api, token }) => {
    const { make, remove } = resourcesOf(api, token, kind)
    const { id } = await make({ tags: [newTag()] })
    const replies = await Promise.all(Array.from({ length: 5 }, () => remove(id)))
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([204, 404, 404, 404, 404])
  })

  test.for(kinds)(
    'a tag attached while its %s is being deleted goes with it',
    async (kind, { api, token }) => {
      const { make, attach, remove } = resourcesOf(api, token, kind)
      for (let round = 0; round < 4; round += 1) {
        const [{ id }, tag] = [await make(), newTag()]
        const [attached, removed] = await Promise.all([attach(id, tag), remove(id)])
        expect(removed.status).toBe(204)
        expect([201, 404]).toContain(attached.status)
        expect((await make({ tags: [tag] })).tags, 'its natural key is free').toMatchObject([tag])
      }
    },
  )

  test('D5.5 a location can be deleted while it is the last location of an asset', async ({ api, token }) => {
    const [locations, assets] = [resourcesOf(api, token, 'location'), resourcesOf(api, token, 'asset')]
    const [location, asset] = [await locations.make(), await assets.make()]
    const body = { asset_identifiers: [asset.external_key], location_identifier: location.external_key }
    await succeed(api.call('saveInventory', { token, body }))
    expect((await locations.remove(location.id)).status).toBe(204)
    expect(await assets.read(asset.id)).toEqual(asset)
  })

  test.for(kinds)(
    'include_deleted on GET of one %s is invalid_context, live or deleted',
    async (kind, { api, token }) => {
      const { make, remove } = resourcesOf(api, token, kind)
      const [live, gone] = [await make(), await make()]
      await remove(gone.id)
      for (const { id } of [live, gone])
        for (const include_deleted of [true, false]) {
          const call: CallOptions = {
            token,
            params: { asset_id: id, location_id: id },
            query: { include_deleted },
          }
          const reply = await api.call(kind === 'asset' ? 'getAsset' : 'getLocation', call)
          expect(reply.body.error.fields).toEqual([
            {
              field: 'include_deleted',
              code: 'invalid_context',
              message: 'include_deleted is not supported on this endpoint',
            },
          ])
          expect(codesOf(reply)).toHaveLength(1)
        }
    },
  )
})
