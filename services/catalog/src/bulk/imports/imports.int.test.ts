import type { AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import type { LocationView } from '@whereabouts/contracts/resources/catalog/locations'
import { describe, expect } from 'vitest'
import { test } from '../../../test/imports.fixture.ts'

const lines = (...rows: string[]) => rows.join('\n')

describe('D10 importing assets', () => {
  test('a row without a stored asset creates it, with the values of all columns', async ({
    catalog,
    imports,
  }) => {
    const csv = lines(
      'external_key,name,description,type,is_active,valid_from,valid_to,metadata,rfid,ble,barcode',
      'F-1,Forklift,"two\r\nlines",person,FALSE,2026-01-02T03:04:05+01:00,2027-01-01T00:00:00Z,"{""maker"":""Linde""}",E1|E2,,a\\|b',
    )
    const done = await imports.run('assets', csv)
    expect(done).toMatchObject({ state: 'done', rows_total: 1, rows_done: 1, created: 1, failed: 0 })
    const row = {
      line: 2,
      outcome: 'created',
      external_key: 'F-1',
      id: expect.any(Number),
      changes: [],
      errors: [],
      warnings: [],
    }
    expect(done.rows).toEqual([row])
    const asset = (await catalog.get(`/assets/${done.rows[0]?.id}`)).json<{ data: AssetView }>().data
    expect(asset).toMatchObject({
      external_key: 'F-1',
      name: 'Forklift',
      description: 'two\r\nlines',
      type: 'person',
      is_active: false,
      valid_from: '2026-01-02T02:04:05.000Z',
      valid_to: '2027-01-01T00:00:00.000Z',
      metadata: { maker: 'Linde' },
      tags: [
        { tag_type: 'rfid', value: 'E1' },
        { tag_type: 'rfid', value: 'E2' },
        { tag_type: 'barcode', value: 'a|b' },
      ],
    })
    const { tags, home_location_external_key: _key, ...state } = asset
    const [first, ...others] = (await catalog.takeOutbox()).map(({ payload }) => payload)
    expect(first).toMatchObject({ ...state, revision: expect.any(Number) })
    const byValue = new Map(others.map((payload) => [payload['value'], payload]))
    expect(new Set(byValue.keys())).toEqual(new Set(['E1', 'E2', 'a|b']))
    for (const { epc: _, ...tag } of tags)
      expect(byValue.get(tag.value)).toMatchObject({ ...tag, asset_id: asset.id, deleted_at: null })
  })

  test('absent columns get the defaults of the API, also the key', async ({ catalog, imports }) => {
    await catalog.asset({ external_key: 'ASSET-41' })
    const { rows } = await imports.run('assets', lines('name', 'one', 'two'))
    expect(rows.map(({ external_key }) => external_key)).toEqual(['ASSET-0042', 'ASSET-0043'])
    const made = (await catalog.get(`/assets/${rows[0]?.id}`)).json<{ data: AssetView }>().data
    const { id: _, created_at, external_key: __, ...plain } = made
    const {
      id: ___,
      external_key: ____,
      ...same
    } = await catalog.asset({ name: 'one', valid_from: created_at })
    expect(plain).toEqual({ ...same, created_at: undefined, updated_at: created_at, valid_from: created_at })
    expect((await catalog.asset()).external_key).toBe('ASSET-0045')
  })

  test('a row with the key of a live asset changes only its columns', async ({ catalog, imports }) => {
    const stored = await catalog.asset({
      external_key: 'F-1',
      name: 'Old',
      description: 'gone soon',
      metadata: { kept: true },
      valid_to: '2099-01-01T00:00:00Z',
      tags: [
        { tag_type: 'rfid', value: 'off' },
        { tag_type: 'rfid', value: 'stays' },
        { tag_type: 'ble', value: 'alone' },
      ],
    })
    await catalog.takeOutbox()
    const csv = lines('external_key,name,description,valid_to,rfid', 'F-1,New,,,stays|on')
    const { rows, updated } = await imports.run('assets', csv)
    expect(updated).toBe(1)
    expect(rows).toMatchObject([
      { outcome: 'updated', id: stored.id, changes: ['name', 'description', 'valid_to', 'rfid'] },
    ])
    const after = (await catalog.get(`/assets/${stored.id}`)).json<{ data: AssetView }>().data
    expect(after).toEqual({
      ...stored,
      name: 'New',
      description: null,
      valid_to: null,
      updated_at: expect.any(String),
      tags: [
        stored.tags[1],
        stored.tags[2],
        { id: expect.any(Number), tag_type: 'rfid', value: 'on', epc: null },
      ],
    })
    expect(Date.parse(after.updated_at)).toBeGreaterThan(Date.parse(stored.updated_at))
    const states = (await catalog.takeOutbox()).map(({ payload }) => payload)
    expect(states).toHaveLength(3)
    expect(states[0]).toMatchObject({ id: stored.id, name: 'New', metadata: { kept: true } })
    expect(states.slice(1)).toMatchObject([{ value: 'off', deleted_at: expect.any(String) }, { value: 'on' }])
  })

  test('D6.4 a change of tags does not change updated_at', async ({ catalog, imports }) => {
    const stored = await catalog.asset({ external_key: 'F-1' })
    await imports.run('assets', lines('external_key,rfid', 'F-1,E1'))
    const after = (await catalog.get(`/assets/${stored.id}`)).json<{ data: AssetView }>().data
    expect(after).toEqual({ ...stored, tags: [expect.objectContaining({ value: 'E1' })] })
  })

  test('a row that equals the stored asset changes and publishes nothing', async ({ catalog, imports }) => {
    const tags = [{ tag_type: 'rfid' as const, value: 'E1' }]
    const stored = await catalog.asset({ external_key: 'F-1', name: 'Same', metadata: { a: [1] }, tags })
    await catalog.takeOutbox()
    const csv = lines('external_key,name,type,metadata,rfid', 'F-1,Same,asset,"{""a"": [1]}",E1')
    expect((await imports.run('assets', csv)).rows).toMatchObject([
      { outcome: 'unchanged', id: stored.id, changes: [] },
    ])
    expect((await catalog.get(`/assets/${stored.id}`)).json().data).toEqual(stored)
    expect(await catalog.takeOutbox()).toEqual([])
  })

  test('the key of a deleted asset creates a new one', async ({ catalog, imports }) => {
    const { id } = await catalog.asset({ external_key: 'F-1' })
    await catalog.delete(`/assets/${id}`)
    const { rows } = await imports.run('assets', lines('external_key,name', 'F-1,Again'))
    expect(rows).toMatchObject([{ outcome: 'created' }])
    expect(rows[0]?.id).not.toBe(id)
  })

  test('a hundred invalid rows among valid ones fail, each with its line', async ({ catalog, imports }) => {
    await catalog.asset({ external_key: 'OTHER', tags: [{ tag_type: 'rfid', value: 'taken' }] })
    const bad = ['B-{i},,,', 'B {i},name,,', 'B-{i},name,taken,', 'B-{i},name,,{', 'B-{i}, name,,']
    const rows = Array.from({ length: 600 }, (_, i) =>
      (i % 6 === 5 ? (bad[Math.floor(i / 6) % 5] ?? '') : 'G-{i},name,tag{i},').replaceAll('{i}', String(i)),
    )
    const done = await imports.run('assets', lines('external_key,name,rfid,metadata', ...rows))
    expect(done).toMatchObject({ state: 'done', rows_total: 600, created: 500, failed: 100 })
    expect(done.rows.map(({ line }) => line)).toEqual(rows.map((_, i) => i + 2))
    const failed = done.rows.filter(({ outcome }) => outcome === 'failed')
    expect(failed.map(({ line }) => (line - 2) % 6)).toEqual(failed.map(() => 5))
    expect(failed.slice(0, 5)).toMatchObject([
      {
        external_key: 'B-5',
        id: null,
        errors: [{ field: 'name', code: 'required', message: 'name is required' }],
      },
      { external_key: 'B 11', errors: [{ field: 'external_key', code: 'invalid_value' }] },
      { errors: [{ field: 'rfid', code: 'conflict', message: 'tag rfid:taken already exists' }] },
      { errors: [{ field: 'metadata', code: 'invalid_value' }] },
      { errors: [{ field: 'name', code: 'invalid_value' }] },
    ])
    const only = await catalog.get(`/imports/${done.id}/rows?outcome=failed&limit=7&offset=98`)
    expect(only.json()).toEqual({ data: failed.slice(98), limit: 7, offset: 98, total_count: 100 })
  })

  test('rows of one file run in order, also for the same tag and for a minted key', async ({
    catalog,
    imports,
  }) => {
    const csv = lines(
      'external_key,name,rfid',
      'A,first,E1',
      'B,second,E1',
      'C,third,E3',
      ',minted,E2',
      'ASSET-0001,found,E2',
    )
    const { rows } = await imports.run('assets', csv)
    expect(rows.map(({ outcome }) => outcome)).toEqual(['created', 'failed', 'created', 'created', 'updated'])
    const all = (await catalog.get('/assets')).json<{ data: AssetView[] }>().data
    const seen = all.map(({ external_key, name, tags }) => [
      external_key,
      name,
      tags.map(({ value }) => value),
    ])
    expect(seen).toEqual([['A', 'first', ['E1']], ['ASSET-0001', 'found', ['E2']], ['C', 'third', ['E3']]]) // oxfmt-ignore
  })

  test.for(['assets', 'locations'] as const)(
    'a key that an earlier row of %s has fails, in a dry run as in an import',
    async (resource, { catalog, imports }) => {
      const others = Array.from({ length: 400 }, (_, i) => `K-${i},other`)
      const csv = lines('external_key,name', 'A,first', 'B,', 'A,second', ...others, 'A,third', 'B,b', 'C,c')
      const twice = (line: number) => [
        {
          field: 'external_key',
          code: 'conflict',
          message: `external_key is already in line ${line} of the file`,
        },
      ]
      const dry = await imports.run(resource, csv, { dryRun: true })
      const real = await imports.run(resource, csv)
      for (const { rows } of [dry, real])
        expect(rows.filter(({ line }) => line < 5 || line > 404)).toMatchObject([
          { line: 2, outcome: 'created', errors: [] },
          { line: 3, outcome: 'failed', errors: [{ field: 'name' }] },
          { line: 4, outcome: 'failed', external_key: 'A', id: null, errors: twice(2) },
          { line: 405, outcome: 'failed', errors: twice(2) },
          { line: 406, outcome: 'failed', errors: twice(3) },
          { line: 407, outcome: 'created', errors: [] },
        ])
      expect((await catalog.get(`/${resource}?external_key=A`)).json().data).toMatchObject([
        { name: 'first' },
      ])
    },
  )

  test('the tag of a location is taken; keys and tags of another organization are free', async ({
    catalog,
    imports,
    otherOrg,
  }) => {
    await catalog.location({ tags: [{ tag_type: 'rfid', value: 'E1' }] })
    const theirs = await catalog.asset(
      { external_key: 'A', tags: [{ tag_type: 'rfid', value: 'E2' }] },
      { org: otherOrg },
    )
    const { rows } = await imports.run('assets', lines('external_key,name,rfid', 'B,mine,E1', 'A,mine,E2'))
    expect(rows.map(({ outcome }) => outcome)).toEqual(['failed', 'created'])
    expect((await catalog.get(`/assets/${theirs.id}`, { org: otherOrg })).json().data).toEqual(theirs)
  })
})

describe('D10 importing locations', () => {
  const tree = async (catalog: { get(path: string): Promise<{ json(): unknown }> }) => {
    const { data } = (await catalog.get('/locations?limit=200')).json() as { data: LocationView[] }
    return data.map(({ external_key, parent_external_key }) => `${parent_external_key ?? ''}/${external_key}`)
  }

  test('parents may be stored or in an earlier line', async ({ catalog, imports }) => {
    await catalog.location({ external_key: 'SITE' })
    const csv = lines(
      'external_key,name,parent_external_key',
      'HALL,h,SITE',
      'ROOM,r,HALL',
      'BOX,b,ROOM',
      ',m,BOX',
    )
    const { rows } = await imports.run('locations', csv)
    expect(rows.map(({ outcome }) => outcome)).toEqual(rows.map(() => 'created'))
    expect(await tree(catalog)).toEqual(['ROOM/BOX', 'SITE/HALL', 'BOX/LOC-001', 'HALL/ROOM', '/SITE'])
    expect((await catalog.takeOutbox()).map(({ subject }) => subject.split('.')[1])).toHaveLength(5)
  })

  test('D19.5 a parent may come later; one that fails, or a circle, is named by its line', async ({
    catalog,
    imports,
  }) => {
    const csv = lines(
      'external_key,name,parent_external_key',
      'SHELF,s,ROOM',
      'ROOM,r,HALL',
      'BOX,b,NOWHERE',
      'HALL,h,',
      'LID,l,BOX',
      'X,x,Y',
      'Y,y,X',
      'IN-X,i,X',
      'SELF,s,SELF',
    )
    const dry = await imports.run('locations', csv, { dryRun: true })
    const { rows, ...real } = await imports.run('locations', csv)
    expect(dry.rows.map(({ id: _id, ...row }) => row)).toEqual(rows.map(({ id: _id, ...row }) => row))
    expect(real).toMatchObject({ state: 'done', created: 3, failed: 6 })
    const missing = 'parent_external_key does not refer to a location'
    const circle = `${missing} yet: the parents form a circle in the file, by way of line`
    expect(rows.map(({ line, errors }) => [line, errors[0]?.message])).toEqual([
      [2, undefined],
      [3, undefined],
      [4, missing],
      [5, undefined],
      [6, `${missing} yet: line 4 of the file did not create it`],
      [7, `${circle} 8`],
      [8, `${circle} 7`],
      [9, `${circle} 7`],
      [10, `${circle} 10`],
    ])
    expect(await tree(catalog)).toEqual(['/HALL', 'HALL/ROOM', 'ROOM/SHELF'])
    const again = await imports.run('locations', csv)
    expect(again).toMatchObject({ unchanged: 3, failed: 6 })
  })

  test('an absent column moves nothing, an empty cell makes a root', async ({ catalog, imports }) => {
    const site = await catalog.location({ external_key: 'SITE' })
    await catalog.location({ external_key: 'HALL', parent_id: site.id })
    await imports.run('locations', lines('external_key,name', 'HALL,renamed'))
    expect(await tree(catalog)).toEqual(['SITE/HALL', '/SITE'])
    await imports.run('locations', lines('external_key,parent_external_key', 'HALL,'))
    expect(await tree(catalog)).toEqual(['/HALL', '/SITE'])
  })

  test('D5.4 only the row that would make a cycle fails', async ({ catalog, imports }) => {
    const a = await catalog.location({ external_key: 'A' })
    const b = await catalog.location({ external_key: 'B', parent_id: a.id })
    await catalog.location({ external_key: 'C', parent_id: b.id })
    const csv = lines('external_key,parent_external_key', 'A,C', 'B,B', 'C,')
    const first = await imports.run('locations', csv)
    const second = await imports.run('locations', lines('external_key,parent_external_key', 'A,C'))
    const rows = [...first.rows, ...second.rows]
    expect(rows.map(({ outcome }) => outcome)).toEqual(['failed', 'failed', 'updated', 'updated'])
    expect(rows[0]?.errors).toEqual([
      {
        field: 'parent_external_key',
        code: 'conflict',
        message: 'location A cannot be moved into itself or into a location inside it',
      },
    ])
    expect(await tree(catalog)).toEqual(['C/A', 'A/B', '/C'])
  })

  test("another organization's location cannot be a parent", async ({ catalog, imports, otherOrg }) => {
    await catalog.location({ external_key: 'SITE' }, { org: otherOrg })
    const { rows } = await imports.run('locations', lines('name,parent_external_key', 'h,SITE'))
    expect(rows).toMatchObject([{ outcome: 'failed', errors: [{ code: 'fk_not_found' }] }])
  })
})

describe('D10 an import belongs to its organization:', () => {
  test('it is listed, newest first, with its creator', async ({ catalog, imports }) => {
    const first = await imports.run('assets', lines('name', 'a'))
    const second = await imports.run('locations', lines('name', 'a'), { dryRun: true })
    const { data, ...page } = (await catalog.get('/imports')).json()
    const { rows: _, ...one } = first
    const { rows: __, ...two } = second
    expect(data).toEqual([two, one])
    expect(page).toEqual({ limit: 50, offset: 0, total_count: 2 })
    expect(one).toMatchObject({ resource: 'assets', dry_run: false, created_by: 1, applied_from: null })
    expect((await catalog.get('/imports?limit=1&offset=1')).json().data).toEqual([one])
  })

  test('other organizations do not see it', async ({ catalog, imports, otherOrg }) => {
    const { id } = await imports.run('assets', lines('name', 'a'), { dryRun: true })
    const as = { org: otherOrg }
    for (const path of [`/imports/${id}`, `/imports/${id}/rows`])
      expect((await catalog.get(path, as)).json().error).toMatchObject({
        status: 404,
        detail: 'Import not found',
      })
    expect((await catalog.call('POST', `/imports/${id}/apply`, undefined, as)).statusCode).toBe(404)
    expect((await catalog.delete(`/imports/${id}`, as)).statusCode).toBe(404)
    expect((await catalog.get('/imports', as)).json().total_count).toBe(0)
    expect((await catalog.get(`/imports/${id}`)).json().data).toMatchObject({ id, state: 'done' })
  })

  test('removing a finished one keeps the assets', async ({ catalog, imports }) => {
    const { id, rows } = await imports.run('assets', lines('name', 'a'))
    expect((await catalog.delete(`/imports/${id}`)).statusCode).toBe(204)
    expect((await catalog.get(`/imports/${id}`)).statusCode).toBe(404)
    expect((await catalog.delete(`/imports/${id}`)).statusCode).toBe(404)
    expect((await catalog.get(`/assets/${rows[0]?.id}`)).statusCode).toBe(200)
  })
})
