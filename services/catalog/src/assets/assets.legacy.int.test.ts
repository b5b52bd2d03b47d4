import { describe, expect } from 'vitest'
import { legacyView, test } from '../../test/legacy.fixture.ts'

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('D1.2 creating and reading', () => {
  test('D17.1 an asset needs only a name, and the legacy view has no unset field', async ({ legacy }) => {
    const res = await legacy.post('/assets', { name: 'Forklift 7' })
    expect(res.statusCode).toBe(201)
    const { data } = res.json()
    expect(data).toEqual({
      surrogate_id: expect.any(Number),
      identifier: 'ASSET-0001',
      name: 'Forklift 7',
      type: 'asset',
      is_active: true,
      metadata: {},
      identifiers: [],
      valid_from: data.created_at,
      created_at: expect.stringMatching(INSTANT),
      updated_at: data.created_at,
    })
    expect(res.headers['location']).toBe('/legacy/api/v1/assets/ASSET-0001')
    expect(await legacy.asset('ASSET-0001')).toEqual(data)
  })

  test('all sent fields are stored, and both vocabularies show them', async ({ catalog, legacy }) => {
    const body = {
      name: 'Pallet',
      identifier: 'Pallet-1',
      description: 'two\nlines',
      type: 'inventory',
      is_active: false,
      metadata: { kg: 12 },
      identifiers: [{ value: 'E280' }, { type: 'barcode', value: '4006381' }],
      valid_from: '2020-01-01T00:00:00.000Z',
      valid_to: '2999-01-01T00:00:00.000Z',
    }
    const { data } = (await legacy.post('/assets', body)).json()
    expect(data).toMatchObject({
      ...body,
      identifiers: [
        { id: expect.any(Number), type: 'rfid', value: 'E280', is_active: true },
        { id: expect.any(Number), type: 'barcode', value: '4006381', is_active: true },
      ],
    })
    const current = (await catalog.get(`/assets/${data.surrogate_id}`)).json().data
    expect(legacyView(current)).toEqual(data)
  })

  test('both vocabularies share the keys', async ({ catalog, legacy }) => {
    await catalog.asset({ external_key: 'K', tags: [{ tag_type: 'rfid', value: 'T' }] })
    const key = await legacy.post('/assets', { name: 'x', identifier: 'K' })
    expect(key.json().error).toMatchObject({ status: 409, detail: 'asset K already exists' })
    const tag = await legacy.post('/assets', { name: 'x', identifiers: [{ value: 'T' }] })
    expect(tag.json().error).toMatchObject({ status: 409, detail: 'tag rfid:T already exists' })
    expect((await legacy.get('/assets')).json().total_count).toBe(1)
  })

  test('errors name legacy fields, unknown ones first', async ({ legacy }) => {
    const body = {
      external_key: 'A',
      tags: [],
      current_location: 'DOCK 1',
      identifier: 'a b',
      identifiers: [{ type: 'qr', value: '' }, { tag_type: 'rfid' }],
      valid_from: null,
    }
    const { fields } = (await legacy.post('/assets', body)).json().error
    expect(fields.map((f: { field: string; code: string }) => `${f.field} ${f.code}`)).toEqual([
      'external_key unknown_field',
      'identifiers[1].tag_type unknown_field',
      'tags unknown_field',
      'name required',
      'identifier invalid_value',
      'current_location invalid_value',
      'identifiers[0].type invalid_value',
      'identifiers[0].value too_short',
      'identifiers[1].value required',
      'valid_from invalid_value',
    ])
  })

  test.for(['a_b', 'a.b', 'a%20b', '%C3%A4', 'x'.repeat(256)])(
    'D4.3 a path that cannot be a key is refused: %s',
    async (key, { legacy }) => {
      const { error } = (await legacy.get(`/assets/${key}`)).json()
      expect(error).toMatchObject({ status: 400, fields: [{ field: 'identifier' }] })
    },
  )

  test('keys are case-sensitive, and a key of no live asset answers 404', async ({ legacy }) => {
    await legacy.post('/assets', { name: 'x', identifier: 'Key' })
    expect((await legacy.get('/assets/KEY')).json().error).toMatchObject({
      type: 'not_found',
      detail: 'Asset not found',
    })
  })

  test('D7.3 a detail route refuses legacy filters as invalid_context, current ones as unknown', async ({
    legacy,
    catalog,
  }) => {
    await catalog.asset({ external_key: 'K' })
    const legacyErrors = (await legacy.get('/assets/K?identifier=K&external_key=K')).json().error.fields
    expect(legacyErrors).toMatchObject([
      { field: 'external_key', code: 'unknown_field' },
      { field: 'identifier', code: 'invalid_context' },
    ])
    const { id } = await catalog.asset()
    const currentErrors = (await catalog.get(`/assets/${id}?identifier=K&external_key=K`)).json().error.fields
    expect(currentErrors).toMatchObject([
      { field: 'external_key', code: 'invalid_context' },
      { field: 'identifier', code: 'unknown_field' },
    ])
  })
})

