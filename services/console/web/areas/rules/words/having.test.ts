import { expect, test } from 'vitest'
import { type Having, havingOf, havingProblem, metadataOf } from './having.ts'

const text = (name: string, value: string): Having => ({ name, type: 'text', value })

test('stored metadata is the same after the form, and 7 is not "7"', () => {
  const metadata = { kind: 'pallet', size: 7, code: '7', rented: false, note: '', 'limit.kg': -1.5e3 }
  expect(metadataOf(havingOf(metadata))).toEqual(metadata)
  expect(havingProblem(havingOf(metadata))).toBeUndefined()
})

test('what is not complete is not asked for, and says what to do', () => {
  const number = (value: string): Having => ({ name: 'size', type: 'number', value })
  expect(metadataOf([text('kind', 'pallet'), text('', 'north')])).toEqual({ kind: 'pallet' })
  expect(havingProblem([text('', 'north')])).toBe('Enter a name, or remove the condition.')
  expect(havingProblem([text('kind', 'a'), text('kind', 'b')])).toBe('Enter each name once.')
  for (const value of ['', '1,5', '0x7', 'seven', '1.']) {
    expect(metadataOf([number(value)])).toEqual({})
    expect(havingProblem([number(value)])).toBe('Enter a number for size, such as 12.5.')
  }
})
