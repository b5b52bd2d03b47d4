import { AssetCreate } from '@whereabouts/contracts/resources/catalog/assets'
import { LocationCreate } from '@whereabouts/contracts/resources/catalog/locations'
import { ReaderCreate, ScanPointCreate } from '@whereabouts/contracts/resources/tracking/readers'
import { matchValue } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { expect, test } from 'vitest'
import { warehousePlan } from './warehouse.ts'

const plan = warehousePlan()
const locationKeys = plan.locations.map((location) => location.key)
const duplicates = (values: string[]) => values.filter((value, index) => values.indexOf(value) !== index)

test('the plan is the same at every call', () => {
  expect(warehousePlan()).toEqual(plan)
})

test('34 locations make a tree of four levels in which parents come first', () => {
  const levels = new Map<string | null, number>([[null, 0]])
  for (const { key, parentKey } of plan.locations) {
    expect(levels.has(parentKey), `${key} after ${parentKey}`).toBe(true)
    levels.set(key, (levels.get(parentKey) ?? 0) + 1)
  }
  expect(plan.locations).toHaveLength(34)
  expect(Math.max(...levels.values())).toBe(4)
  expect(duplicates(locationKeys)).toEqual([])
})

test('there are 514 assets of all types, with distinct keys', () => {
  expect(plan.assets).toHaveLength(514)
  expect(new Set(plan.assets.map((asset) => asset.type))).toEqual(new Set(['asset', 'person', 'inventory']))
  expect(duplicates(plan.assets.map((asset) => asset.key))).toEqual([])
})

test('no read matches two assets, in any spelling of their tags', () => {
  const tags = plan.assets.flatMap((asset) => asset.tags)
  expect(duplicates(tags.map((tag) => `${tag.type}:${matchValue(tag.type, tag.value)}`))).toEqual([])
})

test('tags are readable by the decoders: whole bytes of hex, whole Bluetooth addresses', () => {
  const forms = { rfid: /^[0-9A-F]{24}$/, ble: /^[0-9A-F]{12}$/, barcode: /^Box-\d{6}$/ }
  for (const { type, value } of plan.assets.flatMap((asset) => asset.tags)) {
    expect(matchValue(type, value)).toMatch(forms[type])
  }
})

test('most assets carry an EPC, some two tags, and Bluetooth addresses come in several spellings', () => {
  const withType = (type: string) =>
    plan.assets.filter((asset) => asset.tags.some((tag) => tag.type === type))
  expect(withType('rfid').length).toBeGreaterThan(400)
  expect(plan.assets.filter((asset) => asset.tags.length === 2).length).toBeGreaterThan(50)
  const spellings = withType('ble').flatMap((asset) => asset.tags.filter((tag) => tag.type === 'ble'))
  expect(spellings.some(({ value }) => value.includes(':'))).toBe(true)
  expect(spellings.some(({ value }) => /^[0-9a-f]+$/.test(value))).toBe(true)
})

test('every antenna has an existing location, and no antenna appears twice', () => {
  for (const reader of plan.readers) {
    expect(duplicates(reader.antennas.map(({ antenna }) => String(antenna)))).toEqual([])
    for (const { locationKey } of reader.antennas) expect(locationKeys).toContain(locationKey)
  }
})

test('nine readers of the agreed kinds publish, over MQTT and over NATS', () => {
  const count = (model: string) => plan.readers.filter((reader) => reader.model === model).length
  const models = ['impinj-r700', 'zebra-fixed', 'zebra-sled', 'ble-gateway', 'minew-g1']
  expect(models.map(count)).toEqual([3, 2, 1, 1, 2])
  expect(plan.readers.filter((reader) => reader.transport === 'mqtt')).toHaveLength(5)
})

test('the public API accepts every part of the plan', () => {
  const locations = plan.locations.map(({ key, name, parentKey }) =>
    LocationCreate.safeParse({ external_key: key, name, parent_external_key: parentKey }),
  )
  const assets = plan.assets.map(({ key, name, type, tags, metadata }) => {
    const wireTags = tags.map((tag) => ({ tag_type: tag.type, value: tag.value }))
    return AssetCreate.safeParse({ external_key: key, name, type, metadata, tags: wireTags })
  })
  const readers = plan.readers.map(({ key, name, format }) =>
    ReaderCreate.safeParse({ reader_key: key, name, format }),
  )
  const points = plan.readers.flatMap((reader) =>
    reader.antennas.map(({ antenna, name, locationKey }) =>
      ScanPointCreate.safeParse({ antenna, name, location_external_key: locationKey }),
    ),
  )
  expect([...locations, ...assets, ...readers, ...points].filter((result) => !result.success)).toEqual([])
})
