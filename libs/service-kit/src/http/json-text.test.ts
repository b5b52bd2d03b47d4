import { describe, expect, test } from 'vitest'
import { parseJson, parseMetadata } from './json-text.ts'
import { MAX_DEPTH, MAX_NAMES, MAX_VALUES, scanJson } from './json-scan.ts'

const SAFE = String(Number.MAX_SAFE_INTEGER)
const LARGE = '9007199254740993'

describe('integers that a double cannot hold', () => {
  test.for([
    ['of metadata', `{"metadata":{"a":${LARGE}}}`, { metadata: { a: BigInt(LARGE) } }],
    ['below zero', `{"metadata":{"a":-${LARGE}}}`, { metadata: { a: -BigInt(LARGE) } }],
    ['deep', `{"metadata":{"a":{"b":[0,[],${LARGE}]}}}`, { metadata: { a: { b: [0, [], BigInt(LARGE)] } } }],
    ['of an item', `{"items":[{},{"metadata":[${LARGE}]}]}`, { items: [{}, { metadata: [BigInt(LARGE)] }] }],
    ['2^53', '{"metadata":{"a":9007199254740992}}', { metadata: { a: 2n ** 53n } }],
    ['with an escaped name', `{"meta\\u0064ata":{"\\n":${LARGE}}}`, { metadata: { '\n': BigInt(LARGE) } }],
    ['sent twice, last small', `{"metadata":{"a":${LARGE},"a":1}}`, { metadata: { a: 1 } }],
  ] as const)('%s are bigints', ([, text, want]) => {
    expect(parseJson(text)).toEqual(want)
  })

  test.for([
    ['the largest safe one', `{"metadata":{"a":${SAFE},"b":-${SAFE}}}`],
    ['digits in a string', `{"metadata":{"a":"${LARGE}","${LARGE}":1,"b":"\\"${LARGE}"}}`],
    ['one with an exponent', '{"metadata":{"a":1e20,"b":90071992547409930E-1}}'],
    ['one with a fraction', `{"metadata":{"a":${LARGE}.5}}`],
    ['another field', `{"parent_id":${LARGE},"metadata":{"a":1},"b":${LARGE}}`],
    ['beyond any number', `{"metadata":{"a":${'9'.repeat(400)}}}`],
  ])('not %s', ([, text]) => {
    expect(parseJson(text!)).toEqual(JSON.parse(text!))
  })

  test('in a text of metadata all such integers are bigints', () => {
    expect(parseMetadata(`{"a":[${LARGE}]}`)).toEqual({ a: [BigInt(LARGE)] })
    expect(parseMetadata(LARGE)).toBe(BigInt(LARGE))
  })
})

/** The same sequence in each run. */
function picker<T>(from: readonly T[]): () => T {
  let seed = 20_261_122
  return () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return from[Math.floor((seed / 2 ** 31) * from.length)] as T
  }
}

test('apart from those integers the value is that of JSON.parse', () => {
  const pick = picker([
    '{}',
    '[]',
    '"\\""',
    '"[{"',
    'null',
    '-1.5e3',
    '7',
    '[[1],{"a":[]}]',
    '{"a":{"metadata":"x"}}',
  ])
  for (let i = 0; i < 500; i += 1) {
    const [before, after, within] = [pick(), pick(), pick()]
    const text = `{"b":${before},"metadata":{"x":${within},"y":[${within},${LARGE}]},"n":${LARGE},"a":${after}}`
    const value = parseJson(text) as { metadata: { y: unknown[] } }
    expect(value.metadata.y[1]).toBe(BigInt(LARGE))
    value.metadata.y[1] = Number(LARGE)
    expect(value).toEqual(JSON.parse(text))
  }
})

test('the scan ends for any text', () => {
  const pick = picker(['{', '}', '[', ']', '"', '\\', ',', ':', '1', '-', '"metadata"', LARGE])
  for (let i = 0; i < 2_000; i += 1) {
    const text = Array.from({ length: 1 + (i % 40) }, pick).join('')
    expect(scanJson(text, 'metadata').integers.length).toBeLessThanOrEqual(100)
  }
})

const large = (text: string) => text.padEnd(65_537)

test.for([
  { name: 'deep', text: '['.repeat(MAX_DEPTH + 1) + ']'.repeat(MAX_DEPTH + 1), message: `at most ${MAX_DEPTH} levels` },
  { name: 'of many names', text: `{${Array.from({ length: MAX_NAMES + 1 }, (_, i) => `"${i}":0`).join()}}`, message: `at most ${MAX_NAMES} different` },
  { name: 'of many values', text: `[${'0,'.repeat(MAX_VALUES)}0]`, message: `at most ${MAX_VALUES} values` },
])('a large text is refused when it is $name', ({ text, message }) => {
  expect(() => parseJson(large(text))).toThrow(message)
}) // oxfmt-ignore

test('a small text is parsed, however deep', () => {
  const deep = '['.repeat(MAX_DEPTH + 1) + ']'.repeat(MAX_DEPTH + 1)
  expect(parseJson(deep)).toEqual(JSON.parse(deep))
})

test('a large text within the limits is parsed', () => {
  const tag = '{"tag_type":"rfid","value":"E280"}'
  const text = `{"tags":[${Array.from({ length: 20_000 }, () => tag).join()}]}`
  expect(parseJson(text)).toEqual(JSON.parse(text))
})

test('a text that is not JSON is a SyntaxError, large or small', () => {
  for (const text of ['{', large('{"a":'), `{"metadata":${LARGE}`, '']) expect(() => parseJson(text)).toThrow(SyntaxError)
}) // oxfmt-ignore
