import { expect, test } from 'vitest'
import { isAssignable, shownValue } from './tag-values.ts'

test('D19.1 shows a symbol for each control character', () => {
  expect(shownValue('\u001C01\u001D\u001E\u001F\u0004 a\u0002\u007Fü\u0085')).toBe('␜01␝␞␟␄ a␂␡ü\u0085')
})

test('D19.1 separators of labels can be assigned, other control characters cannot', () => {
  for (const value of ['a b', '\u001Ca\u001D\u001E\u001F\u0004', 'a\tb\r\nc', 'ü\u0085'])
    expect(isAssignable(value)).toBe(true)
  for (const value of ['\u0002a', 'a\u0003', 'a\u007F', 'a\u0000', 'a\u001B'])
    expect(isAssignable(value)).toBe(false)
})
