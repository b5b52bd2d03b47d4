import { expect, test } from 'vitest'
import type { Asset } from '../../assets/asset-fields.ts'
import { editOf, EMPTY, isEmpty, undoOf } from './bulk-edit.ts'

const asset = {
  id: 7,
  external_key: 'A-7',
  name: 'Pump',
  type: 'asset',
  is_active: true,
  metadata: { maker: 'Linde', color: 'red' },
} as unknown as Asset

test('only what was chosen is sent', () => {
  expect(editOf(asset, { ...EMPTY, active: 'false' })).toEqual({ external_key: 'A-7', is_active: false })
  expect(editOf(asset, { ...EMPTY, type: 'person' })).toEqual({ external_key: 'A-7', type: 'person' })
  expect([isEmpty(EMPTY), isEmpty({ ...EMPTY, name: ' ' }), isEmpty({ ...EMPTY, type: 'asset' })]).toEqual([
    true,
    true,
    false,
  ])
})

test.each([
  ['color', 'blue', { maker: 'Linde', color: 'blue' }],
  ['size', 'L', { maker: 'Linde', color: 'red', size: 'L' }],
  ['color', '', { maker: 'Linde' }],
])('metadata %s = %j keeps the other names', (name, value, metadata) =>
  expect(editOf(asset, { ...EMPTY, name, value })).toEqual({ external_key: 'A-7', metadata }),
)

test('undo sends the fields of the edit as they were, and no others', () => {
  const edit = editOf(asset, { type: 'person', active: 'false', name: 'color', value: 'blue' })
  expect(undoOf(asset, edit)).toEqual({
    external_key: 'A-7',
    type: 'asset',
    is_active: true,
    metadata: { maker: 'Linde', color: 'red' },
  })
  expect(undoOf(asset, editOf(asset, { ...EMPTY, active: 'false' }))).toEqual({
    external_key: 'A-7',
    is_active: true,
  })
})
