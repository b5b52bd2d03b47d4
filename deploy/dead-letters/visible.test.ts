import { expect, test } from 'vitest'
import { payloadText } from './show.ts'
import { table, visible, visibleJson } from './visible.ts'

/** Characters that move a cursor, hide text or reverse its direction. */
const HOSTILE = '\u001b[2J\u009b31m\u0007\r\n\u202e\u200b\u2028\u{e0041}\u007f'
const isHarmless = (text: string) => !/[^\n\P{C}]|[\p{Zl}\p{Zp}]/u.test(text)

test('untrusted text cannot control the terminal and stays readable', () => {
  expect(isHarmless(HOSTILE)).toBe(false)
  expect(isHarmless(visible(HOSTILE))).toBe(true)
  expect(visible(HOSTILE)).toContain('\\u{1b}[2J\\u{9b}31m')
  expect(visible(HOSTILE)).not.toContain('\n')
  expect(visible('Größe 5 µm 漢字 😀')).toBe('Größe 5 µm 漢字 😀')
})

test('JSON keeps its meaning when such characters are escaped', () => {
  const value = { [HOSTILE]: [HOSTILE, 1.5, null, { lone: '\ud800' }] }
  const text = visibleJson(value, 2)
  expect(isHarmless(text)).toBe(true)
  expect(JSON.parse(text)).toEqual(value)
})

test('a payload is printed as indented JSON, otherwise as its first bytes', () => {
  expect(payloadText(Buffer.from('{"a":[1]}'))).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(payloadText(Buffer.from([0x7b, 0x1b, 0xff]))).toBe(`000000  7b 1b ff${' '.repeat(39)}  {..`)
  expect(payloadText(new Uint8Array())).toBe('(no payload)')
  const long = payloadText(Buffer.alloc(10_000, 'a'))
  expect(long.split('\n')).toHaveLength(257)
  expect(long).toContain('(5904 bytes more: --raw FILE)')
})

test('a payload that is nested too deeply is printed as bytes', () => {
  expect(payloadText(Buffer.from('['.repeat(100_000)))).toMatch(/^000000 {2}5b 5b/)
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  expect(isHarmless(payloadText(Buffer.from(deep)))).toBe(true)
})

test('columns are aligned', () => {
  expect(table([['a', 'long', 'x'], ['bbb', 'c', 'y z']])).toBe('a    long  x\nbbb  c     y z') // oxfmt-ignore
})
