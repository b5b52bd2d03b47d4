import type { ErrorBody } from '@whereabouts/client/client'
import { describe, expect, test } from 'vitest'
import { addedText, addKeys, MAX_KEYS, problemsOf, splitKeys } from './keys.ts'

describe('keys in a text', () => {
  test.for([
    { text: '', keys: [] },
    { text: ' \n\t', keys: [] },
    { text: 'A-1', keys: ['A-1'] },
    { text: 'A-1\r\nA-2\tA-3, A-4;A-5;\n', keys: ['A-1', 'A-2', 'A-3', 'A-4', 'A-5'] },
    { text: 'A-1 a-1 A-1', keys: ['A-1', 'a-1'] },
  ])('$text', ({ text, keys }) => expect(splitKeys(text)).toEqual(keys))
})

describe('adding', () => {
  test('puts the newest first and drops duplicates', () => {
    const added = addKeys(['B', 'A'], 'C B D')
    expect(added).toEqual({ keys: ['D', 'C', 'B', 'A'], added: 2, alreadyThere: 1, tooMany: 0 })
    expect(addedText(added)).toBe('2 keys added. 1 key already in the list.')
  })

  test('leaves out keys above the limit per save and counts them', () => {
    const full = Array.from({ length: MAX_KEYS - 1 }, (_, i) => `K-${i}`)
    const added = addKeys(full, 'C D E')
    expect([added.keys.length, added.added, added.tooMany]).toEqual([MAX_KEYS, 1, 2])
    expect(addedText(added)).toMatch(/^1 key added\. 2 keys left out/)
  })

  test('without new keys reports none added', () => {
    expect(addedText(addKeys(['A'], '  '))).toBe('0 keys added.')
    expect(addedText(addKeys(['A'], 'A'))).toBe('1 key already in the list.')
  })
})

test('a message is assigned to its key', () => {
  const unknown = {
    field: 'asset_identifiers',
    code: 'fk_not_found',
    message: 'asset_identifiers: B does not …',
  }
  const fields = [
    { ...unknown, params: { value: 'B' } },
    { field: 'asset_identifiers[0]', code: 'invalid_value', message: 'asset_identifiers[0] must contain …' },
    { field: 'asset_identifiers', code: 'too_long', message: 'asset_identifiers must contain …' },
    { field: 'location_identifier', code: 'fk_not_found', message: '…', params: { value: 'DOCK' } },
  ]
  expect([...problemsOf({ fields } as ErrorBody, ['Ä', 'B'])]).toEqual([
    ['B', 'No asset has this key'],
    ['Ä', 'It must contain …'],
  ])
  expect(problemsOf(undefined, ['A']).size).toBe(0)
})
