import { fc } from '@whereabouts/testing/fuzz'
import { describe, expect, test } from 'vitest'
import { csvFile, escapeFormula, unescapeFormula } from './csv.ts'

test('D19.5 a byte order mark, then rows in the order of the columns; null is an empty cell, and lines end with CR LF', () => {
  const rows = [{ b: 'x', a: 1, more: true }, { a: null, b: 'say "hi", twice\n', more: false }] // oxfmt-ignore
  expect(csvFile(['a', 'b'], rows)).toBe('\uFEFFa,b\r\n1,x\r\n,"say ""hi"", twice\n"\r\n')
  expect(csvFile(['a', 'b'], [])).toBe('\uFEFFa,b\r\n')
})

test.for([
  ['=1+1', "'=1+1"],
  ['-5', "'-5"],
  ["'=1", "''=1"],
  ['＝1', "'＝1"],
  ["'quoted", "'quoted"],
  ['DOCK-1', 'DOCK-1'],
] as const)('no spreadsheet reads %s as a formula, because it is written as %s', ([value, written]) => {
  expect(escapeFormula(value)).toBe(written)
  expect(csvFile(['a'], [{ a: value }])).toBe(`\uFEFFa\r\n${written}\r\n`)
})

test('a negative number stays a number', () => {
  expect(csvFile(['a'], [{ a: -5 }])).toBe('\uFEFFa\r\n-5\r\n')
})

const nasty = fc.array(fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', 'a', '＝'))
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

  test.for(['', 'plain', "'quoted'", "it's", 'a=b', "'", '{"a":1}', '1-2', 'DOCK-1'])(
    '%j does not change',
    (value) => {
      expect(escapeFormula(value)).toBe(value)
      expect(unescapeFormula(value)).toBe(value)
    },
  )

  test('no escaped text begins like a formula, and each text survives the round trip', () => {
    fc.assert(
      fc.property(texts, (value) => {
        expect(escapeFormula(value)).not.toMatch(/^[=+\-@\t\r]/)
        expect(unescapeFormula(escapeFormula(value))).toBe(value)
      }),
    )
  })
})
