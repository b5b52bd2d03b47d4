import { assetFields, AssetView } from '@whereabouts/contracts/resources/catalog/assets'
import { namesWith } from '@whereabouts/contracts/rules/fields'
import { expect } from 'vitest'
import { test } from '../../test/catalog.fixture.ts'

const problem = (field: string, code: string) => ({
  error: { type: 'validation_error', fields: [{ field, code }] },
})

test('D4.2 an asset needs only a name, and the view has every field', async ({ catalog }) => {
  const res = await catalog.post('/assets', { name: 'Forklift 7' })
  expect(res.statusCode).toBe(201)
  const { data } = res.json()
  expect(res.headers['location']).toBe(`/api/v1/assets/${data.id}`)
  const fields = Object.entries(AssetView.shape).filter(([, schema]) => !schema.isOptional())
  expect(Object.keys(data).toSorted()).toEqual(fields.map(([name]) => name).toSorted())
  expect(data).toEqual({
    ...data,
    id: expect.any(Number),
    external_key: 'ASSET-0001',
    name: 'Forklift 7',
    description: null,
    type: 'asset',
    metadata: {},
    home_location_id: null,
    home_location_external_key: null,
    is_active: true,
    valid_from: data.created_at,
    valid_to: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: data.created_at,
    deleted_at: null,
    tags: [],
  })
  expect((await catalog.get(`/assets/${data.id}`)).json()).toEqual({ data })
})

test('D4.2 all sent fields are stored; times in UTC with milliseconds, tags in the sent order', async ({
  catalog,
}) => {
  const { id: home_location_id } = await catalog.location({ external_key: 'HOME' })
  const fields = {
    home_location_id,
    external_key: 'Pump-1',
    name: 'Pump 漢字 😀',
    description: 'two\nlines',
    type: 'inventory',
    is_active: false,
    metadata: { nested: { list: [1, 'a', null] } },
    tags: [
      { tag_type: 'rfid', value: 'Z' },
      { tag_type: 'barcode', value: 'A' },
      { tag_type: 'ble', value: 'M' },
    ],
  } as const
  const times = { valid_from: '2026-01-01T02:00:00.1239999+02:00', valid_to: '2030-01-01T00:00:00Z' }
  const sent = { ...fields, ...times }
  expect(Object.keys(sent), 'each field has a value').toEqual(
    expect.arrayContaining(namesWith(assetFields, 'column').filter((name) => 'create' in assetFields[name])),
  )
  const { id } = (await catalog.post('/assets', sent)).json().data
  expect((await catalog.get(`/assets/${id}`)).json().data).toMatchObject({
    ...fields,
    valid_from: '2026-01-01T00:00:00.123Z',
    valid_to: '2030-01-01T00:00:00.000Z',
  })
})

test('D4.2 null for description, valid_to and tags means none', async ({ catalog }) => {
  const res = await catalog.post('/assets', { name: 'x', description: null, valid_to: null, tags: null })
  expect(res.json().data).toMatchObject({ description: null, valid_to: null, tags: [] })
})

test.for([
  { name: 'a missing name', body: { name: undefined }, want: problem('name', 'required') },
  { name: 'an empty name', body: { name: '' }, want: problem('name', 'too_short') },
  { name: 'a tab in the name', body: { name: 'a\tb' }, want: problem('name', 'invalid_value') },
  { name: 'a key with a dot', body: { external_key: 'a.b' }, want: problem('external_key', 'invalid_value') },
  { name: 'an unknown type', body: { type: 'robot' }, want: problem('type', 'invalid_value') },
  { name: 'valid_from null', body: { valid_from: null }, want: problem('valid_from', 'invalid_value') },
  {
    name: 'a zero time',
    body: { valid_to: '1970-01-01T01:00:00+01:00' },
    want: problem('valid_to', 'invalid_value'),
  },
  { name: 'a location', body: { location_id: 1 }, want: problem('location_id', 'read_only') },
  { name: 'an unknown field', body: { colour: 'red' }, want: problem('colour', 'unknown_field') },
  {
    name: 'NUL in metadata',
    body: { metadata: { a: '\u0000' } },
    want: problem('metadata', 'invalid_value'),
  },
  {
    name: 'a tag of another kind',
    body: { tags: [{ tag_type: 'qr', value: '1' }] },
    want: problem('tags[0].tag_type', 'invalid_value'),
  },
])('$name is refused and stores nothing', async ({ body, want }, { catalog }) => {
  const res = await catalog.post('/assets', { name: 'x', ...body })
  expect(res.statusCode).toBe(400)
  expect(res.json()).toMatchObject(want)
  expect((await catalog.get('/assets')).json().total_count).toBe(0)
})

