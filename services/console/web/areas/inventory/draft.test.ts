import { describe, expect, test } from 'vitest'
import {
  addValues, choose, type Draft, draftText, EMPTY_DRAFT, MAX_VALUES, readDraft, removeSaved, removeValues, splitAtSpaces,
  splitValues, takeAsLocation,
} from './draft.ts' // oxfmt-ignore

const DOCK = { id: 9, name: 'Dock', external_key: 'DOCK' }
const draftOf = (...values: string[]): Draft => ({ ...EMPTY_DRAFT, values })

describe('values in a text', () => {
  test.for([
    { text: '', values: [] },
    { text: ' \n\t', values: [] },
    { text: 'A-1\r\nA-2\tA-3, A-4;A-5;\n', values: ['A-1', 'A-2', 'A-3', 'A-4', 'A-5'] },
    { text: 'A-1\na-1\nA-1', values: ['A-1', 'a-1'] },
    { text: ' E2 80 11 \nBox 7', values: ['E2 80 11', 'Box 7'] },
  ])('$text', ({ text, values }) => expect(splitValues(text)).toEqual(values))
})

describe('adding', () => {
  test('puts the newest first and counts values that are already there', () => {
    const { draft, ...counts } = addValues(draftOf('B', 'A'), ['C', 'B', 'D'])
    expect(draft.values).toEqual(['D', 'C', 'B', 'A'])
    expect(counts).toEqual({ added: 2, repeated: 1, leftOut: [] })
  })

  test('leaves out values above the limit and names them', () => {
    const full = draftOf(...Array.from({ length: MAX_VALUES - 1 }, (_, i) => `K-${i}`))
    const { draft, leftOut } = addValues(full, ['C', 'D', 'E'])
    expect([draft.values.length, draft.values[0], leftOut]).toEqual([MAX_VALUES, 'C', ['D', 'E']])
    expect(addValues(draft, ['D']).draft).toBe(draft)
  })
})

test('what was saved leaves the list; once it is empty, so does the location', () => {
  const draft = { ...draftOf('C', 'B', 'A'), location: DOCK }
  expect(removeSaved(draft, ['A', 'C'])).toEqual({ ...draft, values: ['B'] })
  expect(removeSaved(draft, ['A', 'B', 'C'])).toEqual(EMPTY_DRAFT)
})

test('a removed value takes its choice with it', () => {
  const draft = choose(choose(draftOf('B', 'A'), { value: 'A', assetId: 1 }), { value: 'A', assetId: 2 })
  expect(draft.chosen).toEqual([{ value: 'A', assetId: 2 }])
  expect(removeValues(draft, ['A'])).toEqual(draftOf('B'))
})

test('a scanned location becomes the location; spaces split a value', () => {
  expect(takeAsLocation(draftOf('DOCK', 'A'), 'DOCK', DOCK)).toEqual({ ...draftOf('A'), location: DOCK })
  expect(splitAtSpaces(draftOf('A', 'B C  B', 'D'), 'B C  B').values).toEqual(['C', 'B', 'A', 'D'])
})

describe('a stored draft', () => {
  test('reads as it was written', () => {
    const draft = { location: DOCK, values: ['__proto__', 'A'], chosen: [{ value: 'A', assetId: 1 }] }
    expect(readDraft(draftText(draft))).toEqual(draft)
  })

  test.for([
    null, '', '{', 'null', '[]', '5', '{"values":["A"]}', '{"version":2,"values":["A"]}', '{"version":1,"values":{}}',
  ])('%s is an empty one', (text) => expect(readDraft(text)).toEqual(EMPTY_DRAFT)) // oxfmt-ignore

  test('loses only its broken parts', () => {
    const stored = {
      version: 1,
      location: { id: 'x' },
      values: ['A', 5, '', null, 'A'],
      chosen: [null, {}, 7],
    }
    expect(readDraft(JSON.stringify(stored))).toEqual(draftOf('A'))
    const many = { version: 1, values: Array.from({ length: MAX_VALUES + 1 }, (_, i) => String(i)) }
    expect(readDraft(JSON.stringify(many)).values).toHaveLength(MAX_VALUES)
  })
})
