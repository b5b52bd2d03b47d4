import type { LegacyLocationView } from '@whereabouts/contracts/legacy/locations'
import { describe, expect } from 'vitest'
import { test } from '../../test/legacy.fixture.ts'
import { MAX_LEVELS } from './paths.legacy.ts'
import { listPageAncestors } from './paths.queries.ts'

const place = ({ parent, path, depth }: LegacyLocationView) => [parent, path, depth]

describe('D1.2 creating and reading', () => {
  test('D17.1 a location needs identifier and name, and the legacy view has no unset field', async ({
    legacy,
  }) => {
    const { fields } = (await legacy.post('/locations', {})).json().error
    expect(fields).toMatchObject([
      { field: 'identifier', code: 'required' },
      { field: 'name', code: 'required' },
    ])
    const res = await legacy.post('/locations', { identifier: 'DOCK-1', name: 'Dock 1' })
    expect(res.statusCode).toBe(201)
    const { data } = res.json()
    expect(data).toEqual({
      surrogate_id: expect.any(Number),
      identifier: 'DOCK-1',
      name: 'Dock 1',
      path: 'DOCK-1',
      depth: 1,
      is_active: true,
      identifiers: [],
      valid_from: data.created_at,
      created_at: expect.any(String),
      updated_at: data.created_at,
    })
    expect(res.headers['location']).toBe('/legacy/api/v1/locations/DOCK-1')
    expect(await legacy.location('DOCK-1')).toEqual(data)
  })

  test('all sent fields are stored, and both vocabularies show them', async ({ catalog, legacy }) => {
    const hall = await catalog.location({ external_key: 'HALL' })
    const body = {
      identifier: 'DOCK',
      name: 'Dock',
      description: 'North\nside',
      is_active: false,
      identifiers: [{ type: 'ble', value: 'beacon' }],
      valid_from: '2020-01-01T00:00:00.000Z',
      valid_to: '2999-01-01T00:00:00.000Z',
    }
    const { data } = (await legacy.post('/locations', { ...body, parent_identifier: 'HALL' })).json()
    expect(data).toMatchObject({ ...body, parent: 'HALL', path: 'HALL.DOCK', depth: 2 })
    const current = (await catalog.get(`/locations/${data.surrogate_id}`)).json().data
    const { surrogate_id, identifier, identifiers, parent, path: _, depth: __, ...same } = data
    expect(current).toEqual({
      ...same,
      id: surrogate_id,
      external_key: identifier,
      parent_id: hall.id,
      parent_external_key: parent,
      deleted_at: null,
      tags: [{ id: identifiers[0].id, tag_type: 'ble', value: 'beacon' }],
    })
  })

  test('D5.3 a parent that does not exist is an error of parent_identifier, and nothing is created', async ({
    legacy,
    catalog,
    otherOrg,
  }) => {
    const gone = await catalog.location({ external_key: 'GONE' })
    await catalog.delete(`/locations/${gone.id}`)
    await catalog.location({ external_key: 'THEIRS' }, { org: otherOrg })
    for (const parent_identifier of ['NOWHERE', 'GONE', 'THEIRS']) {
      const body = { identifier: 'A', name: 'x', parent_identifier }
      expect((await legacy.post('/locations', body)).json().error).toMatchObject({
        detail: 'parent_identifier does not refer to a location',
        fields: [{ field: 'parent_identifier', code: 'fk_not_found' }],
      })
    }
    expect((await legacy.get('/locations/A')).statusCode).toBe(404)
  })

  test('metadata, the parent’s id and current field names are unknown fields', async ({ legacy }) => {
    const body = {
      identifier: 'A',
      name: 'x',
      metadata: {},
      parent_id: 1,
      parent_external_key: 'A',
      tags: [],
    }
    const { fields } = (await legacy.post('/locations', body)).json().error
    expect(fields.map(({ field }: { field: string }) => field)).toEqual([
      'metadata',
      'parent_external_key',
      'parent_id',
      'tags',
    ])
  })
})