test('D4.7 a window that ends before it begins is an error of valid_to', async ({ catalog }) => {
  const window = { valid_from: '2026-01-01T00:00:00Z', valid_to: '2026-01-01T01:00:00+01:00' }
  const res = await catalog.post('/assets', { name: 'x', ...window })
  expect(res.json()).toMatchObject(problem('valid_to', 'invalid_value'))
})

test('D4.7 without valid_from, the window begins at the creation time', async ({ catalog }) => {
  const res = await catalog.post('/assets', { name: 'x', valid_to: '2020-01-01T00:00:00Z' })
  expect(res.statusCode).toBe(400)
  expect(res.json()).toMatchObject(problem('valid_to', 'invalid_value'))
})

test('D3.2 an invalid window is reported together with other problems of the body', async ({ catalog }) => {
  const window = { valid_from: '2026-01-02T00:00:00Z', valid_to: '2026-01-01T00:00:00Z' }
  const { error } = (await catalog.post('/assets', { name: '', ...window, x: 1 })).json()
  expect(error.fields.map((f: { field: string }) => f.field)).toEqual(['x', 'name', 'valid_to'])
  expect(error.detail).toBe('unknown field "x" (and 2 more validation errors)')
})

test('the key of a live asset is a conflict within its organization', async ({ catalog, otherOrg }) => {
  await catalog.asset({ external_key: 'PUMP-1' })
  const res = await catalog.post('/assets', { name: 'x', external_key: 'PUMP-1' })
  expect(res.statusCode).toBe(409)
  expect(res.json().error).toMatchObject({ type: 'conflict', detail: 'asset PUMP-1 already exists' })
  await catalog.asset({ external_key: 'pump-1' })
  await catalog.asset({ external_key: 'PUMP-1' }, { org: otherOrg })
})

test('D4.2 a taken tag rolls back the whole create', async ({ catalog }) => {
  const dock = await catalog.location({ tags: [{ tag_type: 'rfid', value: 'X' }] })
  await catalog.takeOutbox()
  const tags = [
    { tag_type: 'rfid', value: 'free' },
    { tag_type: 'rfid', value: 'X' },
  ]
  const res = await catalog.post('/assets', { name: 'x', external_key: 'A-1', tags })
  expect(res.statusCode).toBe(409)
  expect(res.json().error.detail).toBe('tag rfid:X already exists')
  expect((await catalog.get('/assets?include_deleted=true')).json().total_count).toBe(0)
  expect(await catalog.takeOutbox()).toEqual([])
  expect((await catalog.get(`/locations/${dock.id}`)).json().data).toEqual(dock)
  await catalog.asset({ external_key: 'A-1', tags: [{ tag_type: 'rfid', value: 'free' }] })
})

test('a tag listed twice in one create is a conflict', async ({ catalog }) => {
  const tag = { tag_type: 'ble', value: 'twice' }
  const res = await catalog.post('/assets', { name: 'x', tags: [tag, tag] })
  expect(res.statusCode).toBe(409)
  expect(res.json().error.detail).toBe('tag ble:twice already exists')
})

test('D4.10 a deleted asset answers 404 on every route and releases its key and tags', async ({
  catalog,
}) => {
  const tags = [{ tag_type: 'rfid', value: 'T' }] as const
  const asset = await catalog.asset({ external_key: 'GONE', tags: [...tags] })
  const res = await catalog.delete(`/assets/${asset.id}`)
  expect([res.statusCode, res.body]).toEqual([204, ''])
  const again = await catalog.delete(`/assets/${asset.id}`)
  expect(again.json().error).toMatchObject({ type: 'not_found', status: 404 })
  expect((await catalog.get(`/assets/${asset.id}`)).statusCode).toBe(404)
  expect(
    (await catalog.post(`/assets/${asset.id}/tags`, { tag_type: 'rfid', value: 'new' })).statusCode,
  ).toBe(404)
  expect((await catalog.delete(`/assets/${asset.id}/tags/${asset.tags[0]?.id}`)).statusCode).toBe(404)
  const next = await catalog.asset({ external_key: 'GONE', tags: [...tags] })
  expect(next.id).not.toBe(asset.id)
})

