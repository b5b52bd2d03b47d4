import { expect, test } from 'vitest'
import { readCatalogMessage } from './catalog-message.ts'
import { CatalogView } from './catalog-view.ts'

const common = { org_id: 7, revision: 3, external_key: 'KEY-1', name: 'One', deleted_at: null }

test('a state without the fields that tracking does not use is applied', () => {
  const view = new CatalogView()
  const window = { valid_from: '2026-11-21T10:00:00.000Z', valid_to: null }
  const asset = readCatalogMessage('catalog.asset.7.1', { ...common, ...window, id: 1, type: 'person' })
  const location = readCatalogMessage('catalog.location.7.2', { ...common, id: 2, parent_id: null })
  if (asset.kind === 'asset') view.applyAsset(asset.state)
  if (location.kind === 'location') view.applyLocation(location.state)
  expect(view.asset(7, 1)).toMatchObject({ key: 'KEY-1', name: 'One' })
  expect(view.location(7, 2)).toMatchObject({ key: 'KEY-1', parentId: null })
})

test('a state without a field that tracking uses is refused', () => {
  const { name: _, ...nameless } = common
  expect(() => readCatalogMessage('catalog.location.7.2', { ...nameless, id: 2, parent_id: null })).toThrow()
  expect(() => readCatalogMessage('catalog.reader.7.2', common)).toThrow('not a catalog subject')
})
