import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { Api } from './support/api.ts'
import { entry } from './support/entries.ts'
import { test } from './support/fixtures.ts'
import { codesOf, kinds, resourcesOf, type Kind } from './support/resources.ts'
import { UNKNOWN_ID } from './support/rows.ts'

/** Reads a list of a new organization as names. */
async function listOf(api: Api, newOrg: () => Promise<{ admin: string }>, kind: Kind) {
  const resources = resourcesOf(api, (await newOrg()).admin, kind)
  const names = async (query: NonNullable<Parameters<typeof resources.list>[0]>) =>
    (await resources.list(query)).body.data.map(({ name }) => name)
  return { ...resources, names }
}

describe('D4.11 D5.6 rows and pages', () => {
  test.for(kinds)(
    'a row of the %s list equals the response of GET, with tags and parent',
    async (kind, { api, newOrg }) => {
      const { make, read, list } = await listOf(api, newOrg, kind)
      const tags = ['a', 'b'].map((value) => ({ tag_type: 'barcode', value }))
      const one = await make({
        external_key: 'A',
        tags,
        description: 'two\nlines',
        valid_to: '2999-01-01T00:00:00Z',
      })
      const other = await make({
        external_key: 'B',
        ...(kind === 'asset' ? { metadata: { a: [1] } } : { parent_id: one.id }),
      })
      expect((await list()).body.data).toEqual([await read(one.id), await read(other.id)])
    },
  )

  test.for(kinds)(
    'D7.4 a page of %ss has 50 rows by default, and up to 200',
    async (kind, { api, newOrg }) => {
      const { make, list } = await listOf(api, newOrg, kind)
      await Promise.all(Array.from({ length: 53 }, () => make()))
      const sizes = async (query = {}) => {
        const { data, limit, offset, total_count } = (await list(query)).body
        return [data.length, limit, offset, total_count]
      }
      expect(await sizes()).toEqual([50, 50, 0, 53])
      expect(await sizes({ offset: 50 })).toEqual([3, 50, 50, 53])
      expect(await sizes({ limit: 200 })).toEqual([53, 200, 0, 53])
      expect(await sizes({ limit: 1, offset: 52 })).toEqual([1, 1, 52, 53])
    },
  )

  test.for(kinds)(
    'filters of the %s list are combined, and total_count counts the matching rows',
    async (kind, { api, newOrg }) => {
      const { make, list } = await listOf(api, newOrg, kind)
      for (const [i, is_active] of [true, false, true, false].entries())
        await make({ name: i < 2 ? 'Red box' : 'Blue box', external_key: `K-${i}`, is_active })
      const keys = async (query = {}) => (await list(query)).body.data.map(({ external_key }) => external_key)
      expect(await keys({ q: 'red', is_active: true })).toEqual(['K-0'])
      expect(await keys({ q: 'box', is_active: false, external_key: ['K-0', 'K-1', 'K-3', 'K-3'] })).toEqual([
        'K-1',
        'K-3',
      ])
      const page = (await list({ q: 'box', limit: 1, offset: 1, sort: '-external_key' })).body
      expect([page.data[0]?.external_key, page.total_count]).toEqual(['K-2', 4])
    },
  )

  test('filters of one list are unknown to the other, and legacy filters to both', async ({ api, org }) => {
    const [assets, locations] = [
      resourcesOf(api, org.admin, 'asset'),
      resourcesOf(api, org.admin, 'location'),
    ]
    const gone = 'location=A&location_id=5&location_external_key=A&identifier=A&parent_id=5'
    expect(codesOf(await assets.list(gone))).toEqual(
      ['identifier', 'location', 'location_external_key', 'location_id', 'parent_id'].map(
        (name) => `${name} unknown_field`,
      ),
    )
    expect(codesOf(await locations.list('type=asset&parent=A'))).toEqual([
      'parent unknown_field',
      'type unknown_field',
    ])
  })
})

