import { expect, test } from 'vitest'
import { contains } from './compared.ts'

test.for([
  ['Kühlgerät', 'KU\u0308HL'],
  ['Σίσυφος', 'ΣΊΣΥΦΟΣ'],
  ['ΣΊΣΥΦΟΣ', 'σίσυφος'],
  ['ＡＢＣ', 'abc'],
  ['H\u0331', 'ẖ'],
] as const)('D19.2 %s contains %s', ([text, part]) => expect(contains(text, part)).toBe(true))

test('D19.2 ß is not ss', () => expect(contains('Straße', 'strasse')).toBe(false))
