import { expect, test } from 'vitest'
import { Metadata, MetadataPatch } from './metadata.ts'

const problems = (value: unknown, schema = Metadata) =>
  (schema.safeParse(value).error?.issues ?? []).map(({ path, message, code, ...issue }) => [
    path.join('/'),
    code === 'custom' ? (issue as { params?: { message: string } }).params?.message : code,
    message,
  ])

const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })

test.for([
  {},
  { a: [1, 'x', null, { b: -0.5 }] },
  { a: Number.MAX_SAFE_INTEGER },
  { a: 1e300 },
  nested(32),
  { a: 'x'.repeat(65_528) },
])('%j is metadata', (value) => {
  expect(Metadata.parse(value)).toBe(value)
})

test.for([
  [{ a: { b: [0, 1, 2n ** 53n] } }, 'a/b/2', /between -9007199254740991 and 9007199254740991/],
  [{ a: [Infinity] }, 'a/0', /finite/],
  [{ a: -Infinity }, 'a', /finite/],
  [JSON.parse('{"__proto__":1}'), '__proto__', /__proto__/],
  [JSON.parse('{"a":[{"__proto__":{}}]}'), 'a/0/__proto__', /__proto__/],
] as const)('%o is refused at its path', ([value, path, message]) => {
  expect(problems(value)).toEqual([[path, expect.stringMatching(message), expect.anything()]])
})

test('up to a hundred problems are reported', () => {
  expect(problems({ a: 2n ** 60n, b: Infinity }).map(([path]) => path)).toEqual(['a', 'b'])
  expect(problems({ a: Array.from({ length: 1_000 }, () => 2n ** 60n) })).toHaveLength(100)
})

test('PATCH leaves them to the rules that compare with the stored row', () => {
  const value = { a: 2n ** 60n, b: JSON.parse('{"__proto__":1}') }
  expect(problems(value, MetadataPatch)).toEqual([])
})

test.for([
  { name: 'too deep', value: nested(33), message: '{f} must be nested at most 32 levels deep' },
  { name: 'too long', value: { a: 'x'.repeat(65_529) }, message: '{f} must be at most 65536 bytes of JSON' },
  { name: 'too many values', value: { a: Array.from({ length: 70_000 }, () => 0) }, message: '{f} must be at most 65536 bytes of JSON' },
  { name: 'NUL', value: { a: '\0' }, message: '{f} must not contain NUL or broken Unicode' },
  { name: 'half a character in a name', value: { '\ud800': 1 }, message: '{f} must not contain NUL or broken Unicode' },
])('$name is a problem of the whole metadata', ({ value, message }) => {
  for (const schema of [Metadata, MetadataPatch]) expect(problems(value, schema)).toEqual([['', message, expect.anything()]])
}) // oxfmt-ignore

test.for([null, [], 'x', 7])('%j is not metadata', (value) => {
  expect(problems(value)).toEqual([['', 'invalid_type', expect.anything()]])
})
