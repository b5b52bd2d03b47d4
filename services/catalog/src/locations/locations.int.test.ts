import { LocationView } from '@whereabouts/contracts/resources/catalog/locations'
import { expect } from 'vitest'
import { test } from '../../test/catalog.fixture.ts'

test('D5.1 a location needs only a name, and the view has every field', async ({ catalog }) => {
  const res = await catalog.post('/locations', { name: 'Dock 1' })
  expect(res.statusCode).toBe(201)
  const { data } = res.json()
  expect(res.headers['location']).toBe(`/api/v1/locations/${data.id}`)
  expect(Object.keys(data).toSorted()).toEqual(Object.keys(LocationView.shape).toSorted())
  expect(data).toEqual({
    ...data,
    id: expect.any(Number),
    external_key: 'LOC-001',
    name: 'Dock 1',
    description: null,
    parent_id: null,
    parent_external_key: null,
    is_active: true,
    valid_from: data.created_at,
    valid_to: null,
    created_at: expect.any(String),
    updated_at: data.created_at,
    deleted_at: null,
    tags: [],
  })
  expect((await catalog.get(`/locations/${data.id}`)).json()).toEqual({ data })
})

test('D5.3 the parent is an id, a key, both, or null', async ({ catalog }) => {
  const hall = await catalog.location({ external_key: 'HALL' })
  const parent = { parent_id: hall.id, parent_external_key: 'HALL' }
  const root = { parent_id: null, parent_external_key: null }
  expect(await catalog.location({ parent_id: hall.id })).toMatchObject(parent)
  expect(await catalog.location({ parent_external_key: 'HALL' })).toMatchObject(parent)
  const both = await catalog.location(parent)
  expect(both).toMatchObject(parent)
  expect((await catalog.get(`/locations/${both.id}`)).json().data).toEqual(both)
  expect(await catalog.location(root)).toMatchObject(root)
  expect(await catalog.location({ parent_id: null })).toMatchObject(root)
})

test('D5.3 a missing, deleted or foreign parent is fk_not_found on the sent field', async ({
  catalog,
  otherOrg,
}) => {
  const gone = await catalog.location({ external_key: 'GONE' })
  await catalog.delete(`/locations/${gone.id}`)
  const theirs = await catalog.location({ external_key: 'THEIRS' }, { org: otherOrg })
  const cases = [
    [{ parent_id: gone.id }, 'parent_id'],
    [{ parent_id: theirs.id }, 'parent_id'],
    [{ parent_id: 9007199254740991 }, 'parent_id'],
    [{ parent_external_key: 'GONE' }, 'parent_external_key'],
    [{ parent_external_key: 'THEIRS' }, 'parent_external_key'],
    [{ parent_id: gone.id, parent_external_key: 'NOWHERE' }, 'parent_external_key'],
  ] as const
  const responses = await Promise.all(
    cases.map(async ([body]) => (await catalog.post('/locations', { name: 'x', ...body })).json().error),
  )
  expect(
    responses.map((e) => e.fields.map((f: { field: string; code: string }) => [f.field, f.code])),
  ).toEqual(cases.map(([, field]) => [[field, 'fk_not_found']]))
})

test('D5.3 an id and a key that differ, or of which one is null, are ambiguous_fields', async ({
  catalog,
}) => {
  const [a, b] = [await catalog.location(), await catalog.location()]
  const bodies = [
    { parent_id: a.id, parent_external_key: b.external_key },
    { parent_id: 9007199254740991, parent_external_key: b.external_key },
    { parent_id: null, parent_external_key: b.external_key },
    { parent_id: a.id, parent_external_key: null },
  ]
  const responses = await Promise.all(
    bodies.map((body) => catalog.post('/locations', { name: 'x', ...body })),
  )
  for (const res of responses) {
    expect(res.json().error.fields).toMatchObject([
      { field: 'parent_id', code: 'ambiguous_fields' },
      { field: 'parent_external_key', code: 'ambiguous_fields' },
    ])
  }
})

