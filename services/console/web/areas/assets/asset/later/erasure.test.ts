import { expect, test } from 'vitest'
import { fromLocalInput } from '../../../../parts/time/local-time.ts'
import { bodyOf, erasedText, missingIn, NEW_DRAFT } from './erasure.ts'

const minute = (text: string) => fromLocalInput(text)?.slice(0, 17)

test('without a choice the whole history is erased; a chosen range has both ends and its last minute', () => {
  expect(bodyOf(NEW_DRAFT)).toEqual({})
  const range = { span: 'own', from: '2026-11-01T10:00', to: '2026-11-02T10:30' }
  expect(missingIn(range)).toEqual({ from: undefined, to: undefined })
  expect(bodyOf(range)).toEqual({ from: `${minute(range.from)}00.000Z`, to: `${minute(range.to)}59.999999Z` })
  expect(bodyOf({ ...range, span: 'all' })).toEqual({})
})

test.for([
  { from: '', to: '2026-11-02T10:30', missing: 'from' },
  { from: '2026-11-02T10:30', to: '', missing: 'to' },
] as const)(
  'D22.2 an empty $missing is refused: it would erase all on that side',
  ({ missing, ...times }) => {
    const range = { span: 'own', ...times }
    expect(missingIn(range)[missing]).toBe('Enter a day and a time.')
    expect(() => bodyOf(range)).toThrow('both ends')
    expect(missingIn({ ...range, span: 'all' })[missing]).toBeUndefined()
  },
)

test('the message has the numbers of the answer', () => {
  expect(erasedText('Ada', { rows: 1_204, movements: 1 })).toMatch(
    /^Erased 1.204 rows of history and 1 movement of Ada\.$/,
  )
  expect(erasedText('Ada', { rows: 0, movements: 0 })).toBe('Nothing was erased: Ada has no history there.')
})