describe('D5.9 D17.1 path and depth', () => {
  test('come from the live tree, for every row of a page', async ({ legacy, catalog }) => {
    const site = await catalog.location({ external_key: 'SITE' })
    const hall = await catalog.location({ external_key: 'HALL', parent_id: site.id })
    await catalog.location({ external_key: 'DOCK', parent_id: hall.id })
    await catalog.location({ external_key: 'YARD' })
    const { data } = (await legacy.get('/locations')).json<{ data: LegacyLocationView[] }>()
    expect(data.map(place)).toEqual([
      ['HALL', 'SITE.HALL.DOCK', 3],
      ['SITE', 'SITE.HALL', 2],
      [undefined, 'SITE', 1],
      [undefined, 'YARD', 1],
    ])
    for (const one of data) expect(await legacy.location(one.identifier)).toEqual(one)
  })

  test('follow renames and moves of ancestors', async ({ legacy, catalog }) => {
    const site = await catalog.location({ external_key: 'SITE' })
    const hall = await catalog.location({ external_key: 'HALL', parent_id: site.id })
    await catalog.location({ external_key: 'DOCK', parent_id: hall.id })
    await legacy.put('/locations/SITE', { identifier: 'PLANT' })
    expect(place(await legacy.location('DOCK'))).toEqual(['HALL', 'PLANT.HALL.DOCK', 3])
    const { data } = (await legacy.put('/locations/HALL', { parent_identifier: null })).json()
    expect(place(data)).toEqual([undefined, 'HALL', 1])
    expect(place(await legacy.location('DOCK'))).toEqual(['HALL', 'HALL.DOCK', 2])
  })

  test('D17.3 of a deleted location keep a deleted parent', async ({ legacy, catalog }) => {
    const hall = await catalog.location({ external_key: 'HALL' })
    const dock = await catalog.location({ external_key: 'DOCK', parent_id: hall.id })
    await catalog.delete(`/locations/${dock.id}`)
    const listed = async () => {
      const res = await legacy.get('/locations?include_deleted=true&identifier=DOCK')
      return place(res.json().data[0])
    }
    expect(await listed()).toEqual(['HALL', 'HALL.DOCK', 2])
    await catalog.delete(`/locations/${hall.id}`)
    expect(await listed()).toEqual(['HALL', 'HALL.DOCK', 2])
    const found = await legacy.get('/locations?include_deleted=true&parent=HALL')
    expect(found.json().data).toEqual([])
  })

  test('stop at MAX_LEVELS ancestors', async ({ legacy, catalog }) => {
    await catalog.database.pool.query(
      `with recursive chain as (
         select 0 as n union all select n + 1 from chain where n < $2
       )
       insert into location (org_id, id, external_key, name, parent_id)
       select $1, 1000 + n, 'L' || n, 'level', case when n > 0 then 999 + n end from chain`,
      [catalog.orgId, MAX_LEVELS + 2],
    )
    const whole = await legacy.location(`L${MAX_LEVELS}`)
    expect(whole.path.split('.')).toHaveLength(MAX_LEVELS + 1)
    expect(whole.path.startsWith('L0.L1.')).toBe(true)
    const cut = await legacy.location(`L${MAX_LEVELS + 2}`)
    expect(cut).toMatchObject({ parent: `L${MAX_LEVELS + 1}`, depth: MAX_LEVELS + 1 })
    expect(cut.path.startsWith('….L2.L3.')).toBe(true)
    const around = await listPageAncestors(
      catalog.tenants.forOrg(catalog.orgId),
      catalog.orgId,
      [1000 + MAX_LEVELS, 1001 + MAX_LEVELS],
      MAX_LEVELS,
    )
    expect(around).toHaveLength(MAX_LEVELS + 1) // each once, and none beyond the limit
    const page = (await legacy.get('/locations?limit=200&sort=created_at')).json().data
    expect(page.find((one: LegacyLocationView) => one.identifier === cut.identifier)).toEqual(cut)
  })
})

