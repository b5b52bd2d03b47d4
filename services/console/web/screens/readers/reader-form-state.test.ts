import { expect, test } from 'vitest'
import { newReaderFields, readMapping, toCreate, toUpdate } from './reader-form-state.ts'

test.for([
  { text: ' ', want: { mapping: null } },
  { text: '{"reads":"","tag":"/epc"}', want: { mapping: { reads: '', tag: '/epc' } } },
  { text: '["/epc"]', want: { problem: 'The mapping must be a JSON object' } },
])('the text $text of a mapping', ({ text, want }) => expect(readMapping(text)).toEqual(want))

test('a mapping that is not JSON shows the syntax error', () => {
  expect(readMapping('{"reads": }')).toEqual({ problem: expect.stringMatching(/not valid JSON: .+/) })
})

test('an empty time zone is null', () => {
  const fields = { ...newReaderFields('dock-1'), name: 'Dock 1' }
  expect(toCreate(fields, null)).toEqual({
    reader_key: 'dock-1',
    name: 'Dock 1',
    format: 'canonical',
    timezone: null,
    mapping: null,
  })
})

test('a change sends changed fields, and null for cleared ones', () => {
  const before = { ...newReaderFields('dock-1'), timezone: '+08:00' }
  expect(toUpdate(before, { ...before, name: 'Dock 1' }, null)).toEqual({ name: 'Dock 1' })
  expect(toUpdate(before, { ...before, timezone: '' }, null)).toEqual({ timezone: null })
  expect(toUpdate(before, before, null)).toEqual({})
})