describe('the rest', () => {
  test('D4.10 DELETE releases key and identifiers', async ({ legacy, catalog }) => {
    const tags = [{ tag_type: 'rfid' as const, value: 'x' }]
    const asset = await catalog.asset({ external_key: 'A', tags })
    await catalog.takeOutbox()
    expect((await legacy.delete('/assets/A')).statusCode).toBe(204)
    expect((await catalog.takeOutbox()).map(({ payload }) => payload['id'])).toEqual([
      asset.id,
      asset.tags[0]?.id,
    ])
    const after = [legacy.get('/assets/A'), legacy.delete('/assets/A'), legacy.put('/assets/A', {})]
    for (const res of await Promise.all(after)) expect(res.statusCode).toBe(404)
    expect((await catalog.asset({ external_key: 'A', tags })).id).not.toBe(asset.id)
  })

  test('D6.1 an identifier is attached by key, rfid by default, and removed by id', async ({
    legacy,
    catalog,
  }) => {
    const before = await catalog.asset({ external_key: 'A' })
    await catalog.takeOutbox()
    const res = await legacy.post('/assets/A/tags', { value: 'E280' })
    expect(res.statusCode).toBe(201)
    const { data } = res.json()
    expect(data).toEqual({ id: expect.any(Number), type: 'rfid', value: 'E280', is_active: true })
    expect(res.headers['location']).toBe(`/legacy/api/v1/assets/A/tags/${data.id}`)
    expect(await legacy.asset('A')).toMatchObject({ updated_at: before.updated_at, identifiers: [data] })
    const taken = await legacy.post('/assets/A/tags', { type: 'rfid', value: 'E280' })
    expect(taken.json().error.detail).toBe('tag rfid:E280 already exists')
    expect((await legacy.delete(`/assets/A/tags/${data.id}`)).statusCode).toBe(204)
    expect((await legacy.delete(`/assets/A/tags/${data.id}`)).statusCode).toBe(404)
    expect((await catalog.takeOutbox()).map(({ subject }) => subject)).toEqual(
      Array.from({ length: 2 }, () => `catalog.tag.${catalog.orgId}.${data.id}`),
    )
  })

  test('D4.11 D7.1 the list has legacy filters and sort fields', async ({ legacy, catalog }) => {
    await catalog.asset({ external_key: 'C', name: 'one', type: 'person' })
    await catalog.asset({ external_key: 'A', name: 'two', is_active: false })
    await catalog.asset({ external_key: 'B', name: 'three', tags: [{ tag_type: 'ble', value: 'beacon' }] })
    await catalog.asset({ external_key: 'LATER', valid_from: '2999-01-01T00:00:00Z' })
    const { id } = await catalog.asset({ external_key: 'GONE' })
    await catalog.delete(`/assets/${id}`)
    const keys = async (query: string) => {
      const { data } = (await legacy.get(`/assets?${query}`)).json()
      return data.map(({ identifier }: { identifier: string }) => identifier)
    }
    expect(await keys('')).toEqual(['A', 'B', 'C'])
    expect(await keys('sort=-identifier')).toEqual(['C', 'B', 'A'])
    expect(await keys('sort=name,-updated_at')).toEqual(['C', 'B', 'A'])
    expect(await keys('identifier=A&identifier=C')).toEqual(['A', 'C'])
    expect(await keys('is_active=false')).toEqual(['A'])
    expect(await keys('type=person')).toEqual(['C'])
    expect(await keys('q=BEAC')).toEqual(['B'])
    expect(await keys('include_deleted=true')).toEqual(['A', 'B', 'C', 'GONE'])
    const page = (await legacy.get('/assets?limit=1&offset=1')).json()
    expect(page).toMatchObject({ data: [{ identifier: 'B' }], limit: 1, offset: 1, total_count: 3 })
    const wrong = (await legacy.get('/assets?sort=external_key&external_key=A&limit=0')).json().error.fields
    expect(wrong).toMatchObject([
      { field: 'external_key', code: 'unknown_field' },
      { field: 'limit', code: 'too_small' },
      {
        field: 'sort',
        code: 'invalid_value',
        params: { allowed_values: ['identifier', 'name', 'created_at', 'updated_at'] },
      },
    ])
  })

  test("another organization's asset looks missing and stays unchanged", async ({
    legacy,
    catalog,
    otherOrg,
  }) => {
    const theirs = await catalog.asset(
      { external_key: 'THEIRS', tags: [{ tag_type: 'rfid', value: 't' }] },
      { org: otherOrg },
    )
    const before = await legacy.asset('THEIRS', { org: otherOrg })
    const responses = await Promise.all([
      legacy.get('/assets/THEIRS'),
      legacy.put('/assets/THEIRS', { name: 'mine' }),
      legacy.delete('/assets/THEIRS'),
      legacy.post('/assets/THEIRS/tags', { value: 'mine' }),
      legacy.delete(`/assets/THEIRS/tags/${theirs.tags[0]?.id}`),
    ])
    expect(responses.map((res) => res.statusCode)).toEqual([404, 404, 404, 404, 404])
    expect((await legacy.get('/assets?identifier=THEIRS&include_deleted=true')).json().data).toEqual([])
    expect(await legacy.asset('THEIRS', { org: otherOrg })).toEqual(before)
  })
})
