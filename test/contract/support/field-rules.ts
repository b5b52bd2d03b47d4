import type { FieldEntry } from '@whereabouts/contracts/errors'
import { entry, enumEntry, notATime, nullEntry, tooLong, tooShort, typeEntry } from './entries.ts'

/** A wrong value of a field, and the one entry that refuses it (D3). */
export type Refused = { value: unknown; entry: FieldEntry }

/** The contract's rule for a field: every way in which a value can be wrong. */
export type FieldRule = (field: string) => Refused[]

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

type TextOptions = { nullable?: boolean; lines?: boolean; trimmed?: boolean; plain?: boolean }

export const text =
  (
    max: number,
    { nullable = false, lines = false, trimmed = false, plain = false }: TextOptions = {},
  ): FieldRule =>
  (field) => [
    ...types(field, 'string', { nullable }),
    refused('', tooShort(field)),
    refused('📦'.repeat(max + 1), tooLong(field, max)),
    ...['\u0000', '\u001f', '\u007f', ...(lines ? [] : ['\t', '\n', '\r'])].map((control) =>
      refused(`a${control}b`, invalid(field, 'must not contain control characters')),
    ),
    refused('a\ud800', invalid(field, 'must be valid Unicode text')),
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
  ({ nullable = false } = {}): FieldRule =>
  (field) => [
    ...types(field, 'string', { nullable }),
    refused('', tooShort(field)),
    refused('x'.repeat(256), tooLong(field, 255)),
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

export const flag: FieldRule = (field) => types(field, 'boolean')

export const choice =
  (...allowed: string[]): FieldRule =>
  (field) => [
    ...types(field, 'string').filter(({ value }) => typeof value !== 'string'),
    ...['', 'other', allowed[0]?.toUpperCase()].map((value) => refused(value, enumEntry(field, allowed))),
  ]

const MAX_ID = Number.MAX_SAFE_INTEGER

/** The id of another resource. Whether that exists is not a matter of shape. */
export const reference: FieldRule = (field) => [
  ...types(field, 'integer', { nullable: true }),
  refused(1.5, typeEntry(field, 'integer', 'number')),
  ...[0, -1].map((value) => refused(value, entry(field, 'too_small', `${field} must be ≥ 1`, { min: 1 }))),
  refused(MAX_ID + 1, entry(field, 'too_large', `${field} must be ≤ ${MAX_ID}`, { max: MAX_ID })),
]

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

type ListOptions = { max?: number; nullable?: boolean; required?: string[] }

/** A list of objects. A problem in one of them is named by its path. */
export const listOf =
  (
    fields: Record<string, FieldRule>,
    good: object,
    { max, nullable = false, required = [] }: ListOptions,
  ): FieldRule =>
  (field) => {
    const inside = (item: unknown, of: FieldEntry) => refused([good, item], of)
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
              Array.from({ length: max + 1 }, () => good),
              entry(field, 'too_long', `${field} must contain at most ${max} items`, { max_length: max }),
            ),
          ]),
    ]
  }