describe('D4.11 D5.6 order', () => {
  test.for(kinds)(
    '%ss are ordered by external_key, by code point, by default',
    async (kind, { api, newOrg }) => {
      const { make, list } = await listOf(api, newOrg, kind)
      const keys = ['b', 'B-2', 'a1', 'B-10', 'A', '-', '9', 'Z', '10', 'B']
      for (const external_key of keys) await make({ external_key })
      const shown = async (query = {}) =>
        (await list(query)).body.data.map(({ external_key }) => external_key)
      const inOrder = ['-', '10', '9', 'A', 'B', 'B-10', 'B-2', 'Z', 'a1', 'b']
      expect(await shown()).toEqual(inOrder)
      expect(await shown({ sort: 'external_key' })).toEqual(inOrder)
      expect(await shown({ sort: '' }), 'D17.2').toEqual(inOrder)
      expect(await shown({ sort: '-external_key' })).toEqual(inOrder.toReversed())
    },
  )

  test.for(kinds)(
    '%ss with the same name are ordered by the next field, then by id',
    async (kind, { api, newOrg }) => {
      const { make, list } = await listOf(api, newOrg, kind)
      const made = []
      for (const [name, external_key] of [['ä', '1'], ['b', '2'], ['B', '3'], ['b', '4'], ['📦', '5'], ['b', '6']])
      made.push(await make({ name, external_key })) // oxfmt-ignore
      const keys = async (sort: string) =>
        (await list({ sort })).body.data.map(({ external_key }) => external_key)
      expect(await keys('name,-external_key')).toEqual(['3', '6', '4', '2', '1', '5'])
      expect(await keys('-name,external_key')).toEqual(['5', '1', '2', '4', '6', '3'])
      const twins = made.filter(({ name }) => name === 'b').toSorted((x, y) => x.id - y.id)
      expect(await keys('name')).toEqual(['3', ...twins.map(({ external_key }) => external_key), '1', '5'])
    },
  )

  test.for(kinds)(
    '%ss sorted by updated_at and created_at follow the order of events',
    async (kind, { api, newOrg }) => {
      const { make, patch, rename, attach, names } = await listOf(api, newOrg, kind)
      const made = []
      for (const name of ['first', 'second', 'third', 'fourth']) made.push(await make({ name }))
      const [one, two, three] = made.map(({ id }) => id)
      await patch(two ?? 0, {})
      await rename(one ?? 0, 'RENAMED')
      await attach(three ?? 0, { tag_type: 'ble', value: randomUUID() }) // touches nothing (D6.4)
      expect(await names({ sort: 'created_at' })).toEqual(['first', 'second', 'third', 'fourth'])
      expect(await names({ sort: '-created_at' })).toEqual(['fourth', 'third', 'second', 'first'])
      expect(await names({ sort: 'updated_at' })).toEqual(['third', 'fourth', 'second', 'first'])
      expect(await names({ sort: '-updated_at' })).toEqual(['first', 'second', 'fourth', 'third'])
    },
  )
})

describe('D4.11 search', () => {
  test.for(kinds)(
    'q of %ss searches name, key, description and live tags, literally, in any case',
    async (kind, { api, newOrg }) => {
      const { make, attach, detach, names } = await listOf(api, newOrg, kind)
      await make({ name: 'Gabelstapler für Ärmel 50%', external_key: 'Alpha-7' })
      await make({ name: 'under_score', description: 'line one\nLINE Two \\ back' })
      const { id } = await make({ name: 'tagged', tags: [{ tag_type: 'ble', value: 'AC:23:3f' }] })
      const { data } = (await attach(id, { tag_type: 'barcode', value: 'GONE-tag' })).body
      const found = (q: string) => names({ q, sort: 'name' })
      expect(await found('gone-TAG')).toEqual(['tagged'])
      await detach(id, data.id)
      const finds: [q: string, names: string[]][] = [
        ['gone-tag', []],
        ['ÄRMEL', ['Gabelstapler für Ärmel 50%']],
        ['alpha-7', ['Gabelstapler für Ärmel 50%']],
        ['50%', ['Gabelstapler für Ärmel 50%']],
        ['%', ['Gabelstapler für Ärmel 50%']],
        ['r_s', ['under_score']],
        ['one\nline', ['under_score']],
        [' \\ ', ['under_score']],
        ['.', []],
        ['ac:23:3F', ['tagged']],
        ['scoreline', []], // two fields are not one text
        ['7line', []],
        ['x'.repeat(255), []],
      ]
      for (const [q, expected] of finds) expect(await found(q), q).toEqual(expected)
    },
  )

  test('q does not search metadata or ids', async ({ api, newOrg }) => {
    const { make, names } = await listOf(api, newOrg, 'asset')
    const { id } = await make({ metadata: { secret: 'needle' } })
    for (const q of ['needle', 'secret', String(id)]) expect(await names({ q })).toEqual([])
  })
})

describe('D5.6 filters by parent', () => {
  test('D5.6 parent_id and parent_external_key are any-of; an unresolved value finds nothing', async ({
    api,
    newOrg,
  }) => {
    const { make, rename, names } = await listOf(api, newOrg, 'location')
    const [one, two] = [await make({ external_key: 'ONE' }), await make({ external_key: 'TWO' })]
    await make({ name: 'in one', external_key: 'A', parent_id: one.id })
    await make({ name: 'in two', external_key: 'B', parent_id: two.id })
    expect(await names({ parent_id: [one.id, two.id, UNKNOWN_ID] })).toEqual(['in one', 'in two'])
    expect(await names({ parent_external_key: ['TWO', 'NOWHERE'] })).toEqual(['in two'])
    await rename(two.id, 'THREE')
    expect(await names({ parent_external_key: 'TWO' })).toEqual([])
    expect(await names({ parent_external_key: 'THREE', q: 'two' })).toEqual(['in two'])
    for (const query of [
      { parent_id: UNKNOWN_ID },
      { parent_external_key: 'NOWHERE' },
      { parent_external_key: 'one' },
    ])
      expect(await names(query)).toEqual([])
  })

  test('D5.6 both parent filters at once are ambiguous on both', async ({ api, org }) => {
    const { body } = await resourcesOf(api, org.admin, 'location').list('parent_id=5&parent_external_key=A')
    const message = 'parent_id and parent_external_key cannot be used together'
    const both = ['parent_id', 'parent_external_key'].map((field) =>
      entry(field, 'ambiguous_fields', message),
    )
    expect(body.error.fields).toEqual(both)
  })
})