test('a delete includes the tags, with the same deleted_at, also in the outbox', async ({ catalog }) => {
  const tags = [
    { tag_type: 'rfid', value: '1' },
    { tag_type: 'ble', value: '2' },
  ] as const
  const asset = await catalog.asset({ name: 'Cart', tags: [...tags] })
  const before = await catalog.takeOutbox()
  expect(before.map((m) => m.subject)).toEqual([
    `catalog.asset.${catalog.orgId}.${asset.id}`,
    ...asset.tags.map((tag) => `catalog.tag.${catalog.orgId}.${tag.id}`),
  ])
  await catalog.delete(`/assets/${asset.id}`)
  const after = await catalog.takeOutbox()
  expect(after.map((m) => m.subject).toSorted()).toEqual(before.map((m) => m.subject).toSorted())
  for (const { subject, payload } of after) {
    const earlier = before.find((m) => m.subject === subject)?.payload
    const { deleted_at, revision } = payload
    expect(payload).toEqual({ ...earlier, deleted_at, revision })
    expect(deleted_at).toBe(after[0]?.payload['deleted_at'])
    expect(Number(revision)).toBeGreaterThan(Number(earlier?.['revision']))
  }
  const { rows } = await catalog.database.pool.query(
    'select count(distinct deleted_at) from (select deleted_at from asset where org_id = $1 union all select deleted_at from tag where org_id = $1) as at',
    [catalog.orgId],
  )
  expect(rows).toEqual([{ count: 1 }]) // to the microsecond
})

test('messages have the request id and the trace of their request', async ({ catalog }) => {
  await catalog.asset()
  const [message] = await catalog.takeOutbox()
  expect(message?.headers).toMatchObject({
    request_id: expect.stringMatching(/^[0-9A-Z]{26}$/),
    traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/),
  })
})

test("another organization's asset looks missing and stays unchanged", async ({ catalog, otherOrg }) => {
  const theirs = await catalog.asset({ tags: [{ tag_type: 'rfid', value: 'theirs' }] }, { org: otherOrg })
  const tagPath = `/assets/${theirs.id}/tags/${theirs.tags[0]?.id}`
  const responses = await Promise.all([
    catalog.get(`/assets/${theirs.id}`),
    catalog.delete(`/assets/${theirs.id}`),
    catalog.post(`/assets/${theirs.id}/tags`, { tag_type: 'rfid', value: 'mine' }),
    catalog.delete(tagPath),
  ])
  expect(responses.map((res) => res.json().error.type)).toEqual(Array.from({ length: 4 }, () => 'not_found'))
  expect((await catalog.get('/assets')).json().total_count).toBe(0)
  expect((await catalog.get(`/assets/${theirs.id}`, { org: otherOrg })).json().data).toEqual(theirs)
})

test.for([
  ['abc', 400, 'invalid_value'],
  ['0', 400, 'too_small'],
  ['-5', 400, 'too_small'],
  ['9223372036854775808', 400, 'invalid_value'],
  ['9223372036854775807', 404, undefined],
] as const)('D7.7 the path id %s answers %s', async ([id, status, code], { catalog }) => {
  const res = await catalog.get(`/assets/${id}`)
  expect(res.statusCode).toBe(status)
  expect(res.json().error.fields?.[0].code).toBe(code)
})

test('D7.3 a detail route refuses list filters as invalid_context, other parameters as unknown', async ({
  catalog,
}) => {
  const { id } = await catalog.asset()
  const res = await catalog.get(`/assets/${id}?include_deleted=true&zzz=1`)
  expect(res.statusCode).toBe(400)
  expect(res.json().error.fields).toEqual([
    {
      field: 'include_deleted',
      code: 'invalid_context',
      message: 'include_deleted is not supported on this endpoint',
    },
    { field: 'zzz', code: 'unknown_field', message: 'unknown parameter "zzz"' },
  ])
})

test('of simultaneous deletes one succeeds, and the others answer 404', async ({ catalog }) => {
  const asset = await catalog.asset()
  const responses = await Promise.all(Array.from({ length: 6 }, () => catalog.delete(`/assets/${asset.id}`)))
  expect(responses.map((res) => res.statusCode).toSorted((a, b) => a - b)).toEqual([
    204, 404, 404, 404, 404, 404,
  ])
})
