import { describe, expect, test } from 'vitest'
import { createBody, draftOf, emptyDraft, type Location, patchBody } from './location-draft.ts'

const hall = { id: 7, name: 'Hall', external_key: 'HALL' }
const dock: Location = {
  id: 8,
  name: 'Dock',
  external_key: 'DOCK',
  description: 'North',
  parent_id: 7,
  parent_external_key: 'HALL',
  is_active: true,
  valid_from: '2026-01-01T10:00:12.345Z',
  valid_to: null,
  created_at: '2026-01-01T10:00:12.345Z',
  updated_at: '2026-01-01T10:00:12.345Z',
  deleted_at: null,
  tags: [],
}
const before = draftOf(dock, hall)

describe('a change of a location', () => {
  test('sends nothing of what was not touched, seconds of instants included', () => {
    expect(patchBody(before, { ...before })).toEqual({})
  })

  test('sends each field that was changed', () => {
    const after = { ...before, name: 'Gate', isActive: false, validTo: '2026-02-01T12:30' }
    const valid_to = new Date('2026-02-01T12:30').toISOString()
    expect(patchBody(before, after)).toEqual({ name: 'Gate', is_active: false, valid_to })
  })

  test('clears by null: description, parent and end', () => {
    const ending = { ...before, validTo: '2026-02-01T12:30' }
    expect(patchBody(ending, { ...ending, description: '', parent: null, validTo: '' })).toEqual({
      description: null,
      parent_id: null,
      valid_to: null,
    })
  })
})

test('a new location leaves the key and the beginning to the API', () => {
  expect(createBody({ ...emptyDraft(hall), name: 'Dock' })).toEqual({
    name: 'Dock',
    is_active: true,
    parent_id: 7,
    valid_to: null,
  })
})
