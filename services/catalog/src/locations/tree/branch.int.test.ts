import type { LocationOfBranch } from '@whereabouts/contracts/resources/catalog/location-tree'
import type { LocationCreate } from '@whereabouts/contracts/resources/catalog/locations'
import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../../test/catalog.fixture.ts'

type Page = { data: LocationOfBranch[]; limit: number; offset: number; total_count: number }

const branch = async (catalog: Catalog, query = '', org = catalog.orgId) =>
  (await catalog.get(`/locations/branch${query}`, { org })).json<Page>()

const shown = ({ data }: Page) => data.map(({ name, children_count }) => [name, children_count])

/** Hall B with two aisles, one of which has a shelf, and the empty hall A. */
async function halls(catalog: Catalog) {
  const make = (name: string, parent_id?: number, fields: Partial<LocationCreate> = {}) =>
    catalog.location({ name, ...(parent_id !== undefined && { parent_id }), ...fields })
  const b = await make('Hall B')
  const a = await make('Hall A')
  const two = await make('Aisle 2', b.id)
  const one = await make('Aisle 1', b.id)
  const shelf = await make('Shelf', two.id)
  return { a, b, one, two, shelf, make }
}

describe('GET /locations/branch', () => {
  test('lists the roots or the children of a location by name, with their numbers of children', async ({
    catalog,
  }) => {
    const { a, b, shelf } = await halls(catalog)
    expect(shown(await branch(catalog))).toEqual([['Hall A', 0], ['Hall B', 2]]) // oxfmt-ignore
    expect(shown(await branch(catalog, `?parent_id=${b.id}`))).toEqual([['Aisle 1', 0], ['Aisle 2', 1]]) // oxfmt-ignore
    for (const { id } of [a, shelf])
      expect(await branch(catalog, `?parent_id=${id}`)).toMatchObject({ data: [], total_count: 0 })
  })

  test('a row is the view of the detail route with the number of children', async ({ catalog }) => {
    const { b, two } = await halls(catalog)
    await catalog.tag(`/locations/${two.id}`, { tag_type: 'ble', value: 'AA' })
    const detail = (await catalog.get(`/locations/${two.id}`)).json().data
    expect((await branch(catalog, `?parent_id=${b.id}`)).data[1]).toEqual({ ...detail, children_count: 1 })
  })

  test('contains live rows with any window; deleted ones do not count', async ({ catalog }) => {
    const { a, b, one, make } = await halls(catalog)
    await make('Hall C', undefined, { valid_from: '2999-01-01T00:00:00Z' })
    await catalog.delete(`/locations/${one.id}`)
    await catalog.delete(`/locations/${a.id}`)
    expect(shown(await branch(catalog))).toEqual([['Hall B', 1], ['Hall C', 0]]) // oxfmt-ignore
    expect(shown(await branch(catalog, `?parent_id=${b.id}`))).toEqual([['Aisle 2', 1]])
  })

  test("does not show or count another organization's tree", async ({ catalog, otherOrg }) => {
    const { b } = await halls(catalog)
    const theirs = await catalog.location({ name: 'Theirs' }, { org: otherOrg })
    expect(shown(await branch(catalog, '', otherOrg))).toEqual([['Theirs', 0]])
    expect((await branch(catalog)).total_count).toBe(2)
    for (const [org, id] of [[otherOrg, b.id], [catalog.orgId, theirs.id]] as const) {
      const res = await catalog.get(`/locations/branch?parent_id=${id}&offset=3`, { org })
      expect(res.json().error).toMatchObject({ type: 'not_found', detail: 'Location not found' })
    } // oxfmt-ignore
  })

  test('answers 404 for a missing or deleted parent', async ({ catalog }) => {
    const gone = await catalog.location()
    await catalog.delete(`/locations/${gone.id}`)
    for (const id of [gone.id, 4_503_599_627_370_497])
      expect((await catalog.get(`/locations/branch?parent_id=${id}`)).statusCode).toBe(404)
  })

  test('pages fit together, also beyond the end', async ({ catalog }) => {
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names) await catalog.location({ name })
    const pages = []
    for (const offset of [0, 2, 4]) pages.push(await branch(catalog, `?limit=2&offset=${offset}`))
    expect(pages.flatMap(({ data }) => data.map(({ name }) => name))).toEqual(names)
    for (const page of [...pages, await branch(catalog, '?offset=5')]) expect(page.total_count).toBe(5)
  })

  test('takes one parent', async ({ catalog }) => {
    const codes = async (query: string) =>
      (await catalog.get(`/locations/branch?${query}`)).json().error.fields
    expect(await codes('parent_id=1&parent_id=2')).toMatchObject([
      { field: 'parent_id', message: 'parent_id must be sent only once' },
    ])
    expect(await codes('parent_id=x&sort=name&colour=red')).toMatchObject([
      { field: 'colour', code: 'unknown_field' },
      { field: 'sort', code: 'unknown_field' },
      { field: 'parent_id', code: 'invalid_value' },
    ])
  })
})
