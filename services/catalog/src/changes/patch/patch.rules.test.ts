import { AssetPatch } from '@whereabouts/contracts/resources/catalog/assets'
import { expect, test } from 'vitest'
import { inSchemaOrder, movedBounds, storedRowProblems, type Stored } from './patch.rules.ts'

const tag = (id: number, value = 'A') => ({ id, tag_type: 'rfid', value })

const stored: Stored = {
  id: 7,
  name: 'Pump',
  external_key: 'PUMP-1',
  valid_from: '2026-01-01T00:00:00.123Z',
  valid_to: '2027-01-01T00:00:00.456Z',
  created_at: '2026-11-21T10:00:00.123Z',
  updated_at: '2026-11-21T11:00:00.000Z',
  deleted_at: null,
  tags: [tag(1), tag(2, 'B')],
}

/** A body after its schema has parsed it. */
const sent = (body: object) => AssetPatch.parse(body)
const problems = (body: object, row = stored) =>
  inSchemaOrder(AssetPatch, storedRowProblems(row, sent(body))).map(({ field, code }) => `${field} ${code}`)

test.for([
  ['nothing', {}],
  ['everything as it was read', stored],
  ['the tags in another order', { tags: stored.tags.toReversed() }],
  ['a tag named twice, which is the same set', { tags: [tag(1), tag(1), tag(2, 'B')] }],
  ['another offset of the same millisecond', { updated_at: '2026-11-21T13:00:00+02:00' }],
  ['fewer digits of the same millisecond', { updated_at: '2026-11-21t11:00:00.0z' }],
  ['microseconds within the same millisecond', { created_at: '2026-11-21T10:00:00.123999999Z' }],
] as const)('D4.8 a value that equals the stored row is accepted: %s', ([, body]) => {
  expect(problems(body)).toEqual([])
})

test.for([
  [{ id: 8 }, 'id read_only'],
  [{ id: 0 }, 'id read_only'],
  [{ id: 2 ** 60 }, 'id read_only'],
  [{ created_at: '2026-11-21T10:00:00.124Z' }, 'created_at read_only'],
  [{ updated_at: '2026-11-21T10:59:59.999Z' }, 'updated_at read_only'],
  [{ updated_at: '2026-11-21T11:00:00+00:01' }, 'updated_at read_only'],
  [{ deleted_at: '2026-11-21T10:00:00Z' }, 'deleted_at read_only'],
  [{ external_key: 'pump-1' }, 'external_key invalid_context'],
  [{ external_key: '' }, 'external_key invalid_context'],
  [{ tags: [] }, 'tags invalid_context'],
  [{ tags: [tag(1)] }, 'tags invalid_context'],
  [{ tags: [...stored.tags, tag(3)] }, 'tags invalid_context'],
  [{ tags: [tag(1), tag(2, 'b')] }, 'tags invalid_context'],
  [{ tags: [{ tag_type: 'rfid', value: 'A' }, tag(2, 'B')] }, 'tags invalid_context'],
] as const)('D4.8 a value that differs is refused: %j is %s', ([body, problem]) => {
  expect(problems(body)).toEqual([problem])
})

test('D3.2 all differences are reported together, in schema order', () => {
  const body = {
    tags: [],
    updated_at: '2020-01-01T00:00:00Z',
    deleted_at: '2020-01-01T00:00:00Z',
    created_at: '2020-01-01T00:00:00Z',
    valid_to: '2020-01-01T00:00:00Z',
    external_key: 'OTHER',
    id: 1,
  }
  expect(problems(body)).toEqual([
    'id read_only',
    'external_key invalid_context',
    'valid_to invalid_value',
    'created_at read_only',
    'updated_at read_only',
    'deleted_at read_only',
    'tags invalid_context',
  ])
})

test('messages name the field and what to do instead', () => {
  const body = { external_key: 'OTHER', updated_at: '2020-01-01T00:00:00Z', tags: [] }
  expect(storedRowProblems(stored, sent(body)).map(({ message }) => message)).toEqual([
    'updated_at is read-only and is not what is stored',
    'external_key cannot be changed here; use rename',
    'tags cannot be changed here; use the tags subresource',
  ])
})

test.for([
  [{ id: '7' }, 'id'],
  [{ id: 7.5 }, 'id'],
  [{ id: null }, 'id'],
  [{ external_key: 5 }, 'external_key'],
  [{ external_key: null }, 'external_key'],
  [{ updated_at: 'yesterday' }, 'updated_at'],
  [{ updated_at: null }, 'updated_at'],
  [{ created_at: 0 }, 'created_at'],
  [{ deleted_at: '' }, 'deleted_at'],
  [{ tags: null }, 'tags'],
  [{ tags: {} }, 'tags'],
  [{ tags: ['A'] }, 'tags.0'],
  [{ tags: [{ ...tag(1), id: '1' }] }, 'tags.0.id'],
  [{ tags: [{ ...tag(1), colour: 'red' }] }, 'tags.0'],
] as const)('a value that cannot be compared is refused by the schema: %j on %s', ([body, path]) => {
  const { error } = AssetPatch.safeParse(body)
  expect(error?.issues.map((issue) => issue.path.join('.'))).toEqual([path])
})

test.for([
  [
    'only valid_from, beyond the stored end',
    { valid_from: '2027-01-01T00:00:00.457Z' },
    ['valid_to invalid_value'],
  ],
  [
    'only valid_to, before the stored begin',
    { valid_to: '2026-01-01T00:00:00.122Z' },
    ['valid_to invalid_value'],
  ],
  ['both moved, in order', { valid_from: '2028-01-01T00:00:00Z', valid_to: '2029-01-01T00:00:00Z' }, []],
  ['the end taken away while the begin moves', { valid_from: '2028-01-01T00:00:00Z', valid_to: null }, []],
] as const)('D4.7 the merged window: %s', ([, body, expected]) => {
  expect(problems(body)).toEqual(expected)
})

test('D4.7 a window without an end can begin at any time', () => {
  expect(problems({ valid_from: '2099-01-01T00:00:00Z' }, { ...stored, valid_to: null })).toEqual([])
})

test.for([
  ['the wire text of the stored bound', { valid_from: '2026-01-01T00:00:00.123Z' }, {}],
  ['another spelling of it', { valid_to: '2027-01-01T01:00:00.456+01:00' }, {}],
  [
    'finer than the wire',
    { valid_from: '2026-01-01T00:00:00.123456Z' },
    { valid_from: '2026-01-01T00:00:00.123456Z' },
  ],
  ['another bound', { valid_to: '2028-01-01T00:00:00Z' }, { valid_to: '2028-01-01T00:00:00.000000Z' }],
  ['null', { valid_to: null }, { valid_to: null }],
  ['nothing', {}, {}],
] as const)('a bound is moved only if it differs from the one that was read: %s', ([, body, moved]) => {
  expect(movedBounds(stored, sent(body))).toEqual(moved)
})

test('a null end sent back is not moved', () => {
  expect(movedBounds({ ...stored, valid_to: null }, sent({ valid_to: null }))).toEqual({})
})
