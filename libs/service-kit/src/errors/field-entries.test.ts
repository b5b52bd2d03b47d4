import { AssetCreate, AssetListQuery } from '@whereabouts/contracts/resources/catalog/assets'
import { pathId } from '@whereabouts/contracts/rules/query'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AppError } from './app-error.ts'
import { validationFailed } from './errors.ts'
import { fieldEntries } from './field-entries.ts'
import { parsePart } from '../http/validate.ts'

function entries(schema: z.ZodType, input: unknown, part: 'path' | 'query' | 'body' = 'body') {
  const parsed = schema.safeParse(input, { reportInput: true })
  return fieldEntries(parsed.error?.issues ?? [], part)
}

const one = (body: object) => entries(AssetCreate, { name: 'Forklift', ...body })

describe('D3 templates', () => {
  test.for([
    { body: { name: undefined }, field: 'name', code: 'required', message: 'name is required' },
    { body: { name: null }, field: 'name', code: 'invalid_value', message: 'name cannot be null' },
    { body: { name: '' }, field: 'name', code: 'too_short', message: 'name must be at least 1 character' },
    {
      body: { name: 'x'.repeat(256) },
      field: 'name',
      code: 'too_long',
      message: 'name must be at most 255 characters',
    },
    {
      body: { name: 7 },
      field: 'name',
      code: 'invalid_value',
      message: 'name must be string; received number',
    },
    {
      body: { name: 'a\tb' },
      field: 'name',
      code: 'invalid_value',
      message: 'name must not contain control characters',
    },
    {
      body: { name: ' a' },
      field: 'name',
      code: 'invalid_value',
      message: 'name must not start or end with white space',
    },
    {
      body: { name: '\ud800' },
      field: 'name',
      code: 'invalid_value',
      message: 'name must be valid Unicode text',
    },
    {
      body: { is_active: 'yes' },
      field: 'is_active',
      code: 'invalid_value',
      message: 'is_active must be boolean; received string',
    },
    {
      body: { type: 'car' },
      field: 'type',
      code: 'invalid_value',
      message: 'type must be one of: asset, person, inventory',
    },
    {
      body: { type: 4 },
      field: 'type',
      code: 'invalid_value',
      message: 'type must be string; received number',
    },
    { body: { type: null }, field: 'type', code: 'invalid_value', message: 'type cannot be null' },
    {
      body: { valid_from: null },
      field: 'valid_from',
      code: 'invalid_value',
      message: 'valid_from cannot be null',
    },
    {
      body: { valid_from: '2026-11-21' },
      field: 'valid_from',
      code: 'invalid_value',
      message: 'valid_from must be an RFC 3339 timestamp',
    },
    {
      body: { metadata: [] },
      field: 'metadata',
      code: 'invalid_value',
      message: 'metadata must be object; received array',
    },
    {
      body: { tags: 'x' },
      field: 'tags',
      code: 'invalid_value',
      message: 'tags must be array; received string',
    },
    {
      body: { tags: [{ tag_type: 'rfid' }] },
      field: 'tags[0].value',
      code: 'required',
      message: 'tags[0].value is required',
    },
    {
      body: { tags: [{ tag_type: 'nfc', value: 'x' }] },
      field: 'tags[0].tag_type',
      code: 'invalid_value',
      message: 'tags[0].tag_type must be one of: rfid, ble, barcode',
    },
    {
      body: { location_id: null },
      field: 'location_id',
      code: 'read_only',
      message: 'location_id is read-only',
    },
    {
      body: { external_key: 'a b' },
      field: 'external_key',
      code: 'invalid_value',
      message: 'external_key must contain only letters, digits and hyphens',
    },
  ])('$message', ({ body, field, code, message }) => {
    expect(one(body)).toEqual([expect.objectContaining({ field, code, message })])
  })

  test('params have the values of the constraint', () => {
    expect(one({ name: '' })[0]?.params).toEqual({ min_length: 1 })
    expect(one({ name: 7 })[0]?.params).toEqual({ expected_type: 'string', received_type: 'number' })
    expect(one({ type: 'car' })[0]?.params).toEqual({ allowed_values: ['asset', 'person', 'inventory'] })
    expect(one({ name: null })[0]?.params).toEqual({ expected_type: 'string', received_type: 'null' })
  })

  test('lengths count code points, not UTF-16 units', () => {
    expect(one({ name: '😀'.repeat(255) })).toEqual([])
    expect(one({ name: '😀'.repeat(256) })[0]?.code).toBe('too_long')
  })
})

test('unknown keys come first, sorted by path, then fields in schema order, one entry per field', () => {
  const body = { zebra: 1, ant: 2, tags: [{ tag_type: 'rfid', value: '', colour: 'red' }], name: '' }
  expect(entries(AssetCreate, body).map((e) => `${e.field} ${e.code}`)).toEqual([
    'ant unknown_field',
    'tags[0].colour unknown_field',
    'zebra unknown_field',
    'name too_short',
    'tags[0].value too_short',
  ])
})

test.for([
  [{ limit: ['201'] }, 'limit too_large'],
  [{ limit: ['0'] }, 'limit too_small'],
  [{ limit: ['ten'] }, 'limit invalid_value'],
  [{ limit: ['1', '2'] }, 'limit invalid_value'],
  [{ offset: ['-1'] }, 'offset too_small'],
  [{ is_active: ['True'] }, 'is_active invalid_value'],
  [{ external_key: ['ok', 'not ok'] }, 'external_key invalid_value'],
  [{ sort: ['-name,colour'] }, 'sort invalid_value'],
  [{ type: ['asset', 'car'] }, 'type invalid_value'],
  [{ colour: ['red'] }, 'colour unknown_field'],
] as const)('query %j is refused: %s', ([query, expected]) => {
  expect(entries(AssetListQuery, query, 'query').map((e) => `${e.field} ${e.code}`)).toEqual([expected])
})

test.for([
  ['0', 'too_small'],
  ['-5', 'too_small'],
  ['abc', 'invalid_value'],
  ['1.5', 'invalid_value'],
  ['9223372036854775808', 'invalid_value'],
])('D7.7 a path id of %s is %s', ([raw, code]) => {
  expect(entries(z.strictObject({ asset_id: pathId }), { asset_id: raw }, 'path')[0]?.code).toBe(code)
})

test('D7.7 an id above 2^53-1 is valid and belongs to nothing', () => {
  const { asset_id } = z.strictObject({ asset_id: pathId }).parse({ asset_id: '9223372036854775807' })
  expect(asset_id).toBe(2 ** 53)
})

test.for([
  [1, 'a is bad'],
  [2, 'a is bad (and 1 more validation error)'],
  [3, 'a is bad (and 2 more validation errors)'],
] as const)('D3.2 the detail quotes the first of %d and counts the others', ([count, detail]) => {
  const entry = { field: 'a', code: 'invalid_value', message: 'a is bad' } as const
  const rest = Array.from({ length: count - 1 }, () => entry)
  expect(validationFailed([entry, ...rest]).message).toBe(detail)
})

test('an invalid part is one validation_error', () => {
  expect(() => parsePart(AssetCreate, {}, 'body')).toThrow(AppError)
})

test('an answer lists at most a thousand problems and counts all of them', () => {
  const entry = { field: 'a', code: 'unknown_field', message: 'unknown field "a"' } as const
  const error = validationFailed([entry, ...Array.from({ length: 4_999 }, () => entry)])
  expect(error.fields).toHaveLength(1_000)
  expect(error.message).toContain('(and 4999 more validation errors)')
})
