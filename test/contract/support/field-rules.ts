import type { FieldEntry } from '@whereabouts/contracts/errors'
import {
  entry,
  enumEntry,
  fewItems,
  manyItems,
  notATime,
  nullEntry,
  tooLong,
  tooShort,
  typeEntry,
} from './entries.ts'

/** A wrong value of a field, and the one entry that refuses it (D3). */
export type Refused = { value: unknown; entry: FieldEntry }

/** The contract's rule for a field: every way in which a value can be wrong. */
export type FieldRule = (field: string) => Refused[]

/** The rules for a body. */
export type BodyRules = {
  /** A valid body. */
  good: object
  required: readonly string[]
  fields: Record<string, FieldRule>
  /** Of `good`, what a body with this field cannot have. */
  without?: Partial<Record<string, readonly string[]>>
}

const refused = (value: unknown, of: FieldEntry): Refused => ({ value, entry: of })
const invalid = (field: string, what: string) => entry(field, 'invalid_value', `${field} ${what}`)

const samples = { string: 'x', number: 7, boolean: true, object: {}, array: [] }

/** Each JSON type but the expected one, and null unless the field allows it. */
function types(
  field: string,
  expected: keyof typeof samples | 'integer',
  { nullable = false } = {},
): Refused[] {
  const own = expected === 'integer' ? 'number' : expected
  const others = Object.entries(samples).filter(([type]) => type !== own)
  const wrong = others.map(([type, value]) => refused(value, typeEntry(field, expected, type)))
  return nullable ? wrong : [...wrong, refused(null, nullEntry(field, expected))]
}

type TextOptions = {
  nullable?: boolean
  min?: number
  lines?: boolean
  labels?: boolean
  trimmed?: boolean
  plain?: boolean
}

export const text =
  (
    max: number,
    {
      nullable = false,
      min = 1,
      lines = false,
      labels = false,
      trimmed = false,
      plain = false,
    }: TextOptions = {},
  ): FieldRule =>
  (field) => [
    ...types(field, 'string', { nullable }),
    ...(min === 0 ? [] : [refused('', tooShort(field, min))]),
    refused('📦'.repeat(max + 1), tooLong(field, max)),
    ...['\u0000', labels ? '\u001b' : '\u001f', '\u007f', ...(lines ? [] : ['\t', '\n', '\r'])].map(
      (control) =>
        refused(`a${control}b`.padEnd(min, 'c'), invalid(field, 'must not contain control characters')),
    ),
    refused('a\ud800'.padEnd(min, 'c'), invalid(field, 'must be valid Unicode text')),
    ...(trimmed ? [' a', 'a\u00a0'] : []).map((value) =>
      refused(value, invalid(field, 'must not start or end with white space')),
    ),
    ...(plain ? ['a\u202eb', 'a\u2028b', 'a\u2067b'] : []).map((value) =>
      refused(
        value,
        invalid(field, 'must not contain line separators or characters that change the direction of text'),
      ),
    ),
  ]

export const naturalKey =
  ({ nullable = false, max = 255 } = {}): FieldRule =>
  (field) => [
    ...types(field, 'string', { nullable }),
    refused('', tooShort(field)),
    refused('x'.repeat(max + 1), tooLong(field, max)),
    ...['a_b', 'a b', 'ä', '.'].map((value) =>
      refused(value, invalid(field, 'must contain only letters, digits and hyphens')),
    ),
  ]

/** An instant. In a validity window it cannot be a zero time either. */
export const instant =
  ({ nullable = false, window = false } = {}): FieldRule =>
  (field) => [
    ...types(field, 'string', { nullable }),
    ...['', '2026-11-21', '2026/11/21 10:00:00Z', 'now'].map((value) => refused(value, notATime(field))),
    ...(window ? ['0001-01-01T00:00:00Z', '1970-01-01T01:00:00+01:00'] : []).map((value) =>
      refused(value, invalid(field, 'must not be a zero-time placeholder')),
    ),
  ]

/** Text that must also have a form, which the last values do not have. */
export const formed =
  (rule: FieldRule, what: string, ...wrong: string[]): FieldRule =>
  (field) => [...rule(field), ...wrong.map((value) => refused(value, invalid(field, what)))]

export const flag: FieldRule = (field) => types(field, 'boolean')

export const choice =
  (...allowed: readonly string[]): FieldRule =>
  (field) => [
    ...types(field, 'string').filter(({ value }) => typeof value !== 'string'),
    ...['', 'other', allowed[0]?.toUpperCase()].map((value) => refused(value, enumEntry(field, allowed))),
  ]

const MAX_ID = Number.MAX_SAFE_INTEGER

export const integer =
  (min: number, max: number, { nullable = false } = {}): FieldRule =>
  (field) => [
    ...types(field, 'integer', { nullable }),
    refused(1.5, typeEntry(field, 'integer', 'number')),
    ...[min - 1, min - 2].map((value) =>
      refused(value, entry(field, 'too_small', `${field} must be ≥ ${min}`, { min })),
    ),
    refused(max + 1, entry(field, 'too_large', `${field} must be ≤ ${max}`, { max })),
  ]

/** The id of another resource. Whether that exists is not a matter of shape. */
export const id = integer(1, MAX_ID)
export const reference = integer(1, MAX_ID, { nullable: true })

const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })

export const freeForm: FieldRule = (field) => [
  ...types(field, 'object'),
  refused(nested(33), invalid(field, 'must be nested at most 32 levels deep')),
  refused(
    { a: 'x'.repeat(65_536) },
    entry(field, 'too_long', `${field} must be at most 65536 bytes of JSON`, { max_length: 65_536 }),
  ),
  ...[{ a: '\u0000' }, { '\ud800': 1 }].map((value) =>
    refused(value, invalid(field, 'must not contain NUL or broken Unicode')),
  ),
]

/** Names with one value each. `nullable`: null removes a name. */
export const scalarsOf =
  (max: number, { nullable = false } = {}): FieldRule =>
  (field) => [
    ...types(field, 'object'),
    ...[{}, [], 'x'.repeat(1_025), ...(nullable ? [] : [null])].map((value) =>
      refused(
        { colour: value },
        invalid(`${field}.colour`, 'must be a text of at most 1,024 characters, a number or a boolean'),
      ),
    ),
    refused(
      Object.fromEntries(Array.from({ length: max + 1 }, (_, i) => [`a${i}`, 1])),
      entry(field, 'too_long', `${field} must contain at most ${max} names`, { max_length: max }),
    ),
  ]

/** Compared with the stored value; only its type is checked here. */
export const echo =
  (expected: 'integer' | 'string', sample?: unknown): FieldRule =>
  (field) => [
    ...types(field, expected),
    ...(sample === undefined ? [] : [refused(sample, typeEntry(field, expected, typeof sample))]),
  ]

/** An object of which nothing is read, or null. */
export const ignored: FieldRule = (field) => types(field, 'object', { nullable: true })

/** Known, and refused with any value. */
export const neverSent: FieldRule = (field) =>
  [5, 'A', null, {}, []].map((value) => refused(value, entry(field, 'read_only', `${field} is read-only`)))

/** An object. A problem in one of its fields is named by its path. */
export const objectOf =
  (
    fields: Record<string, FieldRule>,
    good: object,
    { nullable = false, required = [] }: { nullable?: boolean; required?: readonly string[] } = {},
  ): FieldRule =>
  (field) => {
    const unknown = `${field}.colour`
    return [
      ...types(field, 'object', { nullable }),
      refused({ ...good, colour: 1 }, entry(unknown, 'unknown_field', `unknown field "${unknown}"`)),
      ...required.map((name) =>
        refused(
          { ...good, [name]: undefined },
          entry(`${field}.${name}`, 'required', `${field}.${name} is required`),
        ),
      ),
      ...Object.entries(fields).flatMap(([name, rule]) =>
        rule(`${field}.${name}`).map((wrong) => refused({ ...good, [name]: wrong.value }, wrong.entry)),
      ),
    ]
  }

/** A pair of values of one kind. */
export const pairOf =
  (item: FieldRule, good: unknown): FieldRule =>
  (field) => [
    ...types(field, 'array'),
    refused([good], fewItems(field, 2)),
    refused([good, good, good], manyItems(field, 2)),
    ...item(`${field}[1]`).map((wrong) => refused([good, wrong.value], wrong.entry)),
  ]

/** A list of values. Items that `make` makes are valid together. */
export const valuesOf =
  (
    item: FieldRule,
    make: (index: number) => unknown,
    { min = 0, max }: { min?: number; max: number },
  ): FieldRule =>
  (field) => {
    const enough = Array.from({ length: Math.max(min, 2) }, (_, index) => make(index))
    return [
      ...types(field, 'array'),
      ...(min === 0 ? [] : [refused(enough.slice(0, min - 1), fewItems(field, min))]),
      refused(
        Array.from({ length: max + 1 }, (_, index) => make(index)),
        manyItems(field, max),
      ),
      ...item(`${field}[1]`).map((wrong) => refused(enough.with(1, wrong.value), wrong.entry)),
    ]
  }

type ListOptions = {
  max?: number
  nullable?: boolean
  required?: readonly string[]
  /** The item of an index, if a list may not have the same one twice. */
  make?: (index: number) => object
}

/** A list of objects. A problem in one of them is named by its path. */
export const listOf =
  (
    fields: Record<string, FieldRule>,
    good: object,
    { max, nullable = false, required = [], make = () => good }: ListOptions,
  ): FieldRule =>
  (field) => {
    const inside = (item: unknown, of: FieldEntry) => refused([make(0), item], of)
    const at = `${field}[1]`
    const unknown = `${at}.colour`
    return [
      ...types(field, 'array', { nullable }),
      ...types(at, 'object').map((wrong) => inside(wrong.value, wrong.entry)),
      inside({ ...good, colour: 1 }, entry(unknown, 'unknown_field', `unknown field "${unknown}"`)),
      ...required.map((name) =>
        inside(
          { ...good, [name]: undefined },
          entry(`${at}.${name}`, 'required', `${at}.${name} is required`),
        ),
      ),
      ...Object.entries(fields).flatMap(([name, rule]) =>
        rule(`${at}.${name}`).map((wrong) => inside({ ...good, [name]: wrong.value }, wrong.entry)),
      ),
      ...(max === undefined
        ? []
        : [
            refused(
              Array.from({ length: max + 1 }, (_, index) => make(index)),
              manyItems(field, max),
            ),
          ]),
    ]
  }
