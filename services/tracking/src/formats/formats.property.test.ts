import { fc } from '@whereabouts/testing/fuzz'
import { expect, test } from 'vitest'
import {
  context,
  counterexample,
  decodeWithAll,
  messages,
  mutatedText,
  oddity,
} from '../../test/formats/decoder-properties.ts'
import { decoderFor } from './formats.ts'

test('random bytes never throw and give a well-formed result', () => {
  expect(counterexample(fc.property(fc.uint8Array({ maxLength: 200 }), decodeWithAll), 300)).toBeUndefined()
})

test('random JSON never throws and gives a well-formed result', () => {
  const text = fc.json().map((json) => Buffer.from(json))
  expect(counterexample(fc.property(text, decodeWithAll), 500)).toBeUndefined()
})

test('a message with bytes replaced, removed or repeated never throws', () => {
  const edit = fc.record({ at: fc.nat(), remove: fc.nat(6), insert: fc.uint8Array({ maxLength: 4 }) })
  const mutated = fc
    .tuple(fc.constantFrom(...messages), fc.array(edit, { minLength: 1, maxLength: 4 }))
    .map(([message, edits]) => {
      let bytes = message
      for (const { at, remove, insert } of edits) {
        const start = at % (bytes.length + 1)
        bytes = Buffer.concat([bytes.subarray(0, start), insert, bytes.subarray(start + remove)])
      }
      return bytes
    })
  expect(counterexample(fc.property(mutated, decodeWithAll), 500)).toBeUndefined()
})

test('a message with other values in its members never throws', () => {
  const mutated = mutatedText(oddity).map((text) => Buffer.from(text))
  expect(counterexample(fc.property(mutated, decodeWithAll), 800)).toBeUndefined()
})

const DEEP = '['.repeat(20_000) + ']'.repeat(20_000)

test('nesting of any depth, in any place, costs no stack', () => {
  const nested = mutatedText(fc.constant('@')).map((text) => Buffer.from(text.replaceAll('"@"', DEEP)))
  expect(counterexample(fc.property(nested, decodeWithAll), 30)).toBeUndefined()
})

test('inherited members such as `constructor` are found only if the message has them', () => {
  const inherited = '{"tags":[],"mac":"AC233FA0B0C1","epcHex":"ABCD","type":"Gateway","polluted":true}'
  const hostile = `{"__proto__":${inherited},"constructor":7,"length":-1,"toString":"x"}`
  const mutated = mutatedText(fc.constant('@')).map((text) => Buffer.from(text.replaceAll('"@"', hostile)))
  expect(counterexample(fc.property(mutated, decodeWithAll), 300)).toBeUndefined()
  expect({}).not.toHaveProperty('polluted')
  for (const format of ['minew', 'csl', 'impinj', 'zebra'])
    expect(decoderFor(format)?.(Buffer.from(`[${hostile}]`), context)).toMatchObject({
      reads: [],
      health: [],
    })
})

const SIZE = 256 * 1024
const fill = (unit: string) => unit.repeat(Math.ceil(SIZE / unit.length))
const tag = '{"mac":"AC233FA0B0C1",'
let serial = 0
const numbered = (text: string) => text.replaceAll('@', () => String((serial += 1)))

test.for([
  { name: 'opening brackets', text: fill('[') },
  { name: 'opening members', text: fill('{"data":') },
  { name: 'quotes', text: fill('"') },
  { name: 'backslashes', text: `"${fill('\\\\')}"` },
  { name: 'glued objects', text: fill('{}') },
  { name: 'broken lines', text: fill('{\n') },
  { name: 'a list of nothing', text: `[${fill('0,')}0]` },
  { name: 'a list of empty items', text: `{"tags":[${fill('{},')}{}]}` },
  { name: 'rows without tag', text: `[${fill('{"rssi":0},')}{}]` },
  {
    name: 'a new zone in every row',
    text: numbered(
      `{"tags":[${fill('{"epc":"ABCD","timeOfRead":"2026-03-01 10:00:00","timeZone":"Z@"},')}{}]}`,
    ),
  },
  { name: 'one number', text: `[${fill('9')}]` },
  { name: 'infinite numbers', text: `[${fill(`${tag}"timestamp":1e999,"rssi":-1e999},`)}1e999]` },
  { name: 'one advert', text: `[${tag}"rawData":"${fill('00')}"}]` },
  { name: 'one fraction of a second', text: `[${tag}"timestamp":"2026-03-01 10:00:00.${fill('1')}"}]` },
])('256 KiB of $name give a well-formed result', ({ text }) => {
  expect(() => decodeWithAll(Buffer.from(text))).not.toThrow()
})

test('256 KiB of random bytes give a well-formed result', () => {
  const length = { minLength: SIZE, maxLength: SIZE }
  for (const bytes of fc.sample(fc.uint8Array(length), 2)) expect(() => decodeWithAll(bytes)).not.toThrow()
})
