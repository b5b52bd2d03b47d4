import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { entry, nullEntry, required, tooLong, tooShort, typeEntry } from './support/entries.ts'
import { test } from './support/fixtures.ts'
import { codesOf, kinds, resourcesOf } from './support/resources.ts'
import { UNKNOWN_ID } from './support/rows.ts'

const newKey = () => `K-${randomUUID()}`

describe('D4.9 D5.8 rename', () => {
  test.for(kinds)(
    'D4.9 D5.8 a renamed %s has the new key and a later updated_at, and nothing else changed',
    async (kind, { api, org }) => {
      const { make, rename, read, list } = resourcesOf(api, org.admin, kind)
      const tags = [{ tag_type: 'ble', value: newKey() }]
      const made = await make({ tags, valid_from: '2020-01-01T00:00:00.123456Z', description: 'some' })
      const external_key = newKey()
      const reply = await rename(made.id, external_key)
      expect(reply.status).toBe(200)
      const { data, descendant_count_affected } = reply.body
      expect(descendant_count_affected).toBe(0)
      expect(data).toEqual({ ...made, external_key, updated_at: data.updated_at })
      expect(data.updated_at > made.updated_at).toBe(true)
      expect(await read(made.id)).toEqual(data)
      expect((await list({ external_key })).body.data).toEqual([data])
      expect((await list({ external_key: made.external_key })).body.total_count).toBe(0)
    },
  )

  test.for(kinds)(
    'D4.9 D5.8 the same key of a %s again is 200 and leaves updated_at',
    async (kind, { api, org }) => {
      const { make, rename, read } = resourcesOf(api, org.admin, kind)
      const made = await make()
      const reply = await rename(made.id, made.external_key)
      expect(reply.body).toEqual({ data: made, descendant_count_affected: 0 })
      expect(reply.status).toBe(200)
      expect(await read(made.id)).toEqual(made)
    },
  )

  test.for(kinds)(
    'D4.9 D5.8 a key that another %s has is a conflict and changes nothing',
    async (kind, { api, org }) => {
      const { make, rename, read } = resourcesOf(api, org.admin, kind)
      const [one, other] = [await make({ external_key: newKey() }), await make()]
      const { error } = (await rename(other.id, one.external_key)).body
      expect(error).toMatchObject({ type: 'conflict', detail: `${kind} ${one.external_key} already exists` })
      expect([await read(one.id), await read(other.id)]).toEqual([one, other])
    },
  )

  test.for(kinds)(
    'D4.9 the old key of a %s is free at once, and so are keys of deleted and foreign ones',
    async (kind, { api, org, newOrg }) => {
      const { make, rename, remove } = resourcesOf(api, org.admin, kind)
      const [one, gone, keeper] = [await make(), await make(), await make()]
      await remove(gone.id)
      const theirs = await resourcesOf(api, (await newOrg()).admin, kind).make({ external_key: newKey() })
      await rename(one.id, newKey())
      for (const key of [one.external_key, gone.external_key, theirs.external_key])
        expect((await rename(keeper.id, key)).body.data).toMatchObject({ external_key: key })
      expect(await make({ external_key: one.external_key })).toMatchObject({ external_key: one.external_key })
    },
  )

  test.for(kinds)('D4.9 only the case of the key of a %s may change', async (kind, { api, org }) => {
    const { make, rename } = resourcesOf(api, org.admin, kind)
    const { id, external_key } = await make({ external_key: newKey() })
    const key = external_key.toLowerCase()
    expect((await rename(id, key)).body.data).toMatchObject({ external_key: key })
  })

  test.for(kinds)('D4.9 a missing, deleted or foreign %s is 404', async (kind, { api, org, newOrg }) => {
    const { make, rename, remove } = resourcesOf(api, org.admin, kind)
    const [gone, theirs] = [await make(), await resourcesOf(api, (await newOrg()).admin, kind).make()]
    await remove(gone.id)
    for (const id of [UNKNOWN_ID, gone.id, theirs.id]) expect((await rename(id, newKey())).status).toBe(404)
  })

  test.for(kinds)(
    'D4.3 D3 the key in a rename of a %s has the rules of a create',
    async (kind, { api, org }) => {
      const { make, rename } = resourcesOf(api, org.admin, kind)
      const { id } = await make()
      const field = 'external_key'
      const shape = entry(
        field,
        'invalid_value',
        'external_key must contain only letters, digits and hyphens',
      )
      const cases: [value: unknown, expected: object][] = [
        [undefined, required(field)],
        [null, nullEntry(field, 'string')],
        [7, typeEntry(field, 'string', 'number')],
        ['', tooShort(field)],
        ['X'.repeat(256), tooLong(field, 255)],
        ['a b', shape],
        ['a_b', shape],
        ['ä', shape],
        [' A', shape],
      ]
      for (const [value, expected] of cases)
        expect((await rename(id, value)).body.error.fields, String(value)).toEqual([expected])
      const renaming = kind === 'asset' ? 'renameAsset' : 'renameLocation'
      const body = { external_key: 'A', name: 'Other' }
      const reply = await api.call(renaming, {
        token: org.admin,
        params: { asset_id: id, location_id: id },
        body,
      })
      expect(codesOf(reply)).toEqual(['name unknown_field'])
    },
  )

  test.for(kinds)(
    'D4.9 rename of a %s takes application/json, not merge patch',
    async (kind, { api, org }) => {
      const { make, read } = resourcesOf(api, org.admin, kind)
      const made = await make()
      const headers = { 'content-type': 'application/merge-patch+json' }
      const body = JSON.stringify({ external_key: newKey() })
      const path = `/api/v1/${kind}s/${made.id}/rename`
      const reply = await api.request(path, { method: 'POST', token: org.admin, headers, body })
      expect(reply.body.error).toMatchObject({
        status: 415,
        detail: 'Content-Type must be application/json',
      })
      expect(await read(made.id)).toEqual(made)
    },
  )

  test.for(kinds)(
    'D4.9 of simultaneous renames of %ss to one key exactly one succeeds',
    async (kind, { api, org }) => {
      const { make, rename, list } = resourcesOf(api, org.admin, kind)
      const key = newKey()
      const made = await Promise.all(Array.from({ length: 5 }, () => make()))
      const replies = await Promise.all(made.map(({ id }) => rename(id, key)))
      expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409])
      expect((await list({ external_key: key })).body.total_count).toBe(1)
    },
  )
})

describe('D5.8 rename of a location', () => {
  test('D5.8 returns the number of live sub-locations at any depth', async ({ api, org }) => {
    const { make, rename, remove, read } = resourcesOf(api, org.admin, 'location')
    const hall = await make()
    const aisle = await make({ parent_id: hall.id })
    const shelf = await make({ parent_id: aisle.id })
    const gone = await make({ parent_id: shelf.id })
    await make({ parent_id: hall.id, valid_from: '2999-01-01T00:00:00Z', is_active: false })
    await remove(gone.id)
    expect((await rename(hall.id, newKey())).body.descendant_count_affected).toBe(3)
    expect((await rename(aisle.id, newKey())).body.descendant_count_affected).toBe(1)
    expect((await rename(shelf.id, newKey())).body.descendant_count_affected).toBe(0)
    const key = newKey()
    await rename(aisle.id, key)
    const below = await read(shelf.id)
    expect(below, 'children name the new key and are otherwise unchanged').toMatchObject({
      parent_id: aisle.id,
      parent_external_key: key,
    })
    expect((await rename(hall.id, (await read(hall.id)).external_key)).body.descendant_count_affected).toBe(3)
  })
})
