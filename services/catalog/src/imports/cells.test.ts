import { fc } from '@whereabouts/testing/fuzz'
import { describe, expect, test } from 'vitest'
import { escapeFormula, joinValues, splitValues, unescapeFormula } from './cells.ts'

const nasty = fc.array(
  fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '|', '\\', '"', ',', 'a', '＝'),
)
const texts = fc.oneof(
  nasty.map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
)

describe('formulas', () => {
  test.for(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', "'=1", "''@x", '＝1'])(
    '%j gets an apostrophe, which reading removes',
    (value) => {
      expect(escapeFormula(value)).toBe(`'${value}`)
      expect(unescapeFormula(escapeFormula(value))).toBe(value)
    },
  )

  test.for(['', 'plain', "'quoted'", "it's", 'a=b', "'", '{"a":1}', '1-2'])('%j does not change', (value) => {
    expect(escapeFormula(value)).toBe(value)
    expect(unescapeFormula(value)).toBe(value)
  })

  test('no escaped text begins like a formula, and each text survives the round trip', () => {
    fc.assert(
      fc.property(texts, (value) => {
        expect(escapeFormula(value)).not.toMatch(/^[=+\-@\t\r]/)
        expect(unescapeFormula(escapeFormula(value))).toBe(value)
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
  ] as const)('%j contains %j', ([cell, values]) => {
    expect(splitValues(cell)).toEqual(values)
  })

  test('each list of values survives the round trip', () => {
    const values = fc.array(texts.filter((value) => value !== ''))
    fc.assert(
      fc.property(values, (list) => {
        expect(splitValues(joinValues(list))).toEqual(list)
      }),
    )
  })
})
