import { expect, test } from 'vitest'
import { decodeWith } from './decode.ts'
import { PoisonError } from './settle.ts'

const decode = decodeWith('a number', (payload, subject) => {
  if (typeof payload !== 'number') throw new TypeError('a string')
  return { payload, subject }
})
const message = (text: string) => ({ subject: 'events.1', data: new TextEncoder().encode(text) })

test('a readable payload is decoded with its subject', () => {
  expect(decode(message('7'))).toEqual({ payload: 7, subject: 'events.1' })
})

test('an unreadable payload is poison, so it is not retried', () => {
  expect(() => decode(message('{'))).toThrow(new PoisonError('not JSON'))
  expect(() => decode(message('"7"'))).toThrow(new PoisonError('not a number'))
})
