import { expect, test } from 'vitest'
import { parseSearch, stringifySearch } from './search.ts'

test.for([
  [{ offset: '50' }, '?offset=50'],
  [{ q: '007' }, '?q=007'],
  [{ q: 'true' }, '?q=true'],
  [{ q: '1e3' }, '?q=1e3'],
  [{ q: '"x"' }, '?q=%22x%22'],
  [{ q: '{"a":1}' }, '?q=%7B%22a%22%3A1%7D'],
  [{ q: 'a & b = c+d', toString: 'x' }, '?q=a+%26+b+%3D+c%2Bd&toString=x'],
  [{}, ''],
] as const)('%j is %s', ([values, text]) => {
  expect(stringifySearch(values)).toBe(text)
  expect(parseSearch(text)).toEqual(values)
})

test('values that are not set are left out, and the first of several counts', () => {
  expect(stringifySearch({ q: undefined, offset: '50' })).toBe('?offset=50')
  expect(parseSearch('?q=a&q=b')).toEqual({ q: 'a' })
})
