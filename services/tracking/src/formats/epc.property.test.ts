import {
  decodeHex,
  encodeHex,
  epcUri,
  parseUri,
  pureIdentityUri,
} from '@whereabouts/contracts/resources/catalog/epc'
import { matchValue, matchValues } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { fc, limits } from '@whereabouts/testing/fuzz'
import { expect, test } from 'vitest'
import { readEpcTag } from './tag-values.ts'

const hex = (length: number) =>
  fc
    .array(fc.nat({ max: 15 }), { minLength: length, maxLength: length })
    .map((digits) => digits.map((digit) => digit.toString(16).toUpperCase()).join(''))
/** Headers of known schemes, and partitions that give few prefixes that are too large. */
const code = fc
  .tuple(fc.constantFrom('30', '31', '32', '33', '34'), hex(22), fc.boolean())
  .map(([header, rest, isSscc]) => (isSscc ? `31${rest.slice(0, 16)}000000` : header + rest))
const uriPart = fc.oneof(
  fc.constantFrom(
    'urn:epc:',
    'tag:',
    'id:',
    'sgtin',
    'giai',
    '-96',
    ':',
    '.',
    '0614141',
    '812345',
    '3.',
    '0x',
  ),
  fc.string({ unit: 'binary', maxLength: 3 }),
)
const garbage = fc.array(uriPart, { maxLength: 9 }).map((parts) => parts.join(''))
const value = fc.oneof(code, garbage, code.map((one) => epcUri(decodeHex(one) ?? NONE)), code.map((one) => pureIdentityUri(decodeHex(one) ?? NONE))) // oxfmt-ignore
const NONE = { scheme: 'giai-96', filter: 1, company: '0614141', reference: '1', serial: undefined } as const

test('D16.5 a code that decodes encodes to itself, also by way of its URI', () => {
  let decoded = 0
  fc.assert(
    fc.property(code, (one) => {
      const epc = decodeHex(one)
      if (!epc) return
      decoded += 1
      expect(encodeHex(epc)).toBe(one)
      expect(parseUri(epcUri(epc))).toEqual(epc)
      expect(parseUri(pureIdentityUri(epc))).toEqual({ ...epc, filter: null })
    }),
    limits(2_000),
  )
  expect(decoded).toBeGreaterThan(200)
})

test('D6.5 any two values match in both directions or in none, and a stored form stays the same', () => {
  const matches = (a: string, b: string) => matchValues('rfid', a).includes(matchValue('rfid', b))
  fc.assert(
    fc.property(value, value, (a, b) => {
      expect(matchValue('rfid', matchValue('rfid', a))).toBe(matchValue('rfid', a))
      expect(matches(a, a)).toBe(true)
      for (const other of [b, ...matchValues('rfid', a)]) expect(matches(a, other)).toBe(matches(other, a))
    }),
    limits(1_000),
  )
})

test('what a reader sends is read in the form that is compared, or not at all', () => {
  fc.assert(
    fc.property(value, (one) => {
      const read = readEpcTag(one)
      if (read === undefined) return
      expect(read).toBe(matchValue('rfid', one))
      expect(read).toMatch(/^([0-9A-F]{2})+$|^urn:epc:id:/)
    }),
    limits(1_000),
  )
})
