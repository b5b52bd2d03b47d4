import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { describe, expect } from 'vitest'
import type { Catalog } from '../../../test/catalog.fixture.ts'
import { test } from '../../../test/imports.fixture.ts'

const home = ({ home_location_id: id, home_location_external_key: key }: AssetView) => [id, key]
const read = async (catalog: Catalog, id: number): Promise<AssetView> =>
  (await catalog.get(`/assets/${id}`)).json().data
const listed = async (catalog: Catalog, query = ''): Promise<AssetView[]> =>
  (await catalog.get(`/assets?limit=200&${query}`)).json().data

describe('D21.1 the home of an asset', () => {
  test('is set, changed and removed by id, key or both, and each change has an event that names the fields', async ({
    catalog,
  }) => {
    const [a, b] = [
      await catalog.location({ external_key: 'A' }),
      await catalog.location({ external_key: 'B' }),
    ]
    const { id } = await catalog.asset({ home_location_external_key: 'A' })
    await catalog.takeEvents()
    for (const [body, expected] of [
      [{ home_location_id: b.id }, [b.id, 'B']],
      [{ home_location_id: a.id, home_location_external_key: 'A' }, [a.id, 'A']],
      [{ home_location_external_key: null }, [null, null]],
    ] as const) {
      const { data } = (await catalog.patch(`/assets/${id}`, body)).json()
      expect(home(data)).toEqual(expected)
      expect(await read(catalog, id)).toEqual(data)
      expect(await catalog.takeEvents()).toMatchObject([
        { data: { asset: data, changed: ['home_location_external_key', 'home_location_id'] } },
      ])
    }
  })

  test('is a live location of the same organization', async ({ catalog, otherOrg }) => {
    const theirs = await catalog.location({ external_key: 'THEIRS' }, { org: otherOrg })
    const gone = await catalog.location({ external_key: 'GONE' })
    await catalog.delete(`/locations/${gone.id}`)
    const { id } = await catalog.asset()
    for (const field of ['home_location_id', 'home_location_external_key'])
      for (const place of [theirs, gone]) {
        const body = { [field]: field === 'home_location_id' ? place.id : place.external_key }
        for (const answer of [
          await catalog.patch(`/assets/${id}`, body),
          await catalog.post('/assets', { name: 'New', ...body }),
        ])
          expect([answer.statusCode, answer.json().error.fields]).toMatchObject([
            400,
            [{ field, code: 'fk_not_found' }],
          ])
      }
    expect(home(await read(catalog, id))).toEqual([null, null])
  })

  test('that is renamed, deleted and restored shows its key of now, in all views, states and lists', async ({
    catalog,
  }) => {
    const place = await catalog.location({ external_key: 'K0' })
    const { id } = await catalog.asset({ home_location_id: place.id })
    const shows = async (key: string | null) => {
      for (let round = 0; round < 3; round += 1) {
        expect(home(await read(catalog, id))).toEqual([place.id, key])
        expect((await listed(catalog)).map(home)).toEqual([[place.id, key]])
        expect((await listed(catalog, 'q=fork')).map(home)).toEqual([[place.id, key]])
      }
      // Texts are made after a list has missed them.
      await expect
        .poll(async () => {
          await listed(catalog)
          const { rows } = await catalog.database.pool.query(
            'select home_key from asset_text where id = $1',
            [id],
          )
          return rows
        })
        .toEqual([{ home_key: key }])
      expect((await listed(catalog)).map(home)).toEqual([[place.id, key]])
    }
    await shows('K0')
    await catalog.post(`/locations/${place.id}/rename`, { external_key: 'K1' })
    await shows('K1')
    await catalog.delete(`/locations/${place.id}`)
    await shows(null)
    await catalog.post(`/locations/${place.id}/restore`, {})
    await shows('K1')
  })

  test('that was deleted comes back with its asset as it is, by PATCH, batch and file, until it is removed', async ({
    catalog,
    imports,
  }) => {
    const place = await catalog.location({ external_key: 'OLD' })
    const { id, external_key } = await catalog.asset({ home_location_id: place.id })
    await catalog.delete(`/locations/${place.id}`)
    const item = { external_key, home_location_id: place.id, home_location_external_key: null }
    for (let round = 0; round < 3; round += 1) {
      const sent = await read(catalog, id)
      expect((await catalog.patch(`/assets/${id}`, sent)).statusCode).toBe(200)
      const batch = (await catalog.post('/assets/batch', { items: [item] })).json()
      expect(batch.data).toMatchObject([{ status: 'unchanged' }])
      const file = (await catalog.get('/exports/assets')).body
      expect(await imports.run('assets', file)).toMatchObject({ unchanged: 1, failed: 0 })
      expect(home(await read(catalog, id))).toEqual([place.id, null])
    }
    const removed = (
      await catalog.post('/assets/batch', { items: [{ external_key, home_location_id: null }] })
    ).json()
    expect(removed.data).toMatchObject([{ status: 'updated' }])
    expect(home(await read(catalog, id))).toEqual([null, null])
  })

  test('is set by a batch, which refuses items one by one and changes nothing in a dry run', async ({
    catalog,
    otherOrg,
  }) => {
    const [a, b] = [
      await catalog.location({ external_key: 'A' }),
      await catalog.location({ external_key: 'B' }),
    ]
    const theirs = await catalog.location({ external_key: 'THEIRS' }, { org: otherOrg })
    const items = [
      { external_key: 'BY-KEY', name: 'n', home_location_external_key: 'A' },
      { external_key: 'BY-ID', name: 'n', home_location_id: b.id },
      { external_key: 'BOTH', name: 'n', home_location_id: b.id, home_location_external_key: 'B' },
      { external_key: 'DIFFER', name: 'n', home_location_id: a.id, home_location_external_key: 'B' },
      { external_key: 'HALF', name: 'n', home_location_id: null, home_location_external_key: 'B' },
      { external_key: 'FOREIGN', name: 'n', home_location_id: theirs.id },
      { external_key: 'UNKNOWN', name: 'n', home_location_external_key: 'THEIRS' },
    ]
    const send = async (query: string) => {
      const { data } = (await catalog.post(`/assets/batch${query}`, { items })).json()
      return data.map(
        (one: { status: string; error: { fields: { field: string; code: string }[] } | null }) =>
          one.error ? one.error.fields.map(({ field, code }) => `${field} ${code}`).join() : one.status,
      )
    }
    const DIFFER = 'home_location_id ambiguous_fields,home_location_external_key ambiguous_fields'
    const failures = [
      DIFFER,
      DIFFER,
      'home_location_id fk_not_found',
      'home_location_external_key fk_not_found',
    ]
    expect(await send('?dry_run=true')).toEqual([...Array(3).fill('created'), ...failures])
    expect(await listed(catalog)).toEqual([])
    expect(await send('')).toEqual([...Array(3).fill('created'), ...failures])
    expect(await send('')).toEqual([...Array(3).fill('unchanged'), ...failures])
    const stored = await listed(catalog)
    expect(stored.map((one) => [one.external_key, home(one)])).toEqual([
      ['BOTH', [b.id, 'B']],
      ['BY-ID', [b.id, 'B']],
      ['BY-KEY', [a.id, 'A']],
    ])
  })

  test('is a column of files: set, changed, cleared by an empty cell, refused by row; a dry run says the same', async ({
    catalog,
    imports,
  }) => {
    for (const external_key of ['A', 'B']) await catalog.location({ external_key })
    const outcomes = [['created', 'created', 'failed'], ['updated', 'unchanged', 'failed'], ['updated', 'updated', 'failed']] // oxfmt-ignore
    for (const [step, cells] of [
      ['A', 'B', 'X'],
      ['B', 'B', 'X'],
      ['', 'A', 'X'],
    ].entries()) {
      const csv = [
        'external_key,name,Home location external key',
        ...cells.map((cell, i) => `F-${i},n,${cell}`),
      ]
      for (const dryRun of [true, false]) {
        const { rows } = await imports.run('assets', csv.join('\n'), { dryRun })
        expect(rows.map(({ outcome }) => outcome)).toEqual(outcomes[step])
        expect(rows[2]?.errors).toMatchObject([{ field: 'home_location_external_key', code: 'fk_not_found' }])
        if (step > 0) expect(rows[0]?.changes).toEqual(['home_location_external_key'])
      }
    }
    expect((await listed(catalog)).map((one) => home(one)[1])).toEqual([null, 'A'])
  })

  test('filters the list, also with a search and after the home was deleted, within the organization', async ({
    catalog,
    otherOrg,
  }) => {
    const [a, b] = [await catalog.location(), await catalog.location()]
    const theirs = await catalog.location({}, { org: otherOrg })
    await catalog.asset({ home_location_id: theirs.id }, { org: otherOrg })
    for (const [external_key, home_location_id] of [['IN-A', a.id], ['IN-B', b.id], ['NONE', null]] as const)
      await catalog.asset({ external_key, home_location_id }) // oxfmt-ignore
    const keys = async (query: string) =>
      (await listed(catalog, query)).map(({ external_key }) => external_key)
    await catalog.delete(`/locations/${b.id}`)
    expect(await keys(`home_location_id=${a.id}`)).toEqual(['IN-A'])
    expect(await keys(`home_location_id=${a.id}&home_location_id=${b.id}&q=in-`)).toEqual(['IN-A', 'IN-B'])
    expect(await keys(`home_location_id=${theirs.id}`)).toEqual([])
    const file = await catalog.get(`/exports/assets?home_location_id=${a.id}`)
    expect(file.body.split('\r\n').slice(1, -1)).toHaveLength(1)
  })

  test('stays live until a change that names it is stored', async ({ catalog }) => {
    const { database } = catalog
    const place = await catalog.location()
    const { id } = await catalog.asset()
    const patching = await database.db.transaction().execute(async (tx) => {
      await tx
        .updateTable('location')
        .set({ deleted_at: new Date().toISOString() })
        .where('id', '=', place.id)
        .execute()
      const reply = catalog.patch(`/assets/${id}`, { home_location_id: place.id })
      await expect.poll(() => catalog.waitingForLocks()).toBe(1)
      return { reply }
    })
    expect((await patching.reply).json().error.fields).toMatchObject([{ code: 'fk_not_found' }])
  })
})
