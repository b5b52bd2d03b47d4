import type { FieldEntry } from '@whereabouts/contracts/errors'
import type { OperationId } from '@whereabouts/contracts/routes'
import { entry, enumEntry } from './entries.ts'

/** A wrong query string, and the one entry that refuses it (D3, D7). */
type Refused = { query: string; entry: FieldEntry }
type ParameterRule = (name: string) => Refused[]

const invalid = (name: string, what: string) => entry(name, 'invalid_value', `${name} must be ${what}`)
const each = (name: string, values: readonly string[], of: FieldEntry): Refused[] =>
  values.map((value) => ({ query: `${name}=${value}`, entry: of }))

const twice =
  (value: string): ParameterRule =>
  (name) => [{ query: `${name}=${value}&${name}=${value}`, entry: invalid(name, 'sent only once') }]

const integer =
  (min: number, max?: number): ParameterRule =>
  (name) => [
    ...each(name, ['x', '', '1.5', '1e2', '%2B1', '0x1'], invalid(name, 'an integer')),
    ...each(name, [String(min - 1), '-99999999999999999999'], entry(name, 'too_small', `${name} must be ≥ ${min}`, { min })),
    ...(max === undefined ? [] : each(name, [String(max + 1), '99999999999999999999'], entry(name, 'too_large', `${name} must be ≤ ${max}`, { max }))),
    ...twice('1')(name),
  ] // oxfmt-ignore

const boolean: ParameterRule = (name) => [
  ...each(name, ['', '1', 'yes', 'TRUE', 'True', 'true%20', 'null'], invalid(name, 'true or false')),
  ...twice('true')(name),
]

/** One bad value among good ones is enough; 200 values at most. */
const repeatable =
  (good: string, bad: readonly string[], of: (name: string) => FieldEntry): ParameterRule =>
  (name) => [
    ...each(name, bad, of(name)),
    ...each(name, bad.map((value) => `${good}&${name}=${value}`), of(name)),
    {
      query: Array.from({ length: 201 }, () => `${name}=${good}`).join('&'),
      entry: entry(name, 'too_long', `${name} must contain at most 200 items`, { max_length: 200 }),
    },
  ] // oxfmt-ignore

const keys = repeatable('A-1', ['', 'a_b', 'a%20', '%C3%A4', '%00', 'x'.repeat(256)], (name) =>
  invalid(name, '1 to 255 letters, digits and hyphens'),
)
const ids = repeatable('5', ['', 'x', '0', '-5', '1.5', '%2B5', '9223372036854775808'], (name) =>
  invalid(name, 'a positive integer'),
)
const types = repeatable('person', ['', 'other', 'ASSET', 'asset,person'], (name) =>
  enumEntry(name, ['asset', 'person', 'inventory']),
)

const tags = repeatable(
  'rfid:A',
  ['', 'rfid', 'rfid:', ':A', 'A', 'RFID:A', 'qr:A', 'rfid:%00', `ble:${'x'.repeat(256)}`],
  (name) =>
    invalid(name, '<type>:<value> with a type among rfid, ble, barcode and a value of 1 to 255 characters'),
)

const validity: ParameterRule = (name) => [
  ...each(name, ['', 'all', 'CURRENT', 'any,current'], enumEntry(name, ['current', 'any'])),
  ...twice('any')(name),
]

const sort: ParameterRule = (name) => [
  ...each(
    name,
    ['colour', '-colour', 'id', '--name', 'name,', 'name,,name', 'NAME', 'name%20', '%00'],
    enumEntry(name, ['external_key', 'name', 'created_at', 'updated_at']),
  ),
  ...twice('name')(name),
]

const noControl = (name: string) =>
  entry(name, 'invalid_value', `${name} must not contain control characters`)

const search: ParameterRule = (name) => [
  ...each(name, ['a%00b', '%1B', 'a%7F'], noControl(name)),
  ...each(name, ['x'.repeat(256), '%F0%9F%93%A6'.repeat(256)], entry(name, 'too_long', `${name} must be at most 255 characters`, { max_length: 255 })),
  ...twice('a')(name),
] // oxfmt-ignore

const page = { limit: integer(1, 200), offset: integer(0, Number.MAX_SAFE_INTEGER) }
const shared = {
  ...page,
  id: ids,
  external_key: keys,
  is_active: boolean,
  tag: tags,
  include_deleted: boolean,
  window: validity,
  q: search,
  sort,
}
const tree = { ...page }

/** The contract's rule for every query parameter of catalog, in the current vocabulary. */
export const parameterRules: Partial<Record<OperationId, Record<string, ParameterRule>>> = {
  listAssets: { ...shared, type: types },
  listLocations: { ...shared, parent_id: ids, parent_external_key: keys, is_root: boolean },
  listLocationAncestors: tree,
  listLocationChildren: tree,
  listLocationDescendants: tree,
}
