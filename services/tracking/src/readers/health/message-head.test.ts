import { expect, test } from 'vitest'
import { messageHead } from './message-head.ts'

const head = (text: string) => messageHead(Buffer.from(text), 1_024)

test.for([
  ['{"a": 1}\n\t"ü"', '{"a": 1}\n\t"ü"'],
  ['a\u0000b\u001b[2J\r\u007f', 'a␀b␛[2J␍␡'],
  ['\u0085\u202eevil\u200b', '\\u{85}\\u{202e}evil\\u{200b}'],
] as const)('shows control characters: %j', ([text, shown]) => {
  expect(head(text)).toBe(shown)
})

test('bytes that are no text are replaced', () => {
  expect(messageHead(Uint8Array.of(0x41, 0xff, 0x42), 1_024)).toBe('A\ufffdB')
})

test('ends after 1 KiB, never inside a character', () => {
  expect(head('a'.repeat(2_000))).toBe('a'.repeat(1_024))
  expect(head('ü'.repeat(600))).toBe('ü'.repeat(512))
  expect(head(`a${'ü'.repeat(600)}`)).toBe(`a${'ü'.repeat(511)}`)
})
