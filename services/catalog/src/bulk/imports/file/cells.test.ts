import { fc } from '@whereabouts/testing/fuzz'
import { describe, expect, test } from 'vitest'
import { joinValues, splitValues } from './cells.ts'

const nasty = fc.array(
  fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '|', '\\', '"', ',', 'a', '＝'),
)
const texts = fc.oneof(
  nasty.map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
)

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
