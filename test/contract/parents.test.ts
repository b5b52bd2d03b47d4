import { describe, expect } from 'vitest'
import type { Api } from './support/api.ts'
import { entry, nullEntry } from './support/entries.ts'
import { test } from './support/fixtures.ts'
import { codesOf, resourcesOf } from './support/resources.ts'
import { UNKNOWN_ID } from './support/rows.ts'

const AMBIGUOUS = ['parent_id ambiguous_fields', 'parent_external_key ambiguous_fields']
const ROOT = { parent_id: null, parent_external_key: null }

const locationsOf = (api: Api, token: string) => resourcesOf(api, token, 'location')
type Location = { id: number; external_key: string }
const under = ({ id, external_key }: Location) => ({ parent_id: id, parent_external_key: external_key })

/** Both ways to name a parent: create a location, or change a new one. */
const methods = ['POST', 'PATCH'] as const
function sender(api: Api, token: string, method: (typeof methods)[number]) {
  const { create, patch, make } = locationsOf(api, token)
  return async (body: object) => (method === 'POST' ? create(body) : patch((await make()).id, body))
}

describe('D5.3 naming a parent', () => {
  test.for(methods)(
    'D5.3 %s: by id, by key, by both; null in one or both is the root',
    async (method, { api, token }) => {
      const send = sender(api, token, method)
      const parent = under(await locationsOf(api, token).make())
      const { parent_id, parent_external_key } = parent
      for (const body of [{ parent_id }, { parent_external_key }, parent])
        expect((await send(body)).body.data, JSON.stringify(body)).toMatchObject(parent)
      for (const body of [{ parent_id: null }, { parent_external_key: null }, ROOT, {}])
        expect((await send(body)).body.data, JSON.stringify(body)).toMatchObject(ROOT)
    },
  )

  test.for(methods)(
    'D5.3 %s: one null and the other set, or two that disagree, is ambiguous_fields on both',
    async (method, { api, token }) => {
      const send = sender(api, token, method)
      const { make } = locationsOf(api, token)
      const [one, other] = [under(await make()), under(await make())]
      const bodies = [
        { parent_id: null, parent_external_key: one.parent_external_key },
        { parent_id: one.parent_id, parent_external_key: null },
        { ...one, parent_external_key: other.parent_external_key },
        { parent_id: UNKNOWN_ID, parent_external_key: one.parent_external_key },
      ]
      for (const body of bodies) {
        const reply = await send(body)
        expect(codesOf(reply), JSON.stringify(body)).toEqual(AMBIGUOUS)
        expect(new Set(reply.body.error.fields?.map(({ message }) => message))).toEqual(
          new Set(['parent_id and parent_external_key must refer to the same resource']),
        )
      }
    },
  )

  test.for(methods)(
    'D5.3 %s: a missing, deleted or foreign parent is fk_not_found on the sent field, the key first',
    async (method, { api, token, newOrg }) => {
      const send = sender(api, token, method)
      const { make, remove } = locationsOf(api, token)
      const gone = await make({ external_key: 'GONE-1' })
      const theirs = await locationsOf(api, (await newOrg()).admin).make({ external_key: 'THEIRS-1' })
      await remove(gone.id)
      const missing = (field: string) => entry(field, 'fk_not_found', `${field} does not refer to a location`)
      for (const parent_id of [UNKNOWN_ID, gone.id, theirs.id])
        expect((await send({ parent_id })).body.error.fields).toEqual([missing('parent_id')])
      for (const parent_external_key of ['NOWHERE-1', gone.external_key, theirs.external_key])
        for (const body of [{ parent_external_key }, { parent_external_key, parent_id: UNKNOWN_ID }])
          expect((await send(body)).body.error.fields).toEqual([missing('parent_external_key')])
    },
  )

  test.for(methods)(
    'D5.3 %s: a parent id is a positive integer up to 2^53-1',
    async (method, { api, token }) => {
      const send = sender(api, token, method)
      expect(codesOf(await send({ parent_id: 0 }))).toEqual(['parent_id too_small'])
      expect(codesOf(await send({ parent_id: -1 }))).toEqual(['parent_id too_small'])
      expect(codesOf(await send({ parent_id: 2 ** 53 }))).toEqual(['parent_id too_large'])
      expect(codesOf(await send({ parent_id: 1.5 }))).toEqual(['parent_id invalid_value'])
      expect(codesOf(await send({ parent_id: '5' }))).toEqual(['parent_id invalid_value'])
      expect(codesOf(await send({ parent_external_key: '' }))).toEqual(['parent_external_key too_short'])
      expect(codesOf(await send({ parent_external_key: 'a_b' }))).toEqual([
        'parent_external_key invalid_value',
      ])
    },
  )

  test('D5.3 a parent that is inactive and outside its window is live', async ({ api, org }) => {
    const { make } = locationsOf(api, org.admin)
    const parent = await make({
      valid_from: '2001-01-01T00:00:00Z',
      valid_to: '2002-01-01T00:00:00Z',
      is_active: false,
    })
    expect(await make({ parent_id: parent.id })).toMatchObject(under(parent))
  })

  test('a null name and an ambiguous parent are reported together', async ({ api, org }) => {
    const reply = await locationsOf(api, org.admin).create({
      name: null,
      parent_id: null,
      parent_external_key: 'A',
    })
    expect(reply.body.error.fields?.[0]).toEqual(nullEntry('name', 'string'))
    expect(codesOf(reply)).toEqual(['name invalid_value', ...AMBIGUOUS])
  })
})

