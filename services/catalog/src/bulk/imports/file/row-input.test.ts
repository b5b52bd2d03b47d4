import type { ImportColumn, ImportResource } from '@whereabouts/contracts/resources/catalog/imports'
import { describe, expect, test } from 'vitest'
import { readRow } from './row-input.ts'

const read = (cells: Partial<Record<ImportColumn, string>>, resource: ImportResource = 'assets') =>
  readRow(resource, Object.keys(cells) as ImportColumn[], { line: 7, cells: Object.values(cells) })
const errorsOf = (...given: Parameters<typeof read>) => read(...given).errors

describe('a cell', () => {
  test('an absent column changes nothing, an empty cell clears a nullable field', () => {
    expect(read({ name: 'a' })).toEqual({
      line: 7,
      key: undefined,
      fields: { name: 'a' },
      tags: {},
      isNamed: true,
      errors: [],
    })
    const empty = {
      external_key: '',
      name: '',
      description: '',
      type: '',
      is_active: '',
      valid_from: '',
      valid_to: '',
    }
    expect(read({ ...empty, metadata: '', rfid: '', barcode: '' })).toEqual({
      line: 7,
      key: undefined,
      fields: { description: null, valid_to: null },
      tags: { rfid: [], barcode: [] },
      isNamed: false,
      errors: [],
    })
    const location = read({ parent_external_key: '' }, 'locations')
    expect(location.fields).toEqual({ parent_external_key: null })
  })

  test('is parsed like a value of the API', () => {
    const { key, fields, tags, errors } = read({
      external_key: 'A-1',
      name: 'Forklift',
      is_active: 'TRUE',
      type: 'inventory',
      valid_from: '2026-01-01T00:00:00.1234567+01:00',
      metadata: '{"a":[1,{"b":null}]}',
      ble: 'x|y|x',
    })
    expect(errors).toEqual([])
    expect(key).toBe('A-1')
    expect(fields).toEqual({
      name: 'Forklift',
      is_active: true,
      type: 'inventory',
      valid_from: '2025-12-31T23:00:00.123456Z',
      metadata: { a: [1, { b: null }] },
    })
    expect(tags).toEqual({ ble: ['x', 'y'] })
  })

  test('loses the apostrophe that escapes a formula', () => {
    const { key, fields, tags } = read({
      external_key: "'-1",
      name: "'=SUM",
      description: "'quoted'",
      rfid: "'+1|2",
    })
    expect([key, fields, tags]).toEqual([
      '-1',
      { name: '=SUM', description: "'quoted'" },
      { rfid: ['+1', '2'] },
    ])
  })
})

describe('D3 problems are errors of the API, with the column as field', () => {
  test.for([
    [{ external_key: 'a b' }, 'external_key', 'invalid_value', 'external_key must contain only letters, digits and hyphens'],
    [{ external_key: 'a'.repeat(256) }, 'external_key', 'too_long', 'external_key must be at most 255 characters'],
    [{ name: ' a' }, 'name', 'invalid_value', 'name must not start or end with white space'],
    [{ name: 'a'.repeat(256) }, 'name', 'too_long', 'name must be at most 255 characters'],
    [{ description: 'a\u0001' }, 'description', 'invalid_value', 'description must not contain control characters'],
    [{ type: 'robot' }, 'type', 'invalid_value', 'type must be one of: asset, person, inventory'],
    [{ is_active: 'yes' }, 'is_active', 'invalid_value', 'is_active must be boolean; received string'],
    [{ valid_from: '2026-01-01' }, 'valid_from', 'invalid_value', 'valid_from must be an RFC 3339 timestamp'],
    [{ valid_to: '1970-01-01T00:00:00Z' }, 'valid_to', 'invalid_value', 'valid_to must not be a zero-time placeholder'],
    [{ metadata: '{' }, 'metadata', 'invalid_value', 'metadata must be object; received string'],
    [{ metadata: '[]' }, 'metadata', 'invalid_value', 'metadata must be object; received array'],
    [{ metadata: 'null' }, 'metadata', 'invalid_value', 'metadata cannot be null'],
    [{ rfid: 'a|b|' }, 'rfid', 'too_short', 'rfid must be at least 1 character'],
    [{ barcode: `a|${'b'.repeat(256)}|` }, 'barcode', 'too_long', 'barcode must be at most 255 characters'],
  ] as const)('%j', ([cells, field, code, message]) => {
    expect(errorsOf({ name: 'a', ...cells })).toEqual([expect.objectContaining({ field, code, message })])
  }) // oxfmt-ignore

  test('a row reports all problems together, in the order of the columns', () => {
    const cells = { rfid: '|', name: ' ', type: 'x', external_key: '_', valid_to: 'never' }
    expect(errorsOf(cells).map(({ field }) => field)).toEqual([
      'external_key',
      'name',
      'type',
      'valid_to',
      'rfid',
    ])
    const location = errorsOf({ parent_external_key: 'a b', name: '' }, 'locations')
    expect(location.map(({ field }) => field)).toEqual(['parent_external_key'])
  })

  test('D4.7 a window that ends before it begins', () => {
    const cells = { name: 'a', valid_from: '2026-01-02T00:00:00Z', valid_to: '2026-01-01T00:00:00Z' }
    expect(errorsOf(cells)).toEqual([
      { field: 'valid_to', code: 'invalid_value', message: 'valid_to must be later than valid_from' },
    ])
  })
})
