import { describe, expect, test } from 'vitest'
import { EMPTY_DRAFT, choose } from './draft.ts'
import type { Match } from '../../parts/load/lookups.ts'
import { problemsFirst, rowsOf } from './rows.ts'
import { statusText } from './status-text.ts'

const match = (id: number, type: string, name: string): Match => ({
  id,
  type,
  name,
  external_key: `K-${id}`,
  tag: null,
})
const [BOX, CRATE, DOCK] = [
  match(1, 'asset', 'Box'),
  match(2, 'asset', 'Crate'),
  match(9, 'location', 'Dock'),
]
const FOUND = new Map([
  ['box', [BOX]],
  ['box tag', [BOX]],
  ['crate', [CRATE]],
  ['two', [BOX, CRATE]],
  ['place', [DOCK]],
  ['none', []],
])
const draftOf = (...values: string[]) => ({ ...EMPTY_DRAFT, values })

describe('rows', () => {
  test('an asset that was scanned by two of its names is one row', () => {
    expect(rowsOf(draftOf('box tag', 'crate', 'box'), FOUND)).toEqual([
      { kind: 'asset', asset: BOX, values: ['box tag', 'box'] },
      { kind: 'asset', asset: CRATE, values: ['crate'] },
    ])
  })

  test('what names nothing, two things or a location is for the person', () => {
    expect(rowsOf(draftOf('new', 'none', 'two', 'place'), FOUND).map(({ kind }) => kind)).toEqual([
      'unchecked',
      'unknown',
      'ambiguous',
      'location',
    ])
  })

  test('a choice counts as long as the value names the chosen asset', () => {
    const chosen = choose(draftOf('two', 'crate'), { value: 'two', assetId: 2 })
    expect(rowsOf(chosen, FOUND)).toEqual([{ kind: 'asset', asset: CRATE, values: ['two', 'crate'] }])
    const gone = choose(draftOf('two'), { value: 'two', assetId: 3 })
    expect(rowsOf(gone, FOUND)).toMatchObject([{ kind: 'ambiguous' }])
  })

  test('problems come first', () => {
    const rows = problemsFirst(rowsOf(draftOf('new', 'box', 'none', 'two'), FOUND))
    expect(rows.map(({ kind }) => kind)).toEqual(['unknown', 'ambiguous', 'unchecked', 'asset'])
  })
})

describe('the status', () => {
  const rows = rowsOf(draftOf('new', 'none', 'two', 'place', 'box', 'box tag', 'crate'), FOUND)
  test.for([
    { value: 'crate', text: 'Crate (K-2) added.' },
    { value: 'box', text: 'Box (K-1) is already in the list. It counts once.' },
    { value: 'none', text: 'Nothing has the key or tag none. It stays in the list.' },
    { value: 'two', text: 'two names more than one thing. Choose one in the list.' },
    { value: 'place', text: 'place is the location Dock (K-9).' },
    { value: 'new', text: 'new added. Not checked yet.' },
  ])('$text', ({ value, text }) =>
    expect(statusText({ values: [value], added: 1, repeated: 0, leftOut: 0 }, rows)).toBe(text),
  )

  test('says what happened to several values', () => {
    const text = (counts: { added: number; repeated?: number; leftOut?: number }) =>
      statusText({ values: ['a', 'b'], repeated: 0, leftOut: 0, ...counts }, rows)
    expect(text({ added: 2 })).toBe('2 values added.')
    expect(text({ added: 1, repeated: 1 })).toBe('1 value added. 1 value already in the list.')
    expect(text({ added: 0, leftOut: 2 })).toMatch(
      /^0 values added\. 2 values not added: the list holds at most/,
    )
    expect(statusText({ values: ['crate'], added: 0, repeated: 1, leftOut: 0 }, rows)).toBe(
      'Crate (K-2) is already in the list.',
    )
    expect(statusText(undefined, rows)).toBe('')
  })
})