describe('moving', () => {
  test('a moved location keeps its sub-locations, and a refused move changes nothing', async ({
    api,
    token,
  }) => {
    const { make, patch, read } = locationsOf(api, token)
    const [one, other] = [await make(), await make()]
    const aisle = await make({ parent_id: one.id })
    const shelf = await make({ parent_id: aisle.id })
    const { data } = (await patch(aisle.id, { parent_id: other.id })).body
    expect(data).toEqual({ ...aisle, ...under(other), updated_at: data.updated_at })
    expect(await read(shelf.id), 'the sub-location itself is unchanged').toEqual(shelf)
    expect((await patch(aisle.id, { parent_id: UNKNOWN_ID, name: 'Other' })).status).toBe(400)
    expect(await read(aisle.id)).toEqual(data)
    expect((await patch(aisle.id, { name: 'Other' })).body.data, 'no parent sent: it stays').toMatchObject(
      under(other),
    )
    expect((await patch(aisle.id, { parent_external_key: null })).body.data).toMatchObject(ROOT)
  })

  test('D5.4 a sub-location as the parent, at any depth, is a conflict and changes nothing', async ({
    api,
    token,
  }) => {
    const { make, patch, read } = locationsOf(api, token)
    const chain = [await make()]
    for (let i = 0; i < 4; i += 1) chain.push(await make({ parent_id: chain.at(-1)?.id }))
    const [root] = chain
    if (!root) throw new Error('unreachable')
    for (const inside of chain)
      for (const body of [
        { parent_id: inside.id },
        { parent_external_key: inside.external_key },
        under(inside),
      ]) {
        const reply = await patch(root.id, { ...body, name: 'Other' })
        expect([reply.status, reply.body.error.type], JSON.stringify(body)).toEqual([409, 'conflict'])
      }
    for (const location of chain) expect(await read(location.id)).toEqual(location)
  })

  test('D5.4 simultaneous moves never close a cycle', async ({ api, token }) => {
    const { make, patch, read } = locationsOf(api, token)
    for (let round = 0; round < 3; round += 1) {
      const made = await Promise.all(Array.from({ length: 4 }, () => make()))
      const ids = made.map(({ id }) => id)
      const moves = ids.map((id, i) => patch(id, { parent_id: ids[(i + 1) % ids.length] }))
      const statuses = (await Promise.all(moves)).map(({ status }) => status)
      expect(
        statuses.toSorted((a, b) => a - b),
        'one move would close the cycle',
      ).toEqual([200, 200, 200, 409])
      const parents = new Map((await Promise.all(ids.map(read))).map(({ id, ...one }) => [id, 'parent_id' in one ? one.parent_id : null])) // oxfmt-ignore
      for (const id of ids) expect(stepsToRoot(id, parents)).toBeLessThan(4)
    }
  })
})

function stepsToRoot(id: number, parents: ReadonlyMap<number, number | null>): number {
  let [at, steps] = [parents.get(id) ?? null, 0]
  while (at !== null && steps < 10) [at, steps] = [parents.get(at) ?? null, steps + 1]
  return steps
}

describe('D5.5 parents and deletion', () => {
  test('D5.5 only a location without live children can be deleted; moved and deleted ones do not count', async ({
    api,
    token,
  }) => {
    const { make, patch, remove, read } = locationsOf(api, token)
    const hall = await make()
    const [moved, gone] = [await make({ parent_id: hall.id }), await make({ parent_id: hall.id })]
    const { error } = (await remove(hall.id)).body
    expect(error).toMatchObject({
      type: 'conflict',
      detail: `location ${hall.external_key} still has child locations`,
    })
    expect(await read(hall.id)).toEqual(hall)
    expect((await remove(gone.id)).status).toBe(204)
    expect((await remove(hall.id)).status).toBe(409)
    await patch(moved.id, { parent_id: null })
    expect((await remove(hall.id)).status).toBe(204)
    expect(await read(moved.id)).toMatchObject(ROOT)
  })

  test('D5.5 a child that is inactive and outside its window is live, so its parent cannot be deleted', async ({
    api,
    token,
  }) => {
    const { make, remove } = locationsOf(api, token)
    const hall = await make()
    await make({ parent_id: hall.id, is_active: false, valid_from: '2999-01-01T00:00:00Z' })
    expect((await remove(hall.id)).status).toBe(409)
  })

  test('D5.5 creating below a location, moving into it and deleting it at the same time never leaves an orphan', async ({
    api,
    token,
  }) => {
    const { make, create, patch, remove, get } = locationsOf(api, token)
    for (let round = 0; round < 4; round += 1) {
      const [hall, shelf] = [await make(), await make()]
      const replies = await Promise.all([
        create({ parent_id: hall.id }),
        remove(hall.id),
        patch(shelf.id, { parent_external_key: hall.external_key }),
      ])
      const [created, removed, moved] = replies.map(({ status }) => status)
      if (removed === 204) expect([created, moved]).toEqual([400, 400])
      else expect([removed, created === 201 || moved === 200]).toEqual([409, true])
      expect((await get(hall.id)).status).toBe(removed === 204 ? 404 : 200)
    }
  })
})