describe('PUT (ADR 19)', () => {
  test('absent fields do not change, also the parent; others are set and published', async ({
    legacy,
    catalog,
  }) => {
    const hall = await catalog.location({ external_key: 'HALL' })
    const { id } = await catalog.location({
      external_key: 'A',
      description: 'words',
      parent_id: hall.id,
      tags: [{ tag_type: 'rfid', value: 'old' }],
    })
    await catalog.takeOutbox()
    const body = { name: 'after', identifier: 'B', identifiers: [{ value: 'new' }] }
    const { data } = (await legacy.put('/locations/A', body)).json()
    expect(data).toMatchObject({
      surrogate_id: id,
      name: 'after',
      identifier: 'B',
      description: 'words',
      path: 'HALL.B',
      identifiers: [{ type: 'rfid', value: 'new' }],
    })
    expect(await legacy.location('B')).toEqual(data)
    const published = await catalog.takeOutbox()
    const states = published.filter(({ subject }) => subject.startsWith('catalog.location.'))
    expect(states.at(-1)?.payload).toMatchObject({ id, external_key: 'B', name: 'after', parent_id: hall.id })
    expect(published.filter(({ subject }) => subject.startsWith('catalog.tag.'))).toHaveLength(2)
  })

  test('an unknown parent, a parent below the location, and a taken key are refused and change nothing', async ({
    legacy,
    catalog,
  }) => {
    const hall = await catalog.location({ external_key: 'HALL' })
    await catalog.location({ external_key: 'DOCK', parent_id: hall.id })
    await catalog.location({ external_key: 'TAKEN' })
    const before = await legacy.location('HALL')
    await catalog.takeOutbox()
    const put = async (body: object) => (await legacy.put('/locations/HALL', body)).json().error
    expect(await put({ name: 'x', parent_identifier: 'NOWHERE', identifier: 'TAKEN' })).toMatchObject({
      status: 400,
      fields: [{ field: 'parent_identifier', code: 'fk_not_found' }],
    })
    for (const parent_identifier of ['HALL', 'DOCK'])
      expect(await put({ name: 'x', parent_identifier })).toMatchObject({ status: 409, type: 'conflict' })
    expect(await put({ name: 'x', identifier: 'TAKEN' })).toMatchObject({
      status: 409,
      detail: 'location TAKEN already exists',
    })
    expect(await legacy.location('HALL')).toEqual(before)
    expect(await catalog.takeOutbox()).toEqual([])
  })

  test('D5.4 simultaneous moves with new identifiers make no cycle and no deadlock', async ({
    legacy,
    catalog,
  }) => {
    for (const key of ['A', 'B', 'C']) await catalog.location({ external_key: key })
    const pairs = ['AB', 'BC', 'CA', 'BA', 'AC', 'CB']
    const bodies = Array.from({ length: 24 }, (_, i) => pairs[i % pairs.length] ?? 'AB')
    const responses = await Promise.all(
      bodies.map(([key, parent_identifier], i) =>
        legacy.put(`/locations/${key}`, {
          parent_identifier,
          name: `n${i}`,
          identifiers: [{ value: `${key}` }],
        }),
      ),
    )
    expect(
      responses.map((res) => res.statusCode).filter((status) => status !== 200 && status !== 409),
    ).toEqual([])
    const { data } = (await legacy.get('/locations')).json<{ data: LegacyLocationView[] }>()
    expect(data.filter(({ depth }) => depth > 3)).toEqual([])
  })
})

