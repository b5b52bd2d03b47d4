import { expect, test } from 'vitest'
import { CatalogStandIn } from '../../test/tracking.fixture.ts'
import { CatalogView, type TagMatch } from './catalog-view.ts'

function filled(fill: (catalog: CatalogStandIn) => void): CatalogView {
  const catalog = new CatalogStandIn()
  fill(catalog)
  const view = new CatalogView()
  for (const asset of catalog.assets) view.applyAsset(asset)
  for (const location of catalog.locations) view.applyLocation(location)
  for (const tag of catalog.tags) view.applyTag(tag)
  return view
}

const nameOf = (match: TagMatch) => (match === undefined ? 'unknown' : match?.name)

test.for([
  { type: 'rfid', stored: 'e280-1160 60:00', read: 'E28011606000', want: 'A' },
  { type: 'ble', stored: 'c3:00:00:0a:0b:0c', read: 'C300000A0B0C', want: 'A' },
  { type: 'barcode', stored: 'ab-1', read: 'ab-1', want: 'A' },
  { type: 'barcode', stored: 'ab-1', read: 'AB1', want: 'unknown' },
])('D6.5 $type $stored matches a read of $read: $want', ({ type, stored, read, want }) => {
  const view = filled((c) => c.tag(c.asset(1, 'A'), stored, { tag_type: type }))
  expect(nameOf(view.matchTag(1, type, read))).toBe(want)
})

const PURE = 'urn:epc:id:sgtin:0614141.812345.6789'
const [HEX, OTHER_FILTER] = ['3074257BF7194E4000001A85', '3034257BF7194E4000001A85']

test('D16.5 a pure identity matches each filter value; codes that differ in it do not match', () => {
  const pure = filled((c) => c.tag(c.asset(1, 'A'), PURE.toUpperCase()))
  expect([HEX, OTHER_FILTER, PURE].map((read) => nameOf(pure.matchTag(1, 'rfid', read)))).toEqual([
    'A',
    'A',
    'A',
  ])
  expect(pure.matchTag(1, 'rfid', 'E280')).toBeUndefined()
  expect(pure.matchTag(2, 'rfid', HEX)).toBeUndefined()
  const hex = filled((c) => c.tag(c.asset(1, 'A'), HEX))
  expect([HEX, PURE].map((read) => nameOf(hex.matchTag(1, 'rfid', read)))).toEqual(['A', 'A'])
  expect(hex.matchTag(1, 'rfid', OTHER_FILTER)).toBeUndefined()
})

test('D16.5 the exact text beats a pure identity, then the oldest of all spellings wins', () => {
  const view = filled((c) => {
    c.tag(c.asset(1, 'Pure'), PURE, { created_at: '2026-01-02T00:00:00.000Z' })
    c.tag(c.asset(1, 'Exact'), HEX, { created_at: '2026-01-03T00:00:00.000Z' })
    c.tag(c.asset(1, 'Dashes'), OTHER_FILTER.replace('30', '30-'), { created_at: '2026-01-04T00:00:00.000Z' })
  })
  expect(nameOf(view.matchTag(1, 'rfid', HEX))).toBe('Exact')
  expect(nameOf(view.matchTag(1, 'rfid', OTHER_FILTER))).toBe('Pure')
})

test('a detached pure identity matches nothing any more', () => {
  const catalog = new CatalogStandIn()
  const asset = catalog.asset(1, 'A')
  const tag = catalog.tag(asset, PURE)
  const view = new CatalogView()
  view.applyAsset(asset)
  for (const state of [tag, tag]) view.applyTag(state)
  expect(nameOf(view.matchTag(1, 'rfid', HEX))).toBe('A')
  view.applyTag({ ...tag, revision: tag.revision + 1, deleted_at: '2026-01-01T00:00:00.000Z' })
  expect(view.matchTag(1, 'rfid', HEX)).toBeUndefined()
})

test('D6.5 an exact match beats a tolerant one, then the oldest tag wins', () => {
  const view = filled((c) => {
    c.tag(c.asset(1, 'Young'), 'E2:80', { created_at: '2026-01-03T00:00:00.000Z' })
    c.tag(c.asset(1, 'Old'), 'e2-80', { created_at: '2026-01-01T00:00:00.000Z' })
    c.tag(c.asset(1, 'Exact'), 'E280', { created_at: '2026-01-09T00:00:00.000Z' })
  })
  expect(nameOf(view.matchTag(1, 'rfid', 'E280'))).toBe('Exact')
  expect(nameOf(view.matchTag(1, 'rfid', 'E2 80'))).toBe('Old')
})

test("another organization's tag is unknown", () => {
  const view = filled((c) => c.tag(c.asset(1, 'A'), 'E280'))
  expect(view.matchTag(2, 'rfid', 'E280')).toBeUndefined()
})

test('a type is known once a state has it, and moves with the asset; the newest state decides', () => {
  const catalog = new CatalogStandIn()
  const asset = catalog.asset(1, 'A', { type: 'person' })
  const { type, ...untyped } = asset
  const view = new CatalogView()
  view.applyAsset(untyped)
  expect(view.types.idsOf(1, [type])).toEqual([])
  view.applyAsset(asset)
  expect([view.types.idsOf(1, [type, type]), view.types.idsOf(2, [type])]).toEqual([[asset.id], []])
  view.applyAsset({ ...asset, revision: asset.revision + 1, type: 'inventory' })
  view.applyAsset(asset)
  expect([view.types.idsOf(1, [type]), view.types.isOneOf(1, asset.id, ['inventory'])]).toEqual([[], true])
  view.clear()
  expect(view.types.idsOf(1, ['inventory'])).toEqual([])
})

test('an older state that arrives late changes nothing', () => {
  const catalog = new CatalogStandIn()
  const asset = catalog.asset(1, 'A')
  const tag = catalog.tag(asset, 'E280')
  const view = new CatalogView()
  view.applyAsset(asset)
  view.applyTag({ ...tag, revision: tag.revision + 1, deleted_at: '2026-01-01T00:00:00.000Z' })
  view.applyTag(tag)
  expect(view.matchTag(1, 'rfid', 'E280')).toBeUndefined()
})

test('a tag of an asset that is not known yet is unknown, not ignored', () => {
  const catalog = new CatalogStandIn()
  const tag = catalog.tag(catalog.asset(1, 'A'), 'E280')
  const view = new CatalogView()
  view.applyTag(tag)
  expect(view.matchTag(1, 'rfid', 'E280')).toBeUndefined()
})

test('a key that was freed and reused names the new location, in either order of arrival', () => {
  const catalog = new CatalogStandIn()
  const before = catalog.location(1, 'Dock')
  const after = catalog.location(1, 'Dock')
  const gone = { ...before, revision: before.revision + 10, deleted_at: '2026-01-01T00:00:00.000Z' }
  for (const order of [
    [before, gone, after],
    [before, after, gone],
  ]) {
    const view = new CatalogView()
    for (const state of order) view.applyLocation(state)
    expect(view.locationByKey(1, 'DOCK')?.id).toBe(after.id)
  }
})