test('metadata and other unknown fields are refused', async ({ catalog }) => {
  const res = await catalog.post('/locations', { name: 'x', metadata: {} })
  expect(res.json().error.fields).toMatchObject([{ field: 'metadata', code: 'unknown_field' }])
})

test('a window that ends before it begins, or before the creation, is refused', async ({ catalog }) => {
  const ended = await catalog.post('/locations', { name: 'x', valid_to: '2020-01-01T00:00:00Z' })
  expect(ended.json().error.fields).toMatchObject([{ field: 'valid_to', code: 'invalid_value' }])
})

test('the key of a live location is a conflict; an asset may have the same', async ({ catalog }) => {
  const first = await catalog.location({ external_key: 'K' })
  await catalog.asset({ external_key: 'K' })
  const res = await catalog.post('/locations', { name: 'x', external_key: 'K' })
  expect(res.statusCode).toBe(409)
  expect(res.json().error.detail).toBe('location K already exists')
  await catalog.delete(`/locations/${first.id}`)
  await catalog.location({ external_key: 'K' })
})

test('D5.5 a location can be deleted once its live children are deleted', async ({ catalog }) => {
  const hall = await catalog.location({ external_key: 'HALL', tags: [{ tag_type: 'ble', value: 'h' }] })
  const dock = await catalog.location({ parent_id: hall.id })
  const refused = await catalog.delete(`/locations/${hall.id}`)
  expect(refused.statusCode).toBe(409)
  expect(refused.json().error.detail).toBe('location HALL still has child locations')
  expect((await catalog.get(`/locations/${hall.id}`)).json().data).toEqual(hall)
  expect((await catalog.delete(`/locations/${dock.id}`)).statusCode).toBe(204)
  expect((await catalog.delete(`/locations/${hall.id}`)).statusCode).toBe(204)
  expect((await catalog.delete(`/locations/${hall.id}`)).statusCode).toBe(404)
  expect((await catalog.get(`/locations/${hall.id}`)).statusCode).toBe(404)
})

test('a delete publishes the tags too, and the state names the parent', async ({ catalog }) => {
  const hall = await catalog.location()
  const dock = await catalog.location({ parent_id: hall.id, tags: [{ tag_type: 'barcode', value: 'd' }] })
  await catalog.takeOutbox()
  await catalog.delete(`/locations/${dock.id}`)
  const [location, tag] = await catalog.takeOutbox()
  const { tags, parent_external_key: _, ...fields } = dock
  expect(location).toMatchObject({
    subject: `catalog.location.${catalog.orgId}.${dock.id}`,
    payload: { ...fields, deleted_at: expect.any(String), org_id: catalog.orgId },
  })
  expect(tag?.payload).toMatchObject({
    ...tags[0],
    location_id: dock.id,
    asset_id: null,
    deleted_at: location?.payload['deleted_at'],
  })
})

test('a child created during the delete of its parent is never below a deleted parent', async ({
  catalog,
}) => {
  const rounds = Array.from({ length: 15 }, async () => {
    const parent = await catalog.location()
    const [create, remove] = await Promise.all([
      catalog.post('/locations', { name: 'child', parent_id: parent.id }),
      catalog.delete(`/locations/${parent.id}`),
    ])
    return [create.statusCode, remove.statusCode].join()
  })
  for (const outcome of await Promise.all(rounds)) expect(['201,409', '400,204']).toContain(outcome)
})

test('adding a child locks the parent, so that a delete waits and is refused', async ({ catalog }) => {
  const parent = await catalog.location()
  const client = await catalog.database.pool.connect()
  try {
    await client.query('begin')
    await client.query('select 1 from location where id = $1 for share', [parent.id])
    await client.query(
      `insert into location (org_id, external_key, name, parent_id) values ($1, 'SLOW', 'slow', $2)`,
      [catalog.orgId, parent.id],
    )
    const removal = catalog.delete(`/locations/${parent.id}`)
    await expect.poll(() => catalog.waitingForLocks()).toBe(1)
    await client.query('commit')
    expect((await removal).statusCode).toBe(409)
  } finally {
    client.release()
  }
})

