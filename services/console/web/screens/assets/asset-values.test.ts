import { expect, test } from 'vitest'
import { createBody, EMPTY, patchBody, valuesOf, type Asset } from './asset-values.ts'

const asset: Asset = {
  id: 1,
  external_key: 'FORKLIFT-7',
  name: 'Forklift 7',
  description: 'Reach truck',
  type: 'asset',
  metadata: { maker: 'Linde' },
  is_active: true,
  valid_from: '2026-11-21T10:00:12.345Z',
  valid_to: '2027-11-21T10:00:00.000Z',
  created_at: '2026-11-21T10:00:12.345Z',
  updated_at: '2026-11-21T10:00:12.345Z',
  deleted_at: null,
  tags: [],
}

test('what nobody touched is not sent, seconds that the input cannot show included', () => {
  expect(patchBody(valuesOf(asset), valuesOf(asset))).toEqual({ body: {} })
})

test('only what was changed is sent', () => {
  const before = valuesOf(asset)
  expect(patchBody(before, { ...before, name: 'Forklift 8', is_active: false })).toEqual({
    body: { name: 'Forklift 8', is_active: false },
  })
})

test('what was emptied is cleared', () => {
  const before = valuesOf(asset)
  expect(patchBody(before, { ...before, description: '', valid_to: '', metadata: ' ' })).toEqual({
    body: { description: null, valid_to: null, metadata: {} },
  })
})

test('an instant is sent in UTC, whatever the zone of the viewer', () => {
  const before = valuesOf(asset)
  const ready = patchBody(before, { ...before, valid_to: '2028-01-31T08:30' })
  expect(ready).toEqual({ body: { valid_to: new Date(2028, 0, 31, 8, 30).toISOString() } })
})

test.for(['{', '[]', '"text"', 'null', '3'])('metadata %s is refused before anything is sent', (metadata) => {
  expect(patchBody(EMPTY, { ...EMPTY, metadata })).toHaveProperty('problems.metadata')
  expect(createBody({ ...EMPTY, metadata }, '', [])).toHaveProperty('problems.metadata')
})

test('an asset is valid from some time on', () => {
  const before = valuesOf(asset)
  expect(patchBody(before, { ...before, valid_from: '' })).toHaveProperty('problems.valid_from')
})

test('a new asset is sent without what was left empty', () => {
  const tags = [
    { tag_type: 'rfid', value: 'E280' },
    { tag_type: 'ble', value: '' },
  ] as const
  expect(createBody({ ...EMPTY, name: 'Pallet' }, '', tags)).toEqual({
    body: { name: 'Pallet', type: 'asset', is_active: true, tags: [{ tag_type: 'rfid', value: 'E280' }] },
  })
  expect(createBody({ ...EMPTY, name: 'Pallet', metadata: '{"a": 1}' }, 'P-1', [])).toEqual({
    body: { name: 'Pallet', type: 'asset', is_active: true, external_key: 'P-1', metadata: { a: 1 } },
  })
})
