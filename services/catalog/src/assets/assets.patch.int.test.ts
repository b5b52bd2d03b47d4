import { expect } from 'vitest'
import { test } from '../../test/catalog.fixture.ts'

// Rules that assets and locations share are in patch/patch.int.test.ts.

test('D4.6 metadata is replaced as a whole, and does not change if absent', async ({ catalog }) => {
  const asset = await catalog.asset({ metadata: { maker: 'Linde', serial: { no: 1 } } })
  const patched = async (body: object) =>
    (await catalog.patch(`/assets/${asset.id}`, body)).json().data.metadata
  expect(await patched({ name: 'x' })).toEqual({ maker: 'Linde', serial: { no: 1 } })
  expect(await patched({ metadata: { serial: { year: null } } })).toEqual({ serial: { year: null } })
  expect(await patched({ metadata: {} })).toEqual({})
})

test('D1.3 type is writable', async ({ catalog }) => {
  const asset = await catalog.asset()
  const { data } = (await catalog.patch(`/assets/${asset.id}`, { type: 'inventory' })).json()
  expect(data).toEqual({ ...asset, type: 'inventory', updated_at: data.updated_at })
})

test.for([
  { name: 'metadata null', body: { metadata: null }, want: ['metadata invalid_value'] },
  { name: 'metadata as a list', body: { metadata: [] }, want: ['metadata invalid_value'] },
  { name: 'NUL in metadata', body: { metadata: { a: '\u0000' } }, want: ['metadata invalid_value'] },
  { name: 'another type', body: { type: 'robot' }, want: ['type invalid_value'] },
  { name: 'type null', body: { type: null }, want: ['type invalid_value'] },
  { name: 'a location', body: { location_id: 1 }, want: ['location_id read_only'] },
  {
    name: 'both location fields, even null',
    body: { location_external_key: null, location_id: null, name: '' },
    want: ['name too_short', 'location_id read_only', 'location_external_key read_only'],
  },
  { name: 'a parent', body: { parent_id: 1 }, want: ['parent_id unknown_field'] },
])('PATCH with $name is refused and changes nothing', async ({ body, want }, { catalog }) => {
  const asset = await catalog.asset({ metadata: { kept: true } })
  const res = await catalog.patch(`/assets/${asset.id}`, body)
  expect(res.statusCode).toBe(400)
  const { fields } = res.json<{ error: { fields: { field: string; code: string }[] } }>().error
  expect(fields.map(({ field, code }) => `${field} ${code}`)).toEqual(want)
  expect((await catalog.get(`/assets/${asset.id}`)).json().data).toEqual(asset)
})
