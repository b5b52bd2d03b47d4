import { fc } from '@whereabouts/testing/fuzz'
import { describe, expect, test } from 'vitest'
import { guarded, joined, split, unguarded } from './cells.ts'

const nasty = fc.array(
  fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '|', '\\', '"', ',', 'a', '＝'),
)
const texts = fc.oneof(
  nasty.map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
)

describe('formulas', () => {
  test.for(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', "'=1", "''@x", '＝1'])(
    '%j is guarded, and comes back',
    (value) => {
      expect(guarded(value)).toBe(`'${value}`)
      expect(unguarded(guarded(value))).toBe(value)
    },
  )

  test.for(['', 'plain', "'quoted'", "it's", 'a=b', "'", '{"a":1}', '1-2'])('%j stays as it is', (value) => {
    expect(guarded(value)).toBe(value)
    expect(unguarded(value)).toBe(value)
  })

  test('no guarded text begins like a formula, and every text comes back', () => {
    fc.assert(
      fc.property(texts, (value) => {
        expect(guarded(value)).not.toMatch(/^[=+\-@\t\r]/)
        expect(unguarded(guarded(value))).toBe(value)
      }),
    )
  })
})

describe('several values in a cell', () => {
  test.for([
    ['', []],
    ['a', ['a']],
    ['a|b', ['a', 'b']],
    [String.raw`a\|b|c\\`, ['a|b', 'c\\']],
    [String.raw`a\b`, [String.raw`a\b`]],
    ['a|', ['a', '']],
    ['|', ['', '']],
    ['a\\', ['a\\']],
    [String.raw`\\|`, ['\\', '']],
  ] as const)('%j holds %j', ([cell, values]) => {
    expect(split(cell)).toEqual(values)
  })

  test('every list of values comes back', () => {
    const values = fc.array(texts.filter((value) => value !== ''))
    fc.assert(
      fc.property(values, (list) => {
        expect(split(joined(list))).toEqual(list)
      }),
    )
  })
})
