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

/** Names whose order is not that of keys and of making; two siblings share one. */
async function plant(api: Api, token: string) {
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

async function newHome(api: Api) {
  const { admin: token } = await newOrganization(api)
  const plan = await plant(api, token)
  const look = (branch: Branch, location_id: number, query: CallOptions['query'] = {}) =>
    api.call(branches[branch], { token, params: { location_id }, query })
  return { token, look, ...plan }
}

const test = base.extend('home', { scope: 'file' }, ({ api }) => newHome(api))

describe('D5.7 the tree', () => {
  test('D5.7 ancestors: the root first, the parent last, itself not', async ({ home }) => {
    const { look, deep, site, hall, z } = home
    expect((await look('ancestors', deep.id)).body.data).toEqual([site, hall, z])
    expect((await look('ancestors', hall.id)).body.data).toEqual([site])
    expect((await look('ancestors', site.id)).body).toEqual({
      data: [],
      limit: 50,
      offset: 0,
      total_count: 0,
    })
  })

  test('D5.7 children: live ones by name, then id, whatever their window', async ({ home }) => {
    const { look, hall, a, b, z, twins, deep } = home
    expect((await look('children', hall.id)).body.data).toEqual([b, z, a])
    expect((await look('children', b.id)).body.data).toEqual(twins)
    expect((await look('children', deep.id)).body.data).toEqual([])
  })

  test('D5.7 descendants: depth first, siblings by name, then id', async ({ home }) => {
    const { look, site, hall, a, b, z, twins, deep } = home
    expect((await look('descendants', site.id)).body.data).toEqual([hall, b, ...twins, z, deep, a])
    expect((await look('descendants', z.id)).body.data).toEqual([deep])
    expect((await look('descendants', a.id)).body.data).toEqual([])
  })

  test.for(names)(
    'D5.7 D7.4 %s are paged: pages cover them once, total_count counts all',
    async (branch, { home }) => {
      const { look } = home
      const id = branch === 'ancestors' ? home.deep.id : home.hall.id
      const { data: all, total_count } = (await look(branch, id)).body
      expect(total_count).toBe(all.length)
      expect(all.length).toBeGreaterThanOrEqual(3)
      const paged = []
      for (let offset = 0; offset < all.length; offset += 2) {
        const { body } = await look(branch, id, { limit: 2, offset })
        expect(body).toMatchObject({ limit: 2, offset, total_count })
        paged.push(...body.data)
      }
      expect(paged).toEqual(all)
      expect((await look(branch, id, { offset: 1_000 })).body).toEqual({
        data: [],
        limit: 50,
        offset: 1_000,
        total_count,
      })
    },
  )

  test.for(names)('D5.7 sort of %s is invalid_value, whatever it names', async (branch, { home }) => {
    const { look, hall } = home
    const message = 'sort parameter not supported on this endpoint'
    for (const sort of ['name', '-external_key', 'colour', ''])
      expect((await look(branch, hall.id, { sort })).body.error.fields).toEqual([
        { field: 'sort', code: 'invalid_value', message },
      ])
  })

  test.for(names)(
    'D7.3 filters of lists are out of place on %s, beside what is unknown or wrong',
    async (branch, { home }) => {
      const answer = await home.look(
        branch,
        home.hall.id,
        'include_deleted=true&q=a&is_active=true&colour=red&limit=0&sort=name',
      )
      expect(codesOf(answer).toSorted()).toEqual([
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
    async (branch, { api, home, newOrg }) => {
      const theirs = await resourcesOf(api, (await newOrg()).admin, 'location').make()
      for (const id of [UNKNOWN_ID, home.gone.id, theirs.id]) {
        const { error } = (await home.look(branch, id)).body
        expect(error).toMatchObject({ type: 'not_found', detail: 'Location not found' })
      }
    },
  )

  test('D8.9 the tree shows a move, a rename and a deletion at once', async ({ api }) => {
    const { look, token, hall, z, a, deep, site } = await newHome(api)
    const { patch, rename, remove } = resourcesOf(api, token, 'location')
    await patch(z.id, { parent_id: a.id, name: 'Moved' })
    await rename(a.id, 'RENAMED')
    await remove(deep.id)
    const ancestors = (await look('ancestors', z.id)).body.data
    expect(ancestors.map(({ id }) => id)).toEqual([site.id, hall.id, a.id])
    expect((await look('descendants', a.id)).body.data).toMatchObject([
      { id: z.id, parent_external_key: 'RENAMED' },
    ])
    expect((await look('children', z.id)).body.data).toEqual([])
  })
})
