import { expect, test, vi } from 'vitest'
import { ASSET_FIELDS, type Asset } from '../../areas/assets/assets/asset-fields.ts'
import { READER_FIELDS } from '../../areas/readers/readers/reader-fields.ts'
import { LOCATION_FIELDS } from '../locations/location-fields.ts'
import { changedFields, importColumnsOf, problemsOf, type Values, valuesOf } from './fields.ts'

// The fields import inputs, which import the API client, which reads the address of the page.
vi.hoisted(() => vi.stubGlobal('location', { origin: 'https://console.test' }))

const asset = {
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
} as Partial<Asset> as Asset
const before = valuesOf(ASSET_FIELDS, asset)
const changed = (change: Values) => changedFields(ASSET_FIELDS, before, { ...before, ...change })
const problems = (change: Values) => problemsOf(ASSET_FIELDS, before, { ...before, ...change })

test('an untouched field is not sent, so that an instant keeps its seconds', () => {
  expect(changed({})).toEqual({})
})

test('only changed fields are sent', () => {
  expect(changed({ name: 'Forklift 8', is_active: false })).toEqual({ name: 'Forklift 8', is_active: false })
})

test('emptied fields are cleared', () => {
  expect(changed({ description: '', valid_to: '', metadata: ' ' })).toEqual({
    description: null,
    valid_to: null,
    metadata: {},
  })
})

test('an instant is sent in UTC from any time zone', () => {
  const validTo = new Date(2028, 0, 31, 8, 30).toISOString()
  expect(changed({ valid_to: '2028-01-31T08:30' })).toEqual({ valid_to: validTo })
})

test.for(['{', '[]', '"text"', 'null', '3'])('metadata %s is refused before it is sent', (metadata) => {
  expect(problems({ metadata })).toHaveProperty('metadata')
})

test('an asset needs a start of validity', () => {
  expect(problems({ valid_from: '' })).toHaveProperty('valid_from')
  expect(problems({ valid_to: '' })).toEqual({})
})

test('a parent location is sent by its id, and cleared by null', () => {
  const empty = valuesOf(LOCATION_FIELDS)
  const inHall = { ...empty, parent_id: { id: 7, name: 'Hall', external_key: 'HALL' } }
  expect(changedFields(LOCATION_FIELDS, empty, inHall)).toEqual({ parent_id: 7 })
  expect(changedFields(LOCATION_FIELDS, inHall, empty)).toEqual({ parent_id: null })
})

test('a location is imported by the key of its parent', () => {
  const names = importColumnsOf(LOCATION_FIELDS).map(({ name }) => name)
  expect(names).toContain('parent_external_key')
  expect(names).not.toContain('parent_id')
})

test('an empty time zone and mapping of a reader are null', () => {
  const empty = valuesOf(READER_FIELDS)
  const filled = { ...empty, timezone: '+08:00', mapping: '{"tag": "/epc"}' }
  expect(changedFields(READER_FIELDS, empty, filled)).toEqual({
    timezone: '+08:00',
    mapping: { tag: '/epc' },
  })
  expect(changedFields(READER_FIELDS, filled, empty)).toEqual({ timezone: null, mapping: null })
})

test('broken JSON shows the syntax error', () => {
  expect(problems({ metadata: '{"a": }' })).toEqual({
    metadata: expect.stringMatching(/^Not valid JSON: .+/),
  })
})

test('required fields are checked also when they were not touched', () => {
  const empty = valuesOf(ASSET_FIELDS)
  expect(problemsOf(ASSET_FIELDS, empty, empty)).toHaveProperty('name', 'Fill in this field.')
})

test('a validity ends after its start, and a key has no spaces', () => {
  expect(problems({ valid_to: '2020-01-01T10:00' })).toHaveProperty('valid_to')
  expect(problems({ external_key: 'PUMP 7' })).toHaveProperty('external_key')
})

test('white space around a name is not sent', () => {
  expect(changed({ name: ' Forklift 8 ' })).toEqual({ name: 'Forklift 8' })
})
