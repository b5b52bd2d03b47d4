import { describe, expect } from 'vitest'
import type { Api, CallOptions } from './support/api.ts'
import { test as base } from './support/fixtures.ts'
import { newOrganization } from './support/organization.ts'
import { codesOf, resourcesOf } from './support/resources.ts'
import { UNKNOWN_ID } from './support/rows.ts'

const branches = {
  ancestors: 'listLocationAncestors',
  children: 'listLocationChildren',
  descendants: 'listLocationDescendants',
} as const
type Branch = keyof typeof branches
const names = Object.keys(branches) as Branch[]

/** The order of names is not that of keys or of creation. Two siblings share a name. */
async function createTree(api: Api, token: string) {
  const { make, remove } = resourcesOf(api, token, 'location')
  const below = (name: string, parent: { id: number }, body: object = {}) =>
    make({ name, parent_id: parent.id, ...body })
  const site = await make({ name: 'Site' })
  const hall = await below('Hall', site)
  const z = await below('Zone Z', hall)
  const a = await below('Zone a', hall, { is_active: false })
  const b = await below('Zone B', hall, { valid_from: '2999-01-01T00:00:00Z' })
  const twins = [await below('Bin', b), await below('Bin', b)].toSorted((x, y) => x.id - y.id)
  const deep = await below('Deep', z, { tags: [{ tag_type: 'barcode', value: `deep-${site.id}` }] })
  const gone = await below('Gone', hall)
  await remove(gone.id)
  await make({ name: 'Elsewhere' })
  return { site, hall, a, b, z, twins, deep, gone }
}

async function newTree(api: Api) {
  const { admin: token } = await newOrganization(api)
  const plan = await createTree(api, token)
  const read = (branch: Branch, location_id: number, query: CallOptions['query'] = {}) =>
    api.call(branches[branch], { token, params: { location_id }, query })
  return { token, read, ...plan }
}

const test = base.extend('tree', { scope: 'file' }, ({ api }) => newTree(api))

describe('D5.7 the tree', () => {
  test('D5.7 ancestors: from the root to the parent, without the location itself', async ({ tree }) => {
    const { read, deep, site, hall, z } = tree
    expect((await read('ancestors', deep.id)).body.data).toEqual([site, hall, z])
    expect((await read('ancestors', hall.id)).body.data).toEqual([site])
    expect((await read('ancestors', site.id)).body).toEqual({
      data: [],
      limit: 50,
      offset: 0,
      total_count: 0,
    })
  })

  test('D5.7 children: live ones with any window, by name, then id', async ({ tree }) => {
    const { read, hall, a, b, z, twins, deep } = tree
    expect((await read('children', hall.id)).body.data).toEqual([b, z, a])
    expect((await read('children', b.id)).body.data).toEqual(twins)
    expect((await read('children', deep.id)).body.data).toEqual([])
  })

  test('D5.7 descendants: depth first, siblings by name, then id', async ({ tree }) => {
    const { read, site, hall, a, b, z, twins, deep } = tree
    expect((await read('descendants', site.id)).body.data).toEqual([hall, b, ...twins, z, deep, a])
    expect((await read('descendants', z.id)).body.data).toEqual([deep])
    expect((await read('descendants', a.id)).body.data).toEqual([])
  })

  test.for(names)(
    'D5.7 D7.4 %s are paged: pages cover them once, total_count counts all',
    async (branch, { tree }) => {
      const { read } = tree
      const id = branch === 'ancestors' ? tree.deep.id : tree.hall.id
      const { data: all, total_count } = (await read(branch, id)).body
      expect(total_count).toBe(all.length)
      expect(all.length).toBeGreaterThanOrEqual(3)
      const paged = []
      for (let offset = 0; offset < all.length; offset += 2) {
        const { body } = await read(branch, id, { limit: 2, offset })
        expect(body).toMatchObject({ limit: 2, offset, total_count })
        paged.push(...body.data)
      }
      expect(paged).toEqual(all)
      expect((await read(branch, id, { offset: 1_000 })).body).toEqual({
        data: [],
        limit: 50,
        offset: 1_000,
        total_count,
      })
    },
  )

  test.for(names)('D5.7 sort of %s is invalid_value with any value', async (branch, { tree }) => {
    const { read, hall } = tree
    const message = 'sort parameter not supported on this endpoint'
    for (const sort of ['name', '-external_key', 'colour', ''])
      expect((await read(branch, hall.id, { sort })).body.error.fields).toEqual([
        { field: 'sort', code: 'invalid_value', message },
      ])
  })

  test.for(names)(
    'D7.3 filters of lists are invalid_context on %s, reported with unknown and wrong ones',
    async (branch, { tree }) => {
      const reply = await tree.read(
        branch,
        tree.hall.id,
        'include_deleted=true&q=a&is_active=true&colour=red&limit=0&sort=name',
      )
      expect(codesOf(reply).toSorted()).toEqual([
        'colour unknown_field',
        'include_deleted invalid_context',
        'is_active invalid_context',
        'limit too_small',
        'q invalid_context',
        'sort invalid_value',
      ])
    },
  )

  test.for(names)(
    'D5.7 %s of a missing, deleted or foreign location are 404',
    async (branch, { api, tree, newOrg }) => {
      const theirs = await resourcesOf(api, (await newOrg()).admin, 'location').make()
      for (const id of [UNKNOWN_ID, tree.gone.id, theirs.id]) {
        const { error } = (await tree.read(branch, id)).body
        expect(error).toMatchObject({ type: 'not_found', detail: 'Location not found' })
      }
    },
  )

  test('D8.9 the tree shows a move, a rename and a deletion at once', async ({ api }) => {
    const { read, token, hall, z, a, deep, site } = await newTree(api)
    const { patch, rename, remove } = resourcesOf(api, token, 'location')
    await patch(z.id, { parent_id: a.id, name: 'Moved' })
    await rename(a.id, 'RENAMED')
    await remove(deep.id)
    const ancestors = (await read('ancestors', z.id)).body.data
    expect(ancestors.map(({ id }) => id)).toEqual([site.id, hall.id, a.id])
    expect((await read('descendants', a.id)).body.data).toMatchObject([
      { id: z.id, parent_external_key: 'RENAMED' },
    ])
    expect((await read('children', z.id)).body.data).toEqual([])
  })
})
