import { expect, test } from 'vitest'
import { csvFile, guarded } from './csv.ts'

test('rows have the order of the columns, null is an empty cell, and lines end with CR LF', () => {
  const rows = [{ b: 'x', a: 1, more: true }, { a: null, b: 'say "hi", twice\n', more: false }] // prettier-ignore
  expect(csvFile(['a', 'b'], rows)).toBe('a,b\r\n1,x\r\n,"say ""hi"", twice\n"\r\n')
  expect(csvFile(['a', 'b'], [])).toBe('a,b\r\n')
})

test.for([
  ['=1+1', "'=1+1"],
  ['-5', "'-5"],
  ["'=1", "''=1"],
  ['＝1', "'＝1"],
  ["'quoted", "'quoted"],
  ['DOCK-1', 'DOCK-1'],
] as const)('no spreadsheet reads %s as a formula, because it is written as %s', ([value, written]) => {
  expect(guarded(value)).toBe(written)
  expect(csvFile(['a'], [{ a: value }])).toBe(`a\r\n${written}\r\n`)
})

test('a negative number stays a number', () => {
  expect(csvFile(['a'], [{ a: -5 }])).toBe('a\r\n-5\r\n')
})
