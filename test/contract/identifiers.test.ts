import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { test } from './support/fixtures.ts'
import { codesOf, kinds, resourcesOf } from './support/resources.ts'

const newKey = () => `K-${randomUUID()}`

describe('ids', () => {
  test('an id is a positive integer up to 2^53-1, unique across all types of resources', async ({
    api,
    org,
  }) => {
    const tags = Array.from({ length: 20 }, () => ({ tag_type: 'rfid', value: randomUUID() }))
    const [assets, locations] = [
      resourcesOf(api, org.admin, 'asset'),
      resourcesOf(api, org.admin, 'location'),
    ]
    const made = [
      await assets.make({ tags }),
      await locations.make(),
      await assets.make(),
      await locations.make(),
    ]
    const reader = { reader_key: newKey(), name: 'r', format: 'canonical' }
    const others = [org.id, org.userId, (await org.key()).id, (await api.call('createReader', { token: org.admin, body: reader })).body.data.id] // oxfmt-ignore
    const ids = [...made, ...made.flatMap((one) => one.tags)].map(({ id }) => id).concat(others.map(Number))
    expect(new Set(ids).size).toBe(28)
    for (const id of ids) expect(Number.isSafeInteger(id) && id > 0, String(id)).toBe(true)
    expect(
      ids.toSorted((a, b) => a - b),
      'ids have no order',
    ).not.toEqual(ids)
  })

  test.for(kinds)('the id of a deleted %s is not used again', async (kind, { api, org }) => {
    const { make, remove } = resourcesOf(api, org.admin, kind)
    const external_key = newKey()
    const first = await make({ external_key })
    await remove(first.id)
    expect((await make({ external_key })).id).not.toBe(first.id)
  })

  test('an id of one type is unknown to another', async ({ api, org }) => {
    const [assets, locations] = [
      resourcesOf(api, org.admin, 'asset'),
      resourcesOf(api, org.admin, 'location'),
    ]
    const [asset, location] = [await assets.make(), await locations.make()]
    expect((await assets.get(location.id)).status).toBe(404)
    expect((await locations.remove(asset.id)).status).toBe(404)
    expect(codesOf(await locations.create({ parent_id: asset.id }))).toEqual(['parent_id fk_not_found'])
    expect((await assets.get(asset.id)).status).toBe(200)
  })
})

describe('natural keys', () => {
  test.for(kinds)(
    'D4.3 a key of a %s has 1 to 255 letters, digits and hyphens, and is kept as sent',
    async (kind, { api, newOrg }) => {
      const { make } = resourcesOf(api, (await newOrg()).admin, kind)
      for (const external_key of ['a', '-', '0', 'Az-09', '007', 'X'.repeat(255)])
        expect(await make({ external_key })).toMatchObject({ external_key })
    },
  )

  test.for(kinds)(
    'the key of a live %s is a conflict; in another case it is another key',
    async (kind, { api, org }) => {
      const { make, create } = resourcesOf(api, org.admin, kind)
      const key = newKey()
      await make({ external_key: key })
      const { error } = (await create({ external_key: key })).body
      expect(error).toMatchObject({ type: 'conflict', status: 409, detail: `${kind} ${key} already exists` })
      expect((await create({ external_key: key.toLowerCase() })).status).toBe(201)
    },
  )

  test.for(kinds)(
    'deleting a %s frees its key; another organization has the same from the start',
    async (kind, { api, org, newOrg }) => {
      const { make, remove } = resourcesOf(api, org.admin, kind)
      const external_key = newKey()
      const { id } = await make({ external_key })
      expect(await resourcesOf(api, (await newOrg()).admin, kind).make({ external_key })).toMatchObject({
        external_key,
      })
      await remove(id)
      expect(await make({ external_key })).toMatchObject({ external_key })
    },
  )

  test('an asset and a location may have the same key', async ({ api, org }) => {
    const external_key = newKey()
    for (const kind of kinds)
      expect(await resourcesOf(api, org.admin, kind).make({ external_key })).toMatchObject({ external_key })
  })

  test.for(kinds)(
    'of simultaneous creates of %ss with one key exactly one succeeds',
    async (kind, { api, org }) => {
      const { create, list } = resourcesOf(api, org.admin, kind)
      const external_key = newKey()
      const replies = await Promise.all(Array.from({ length: 6 }, () => create({ external_key })))
      expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        201, 409, 409, 409, 409, 409,
      ])
      expect((await list({ external_key })).body.total_count).toBe(1)
    },
  )
})