describe('the rest', () => {
  test('D5.5 a location can be deleted once its live children are deleted', async ({ legacy, catalog }) => {
    const hall = await catalog.location({ external_key: 'HALL' })
    await catalog.location({ external_key: 'DOCK', parent_id: hall.id })
    expect((await legacy.delete('/locations/HALL')).json().error).toMatchObject({
      status: 409,
      detail: 'location HALL still has child locations',
    })
    const statuses = []
    for (const key of ['DOCK', 'HALL', 'HALL'])
      statuses.push((await legacy.delete(`/locations/${key}`)).statusCode)
    expect(statuses).toEqual([204, 204, 404])
  })

  test.for(['locations/A/tags', 'locations/A/identifiers', 'assets/A/tags', 'assets/A/identifiers'])(
    'D17.1 an identifier is attached and removed at %s',
    async (path, { legacy, catalog }) => {
      const owned = { external_key: 'A' }
      await (path.startsWith('assets') ? catalog.asset(owned) : catalog.location(owned))
      const res = await legacy.post(`/${path}`, { type: 'barcode', value: 'x' })
      const { data } = res.json()
      expect([res.statusCode, data]).toEqual([
        201,
        { id: expect.any(Number), type: 'barcode', value: 'x', is_active: true },
      ])
      expect(res.headers['location']).toBe(`/legacy/api/v1/${path}/${data.id}`)
      const owner = path.startsWith('assets') ? await legacy.asset('A') : await legacy.location('A')
      expect(owner.identifiers).toEqual([data])
      const other = path.endsWith('tags')
        ? path.replace('tags', 'identifiers')
        : path.replace('identifiers', 'tags')
      expect((await legacy.delete(`/${other}/${data.id}`)).statusCode).toBe(204)
      expect((await legacy.delete(`/${path}/${data.id}`)).statusCode).toBe(404)
    },
  )

  test('D5.6 D7.1 the list has legacy filters and sort fields', async ({ legacy, catalog }) => {
    const hall = await catalog.location({ external_key: 'HALL', name: 'z' })
    await catalog.location({ external_key: 'D1', parent_id: hall.id, name: 'y' })
    await catalog.location({ external_key: 'D2', parent_id: hall.id, name: 'x', is_active: false })
    await catalog.location({ external_key: 'LATER', parent_id: hall.id, valid_from: '2999-01-01T00:00:00Z' })
    const keys = async (query: string) => {
      const { data } = (await legacy.get(`/locations?${query}`)).json<{ data: LegacyLocationView[] }>()
      return data.map(({ identifier }) => identifier)
    }
    expect(await keys('')).toEqual(['D1', 'D2', 'HALL'])
    expect(await keys('sort=name')).toEqual(['D2', 'D1', 'HALL'])
    expect(await keys('parent_identifier=HALL&parent_identifier=NONE&sort=-identifier')).toEqual(['D2', 'D1'])
    expect(await keys('parent_identifier=HALL&is_active=true')).toEqual(['D1'])
    expect(await keys('identifier=HALL&q=hal')).toEqual(['HALL'])
    const wrong = (await legacy.get('/locations?parent_id=1&parent_identifier=a_b')).json().error.fields
    expect(wrong).toMatchObject([
      { field: 'parent_id', code: 'unknown_field' },
      { field: 'parent_identifier', code: 'invalid_value' },
    ])
  })

  test('D17.1 parent is another name of parent_identifier, and both must have the same values', async ({
    legacy,
    catalog,
    otherOrg,
  }) => {
    const hall = await catalog.location({ external_key: 'HALL' })
    await catalog.location({ external_key: 'DOCK', parent_id: hall.id })
    const theirs = await catalog.location({ external_key: 'THEIRS' }, { org: otherOrg })
    await catalog.location({ external_key: 'X', parent_id: theirs.id }, { org: otherOrg })
    const list = async (query: string) => (await legacy.get(`/locations?${query}`)).json()
    for (const query of [
      'parent=HALL',
      'parent=HALL&parent_identifier=HALL',
      'parent=A&parent=HALL&parent_identifier=HALL&parent_identifier=A',
    ])
      expect((await list(query)).data).toMatchObject([{ identifier: 'DOCK' }])
    expect((await list('parent=THEIRS')).data).toEqual([])
    for (const query of ['parent=HALL&parent_identifier=DOCK', 'parent=HALL&parent=A&parent_identifier=HALL'])
      expect((await list(query)).error.fields).toMatchObject([
        { field: 'parent', code: 'ambiguous_fields' },
        { field: 'parent_identifier', code: 'ambiguous_fields' },
      ])
  })

  test('D17.1 sort=path is the byte order of the text served', async ({ legacy, catalog }) => {
    await catalog.database.pool.query(
      `with recursive chain as (select 0 as n union all select n + 1 from chain where n < $2)
       insert into location (org_id, id, external_key, name, parent_id)
       select $1, 1000 + n, 'L' || n, 'level', case when n > 0 then 999 + n end from chain`,
      [catalog.orgId, MAX_LEVELS + 2],
    )
    for (const [key, parent] of [
      ['A'],
      ['A-B'],
      ['A0'],
      ['Z', 'A'],
      ['a', 'A-B'],
      ['B-', 'A'],
      ['B', 'A'],
    ] as const)
      await catalog.location({
        external_key: key,
        ...(parent !== undefined && { parent_external_key: parent }),
      })
    const paths = async (query: string) => {
      const { data } = (await legacy.get(`/locations?limit=200&${query}`)).json<{
        data: LegacyLocationView[]
      }>()
      return data.map(({ path }) => path)
    }
    const sorted = await paths('sort=path')
    expect(sorted).toHaveLength(MAX_LEVELS + 10)
    expect(sorted).toEqual(sorted.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))))
    expect(sorted.slice(0, 6)).toEqual(['A', 'A-B', 'A-B.a', 'A.B', 'A.B-', 'A.Z'])
    expect(sorted.at(-1)).toMatch(/^…/)
    expect(await paths('sort=-path')).toEqual(sorted.toReversed())
    expect(await paths('sort=path&q=A&offset=3')).toEqual((await paths('sort=path&q=A')).slice(3))
  })

  test("another organization's location looks missing and stays unchanged", async ({
    legacy,
    catalog,
    otherOrg,
  }) => {
    const tags = [{ tag_type: 'rfid' as const, value: 't' }]
    const theirs = await catalog.location({ external_key: 'THEIRS', tags }, { org: otherOrg })
    const before = await legacy.location('THEIRS', { org: otherOrg })
    const responses = await Promise.all([
      legacy.get('/locations/THEIRS'),
      legacy.put('/locations/THEIRS', { name: 'mine' }),
      legacy.delete('/locations/THEIRS'),
      legacy.post('/locations/THEIRS/tags', { value: 'mine' }),
      legacy.delete(`/locations/THEIRS/tags/${theirs.tags[0]?.id}`),
    ])
    expect(responses.map((res) => res.statusCode)).toEqual([404, 404, 404, 404, 404])
    expect((await legacy.get('/locations?parent_identifier=THEIRS')).json().data).toEqual([])
    expect(await legacy.location('THEIRS', { org: otherOrg })).toEqual(before)
  })
})
