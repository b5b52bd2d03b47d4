import { expect, test } from 'vitest'
import { parseInt8, parseTimestamptz } from './type-parsers.ts'

test.for([
  ['2026-11-21 10:00:00+00', '2026-11-21T10:00:00.000Z'],
  ['2026-11-21 10:00:00.1+00', '2026-11-21T10:00:00.100Z'],
  ['2026-11-21 10:00:00.123999+00', '2026-11-21T10:00:00.123Z'],
  ['0001-01-01 00:00:00.000001+00', '0001-01-01T00:00:00.000Z'],
])('a timestamp is cut off to milliseconds: %s', ([stored, wire]) => {
  expect(parseTimestamptz(stored!)).toBe(wire)
})

test('an int8 beyond 2^53-1 throws instead of rounding', () => {
  expect(parseInt8('9007199254740991')).toBe(Number.MAX_SAFE_INTEGER)
  expect(() => parseInt8('9007199254740992')).toThrow(RangeError)
})