test("another organization's location looks missing and stays unchanged", async ({ catalog, otherOrg }) => {
  const tags = [{ tag_type: 'rfid', value: 'theirs' }] as const
  const theirs = await catalog.location({ tags: [...tags] }, { org: otherOrg })
  const responses = await Promise.all([
    catalog.get(`/locations/${theirs.id}`),
    catalog.delete(`/locations/${theirs.id}`),
    catalog.post(`/locations/${theirs.id}/tags`, { tag_type: 'rfid', value: 'mine' }),
    catalog.delete(`/locations/${theirs.id}/tags/${theirs.tags[0]?.id}`),
  ])
  expect(responses.map((res) => res.statusCode)).toEqual([404, 404, 404, 404])
  expect((await catalog.get(`/locations/${theirs.id}`, { org: otherOrg })).json().data).toEqual(theirs)
})

test('D5.6 the list filters by the id or key of the parent; an unknown one is an empty page', async ({
  catalog,
}) => {
  const hall = await catalog.location({ external_key: 'HALL' })
  await catalog.location({ external_key: 'D1', parent_id: hall.id })
  await catalog.location({ external_key: 'D2', parent_id: hall.id, is_active: false })
  const keys = async (query: string) => {
    const { data } = (await catalog.get(`/locations?${query}`)).json<{ data: LocationView[] }>()
    return data.map((location) => location.external_key)
  }
  expect(await keys('')).toEqual(['D1', 'D2', 'HALL'])
  expect(await keys(`parent_id=${hall.id}&parent_id=1`)).toEqual(['D1', 'D2'])
  expect(await keys('parent_external_key=HALL&is_active=true')).toEqual(['D1'])
  expect(await keys('parent_external_key=NONE')).toEqual([])
  expect(await keys('parent_id=9223372036854775807')).toEqual([])
  expect(await keys('external_key=D2&sort=-name')).toEqual(['D2'])
  expect(await keys('q=hal')).toEqual(['HALL'])
})

test("D17.3 a deleted child is listed with its parent's key, which does not find it once the parent is deleted", async ({
  catalog,
}) => {
  const hall = await catalog.location({ external_key: 'HALL' })
  const dock = await catalog.location({ external_key: 'DOCK', parent_id: hall.id })
  await catalog.delete(`/locations/${dock.id}`)
  const listed = async (query = '') =>
    (await catalog.get(`/locations?include_deleted=true${query}`)).json().data
  const shown = { id: dock.id, parent_id: hall.id, parent_external_key: 'HALL' }
  expect(await listed('&parent_external_key=HALL')).toMatchObject([shown])
  await catalog.delete(`/locations/${hall.id}`)
  expect(await listed('&external_key=DOCK')).toMatchObject([shown])
  expect(await listed(`&parent_id=${hall.id}`)).toMatchObject([shown])
  expect(await listed('&parent_external_key=HALL')).toEqual([])
  await catalog.location({ external_key: 'HALL' }) // the key is free again, for another location
  expect(await listed('&parent_external_key=HALL')).toEqual([])
  const preview = (await catalog.get(`/locations/${dock.id}/restore`)).json().data
  expect(preview.location).toMatchObject(shown)
})

test('D5.6 both parent filters together are ambiguous_fields, with other problems', async ({ catalog }) => {
  const res = await catalog.get('/locations?parent_id=1&parent_external_key=A&limit=0')
  expect(res.statusCode).toBe(400)
  expect(res.json().error.fields).toMatchObject([
    { field: 'limit', code: 'too_small' },
    { field: 'parent_id', code: 'ambiguous_fields' },
    { field: 'parent_external_key', code: 'ambiguous_fields' },
  ])
})

test('D7.3 a list filter on a detail route is invalid_context', async ({ catalog }) => {
  const { id } = await catalog.location()
  const res = await catalog.get(`/locations/${id}?include_deleted=true`)
  expect(res.json().error.fields).toMatchObject([{ field: 'include_deleted', code: 'invalid_context' }])
})
