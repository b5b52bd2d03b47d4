import type { LocationCreate, LocationView } from '@whereabouts/contracts/resources/catalog/locations'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { test, type Catalog } from '../../../test/catalog.fixture.ts'

const directions = ['ancestors', 'children', 'descendants'] as const

type Page = { data: LocationView[]; limit: number; offset: number; total_count: number }

async function read(catalog: Catalog, id: number, direction: string, query = ''): Promise<Page> {
  const res = await catalog.get(`/locations/${id}/${direction}${query}`)
  expect(res.statusCode).toBe(200)
  return res.json<Page>()
}

const namesOf = async (catalog: Catalog, id: number, direction: string, query?: string) =>
  (await read(catalog, id, direction, query)).data.map(({ name }) => name)

/** Locations by name. The parent has the name without the last word. */
async function grow(catalog: Catalog, names: readonly string[]): Promise<Record<string, LocationView>> {
  const made: Record<string, LocationView> = {}
  for (const name of names) {
    const parent = made[name.split(' ').slice(0, -1).join(' ')]
    made[name] = await catalog.location({ name, ...(parent && { parent_id: parent.id }) })
  }
  return made
}

const warehouse = ['W', 'W b', 'W a', 'W a 2', 'W a 1', 'W a 1 x', 'W b 1', 'other']

describe('D5.7', () => {
  test('ancestors are listed from the root to the parent', async ({ catalog }) => {
    const made = await grow(catalog, warehouse)
    expect(await namesOf(catalog, made['W a 1 x']!.id, 'ancestors')).toEqual(['W', 'W a', 'W a 1'])
    expect(await namesOf(catalog, made['W']!.id, 'ancestors')).toEqual([])
  })

  test('children are listed by name', async ({ catalog }) => {
    const made = await grow(catalog, warehouse)
    expect(await namesOf(catalog, made['W']!.id, 'children')).toEqual(['W a', 'W b'])
    expect(await namesOf(catalog, made['W a 2']!.id, 'children')).toEqual([])
  })

  test('descendants are listed depth first', async ({ catalog }) => {
    const made = await grow(catalog, warehouse)
    const inside = ['W a', 'W a 1', 'W a 1 x', 'W a 2', 'W b', 'W b 1']
    expect(await namesOf(catalog, made['W']!.id, 'descendants')).toEqual(inside)
    expect(await namesOf(catalog, made['W a']!.id, 'descendants')).toEqual(inside.slice(1, 4))
    expect(await namesOf(catalog, made['W a 2']!.id, 'descendants')).toEqual([])
  })

  test('siblings of the same name are sorted by id, each before its descendants', async ({ catalog }) => {
    const root = await catalog.location({ name: 'root' })
    const twins = await Promise.all(
      [1, 2, 3].map(() => catalog.location({ name: 'twin', parent_id: root.id })),
    )
    const ids = twins.map(({ id }) => id).toSorted((a, b) => a - b)
    const inside: number[] = []
    for (const parent_id of ids) inside.push((await catalog.location({ name: 'a', parent_id })).id)
    const idsOf = async (direction: string) =>
      (await read(catalog, root.id, direction)).data.map((row) => row.id)
    expect(await idsOf('children')).toEqual(ids)
    expect(await idsOf('descendants')).toEqual(ids.flatMap((id, i) => [id, inside[i]]))
  })

  // One name is the beginning of another, and one character sorts before the separator of paths.
  test('whole names are compared, by code point', async ({ catalog }) => {
    const root = await catalog.location({ name: 'root' })
    const names = ['a', 'a b', 'a!', 'ab', 'B', 'é', '中']
    for (const name of names) {
      const { id } = await catalog.location({ name, parent_id: root.id })
      await catalog.location({ name: `in ${name}`, parent_id: id })
    }
    const sorted = ['B', 'a', 'a b', 'a!', 'ab', 'é', '中']
    expect(await namesOf(catalog, root.id, 'children')).toEqual(sorted)
    expect(await namesOf(catalog, root.id, 'descendants')).toEqual(sorted.flatMap((n) => [n, `in ${n}`]))
  })

  test('rows are the views of the detail route, with their tags and parents', async ({ catalog }) => {
    const made = await grow(catalog, ['W', 'W a', 'W a 1'])
    await catalog.tag(`/locations/${made['W a']!.id}`, { tag_type: 'ble', value: 'AA' })
    const detail = (await catalog.get(`/locations/${made['W a']!.id}`)).json().data
    expect((await read(catalog, made['W a 1']!.id, 'ancestors')).data[1]).toEqual(detail)
    expect((await read(catalog, made['W']!.id, 'children')).data[0]).toEqual(detail)
    expect((await read(catalog, made['W']!.id, 'descendants')).data[0]).toEqual(detail)
  })

  test('live rows are listed, valid or not, active or not', async ({ catalog }) => {
    const root = await catalog.location({
      name: 'root',
      valid_to: '2001-01-01T00:00:00Z',
      valid_from: '2000-01-01T00:00:00Z',
    })
    const of = (fields: Partial<LocationCreate>) => catalog.location({ parent_id: root.id, ...fields })
    const future = await of({ name: 'future', valid_from: '2999-01-01T00:00:00Z' })
    await of({ name: 'idle', is_active: false })
    const gone = await of({ name: 'gone' })
    await catalog.delete(`/locations/${gone.id}`)
    expect(await namesOf(catalog, root.id, 'children')).toEqual(['future', 'idle'])
    expect(await namesOf(catalog, root.id, 'descendants')).toEqual(['future', 'idle'])
    expect(await namesOf(catalog, future.id, 'ancestors')).toEqual(['root'])
  })
})

describe.for(directions)('D5.7 %s', (direction) => {
  test('pages fit together, and the total is the same beyond the end', async ({ catalog }) => {
    const made = await grow(catalog, [
      'W',
      'W a',
      'W a 1',
      'W a 1 x',
      'W a 1 x y',
      'W a 2',
      'W b',
      'W c',
      'W c 1',
    ])
    const { id } = made[direction === 'ancestors' ? 'W a 1 x y' : 'W']!
    const whole = await read(catalog, id, direction)
    expect(whole).toMatchObject({ limit: 50, offset: 0, total_count: whole.data.length })
    expect(whole.data.length).toBeGreaterThan(2)
    for (const limit of [1, 2, 200]) {
      const pages: LocationView[] = []
      for (let offset = 0; offset < whole.data.length; offset += limit) {
        const page = await read(catalog, id, direction, `?limit=${limit}&offset=${offset}`)
        expect(page).toMatchObject({ limit, offset, total_count: whole.total_count })
        pages.push(...page.data)
      }
      expect(pages).toEqual(whole.data)
    }
    for (const offset of [whole.total_count, 9_007_199_254_740_991])
      expect(await read(catalog, id, direction, `?offset=${offset}`)).toMatchObject({
        data: [],
        total_count: whole.total_count,
      })
  })

  test('a missing, deleted or foreign location answers 404', async ({ catalog, otherOrg }) => {
    const theirs = await catalog.location({ name: 'Theirs' }, { org: otherOrg })
    await catalog.location({ name: 'Theirs inside', parent_id: theirs.id }, { org: otherOrg })
    const gone = await catalog.location({ name: 'Gone' })
    await catalog.delete(`/locations/${gone.id}`)
    for (const id of [theirs.id, gone.id, 4_503_599_627_370_497, 9_007_199_254_740_992]) {
      const res = await catalog.get(`/locations/${id}/${direction}?offset=3`)
      expect(res.json().error).toMatchObject({ type: 'not_found', detail: 'Location not found' })
    }
  })

  test('sort, filters of other lists and unknown parameters are refused together', async ({ catalog }) => {
    const { id } = await catalog.location()
    const query = 'zebra=1&sort=name&q=a&is_active=true&limit=0&offset=x&location_id=1'
    const res = await catalog.get(`/locations/${id}/${direction}?${query}`)
    expect(res.statusCode).toBe(400)
    const refused = (field: string) => ({
      field,
      code: 'invalid_context',
      message: `${field} is not supported on this endpoint`,
    })
    expect(res.json().error.fields).toEqual([
      refused('is_active'),
      refused('location_id'),
      refused('q'),
      { field: 'sort', code: 'invalid_value', message: 'sort parameter not supported on this endpoint' },
      { field: 'zebra', code: 'unknown_field', message: 'unknown parameter "zebra"' },
      { field: 'limit', code: 'too_small', message: 'limit must be ≥ 1', params: { min: 1 } },
      { field: 'offset', code: 'invalid_value', message: 'offset must be an integer' },
    ])
  })

  test('D7.7 an invalid id is refused', async ({ catalog }) => {
    const fieldOf = async (id: string) =>
      (await catalog.get(`/locations/${id}/${direction}`)).json().error.fields[0]
    expect(await fieldOf('0')).toMatchObject({ field: 'location_id', code: 'too_small' })
    expect(await fieldOf('x')).toMatchObject({ field: 'location_id', code: 'invalid_value' })
  })
})

describe('a tree of ten thousand', () => {
  /** Written by the owner of the tables, because the API would need a minute. */
  async function plant({ database: { db }, orgId }: Catalog, parentOf: string): Promise<number[]> {
    const base = orgId * 1_000_000
    await sql`
      insert into location (org_id, id, external_key, name, parent_id)
      select ${orgId}, ${base}::bigint + i, 'L-' || i, repeat('n', 250) || to_char(i, 'FM00000'),
             case when i > 0 then ${base}::bigint + (${sql.raw(parentOf)}) end
      from generate_series(0, 10000) as i`.execute(db)
    await sql`analyze location`.execute(db)
    return Array.from({ length: 10_001 }, (_, i) => base + i)
  }
  const idsOf = ({ data }: Page) => data.map(({ id }) => id)

  test('as one chain', async ({ catalog }) => {
    const ids = await plant(catalog, 'i - 1')
    const below = await read(catalog, ids[0]!, 'descendants', '?limit=2&offset=9998')
    expect([below.total_count, idsOf(below)]).toEqual([10_000, ids.slice(9_999)])
    const above = await read(catalog, ids.at(-1)!, 'ancestors', '?limit=2&offset=9998')
    expect([above.total_count, idsOf(above)]).toEqual([10_000, ids.slice(9_998, 10_000)])
  })

  test('with one parent', async ({ catalog }) => {
    const ids = await plant(catalog, '0')
    for (const direction of ['children', 'descendants']) {
      const last = await read(catalog, ids[0]!, direction, '?limit=2&offset=9998')
      expect([last.total_count, idsOf(last)]).toEqual([10_000, ids.slice(9_999)])
    }
  })

  // The walk goes up past each pair.
  test('in nested pairs', async ({ catalog }) => {
    const ids = await plant(catalog, '((i - 1) / 2) * 2')
    const all = await read(catalog, ids[0]!, 'descendants', '?limit=200')
    const [first, ...rest] = idsOf(all)
    expect([all.total_count, first]).toEqual([10_000, ids[1]])
    expect(rest.slice(0, 3)).toEqual([ids[2], ids[3], ids[4]])
    const last = await read(catalog, ids[0]!, 'descendants', '?limit=1&offset=9999')
    expect(idsOf(last)).toEqual([ids[10_000]])
  })
})
