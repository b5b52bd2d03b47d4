import { expect, test } from 'vitest'
import { type Found, groupsOf, NOTHING } from './hits.ts'

const ADMIN = { isAdmin: true, canWrite: true }
const MEMBER = { isAdmin: false, canWrite: true }

const linesOf = (known: Partial<Parameters<typeof groupsOf>[0]>) =>
  groupsOf({ text: '', found: NOTHING, visits: [], rights: ADMIN, ...known }).map(
    ({ label, hits }) => `${label}: ${hits.map((hit) => hit.label).join(', ')}`,
  )

const CRATE = { id: 7, name: 'Crate', external_key: 'CRATE-1' }
const FOUND: Found = {
  named: [{ ...CRATE, type: 'asset', tag: { tag_type: 'rfid', value: 'E280' } }],
  assets: [
    { ...CRATE, type: 'inventory' },
    { id: 8, name: 'Crate lid', external_key: 'LID-1', type: 'asset' },
  ],
  locations: [{ id: 9, name: 'Crate store', external_key: 'STORE' }],
  readers: [{ id: null, name: null, reader_key: 'crate-gate' }],
}

test('what the text names exactly comes first, then what was opened last; each thing is there once', () => {
  const visits = [{ kind: 'location', id: 9, name: 'Crate store' } as const]
  expect(linesOf({ text: 'crate', found: FOUND, visits })).toEqual([
    'Exactly this: Crate',
    'Recent: Crate store',
    'Assets: Crate lid',
  ])
})

test('a scanned tag shows the icon of the type of its asset, and the tag', () => {
  const [exact] = groupsOf({ text: 'E280', found: FOUND, visits: [], rights: MEMBER })
  expect(exact?.hits).toMatchObject([{ to: '/assets/7', hint: 'Tag E280', color: 'var(--asset-inventory)' }])
})

test('words of the text begin words of an action or a screen', () => {
  expect(linesOf({ text: 'new as' })).toEqual(['Actions: New asset'])
  expect(linesOf({ text: 'new ru' })).toEqual(['Actions: New rule'])
  expect(linesOf({ text: 'tags' })).toEqual(['Screens: Unknown tags'])
  expect(linesOf({ text: 'ags' })).toEqual([])
})

test('people who are not administrators are not offered what only those may do', () => {
  expect(linesOf({ text: 'new api' })).toEqual(['Actions: New API key'])
  expect(linesOf({ text: 'new api', rights: MEMBER })).toEqual([])
  expect(linesOf({ text: 'invite', rights: MEMBER })).toEqual([])
})

test('viewers are offered nothing that changes anything', () => {
  expect(linesOf({ text: 'new', rights: MEMBER })).toEqual(['Actions: New asset, New location, New rule'])
  for (const text of ['new', 'save', 'import', 'invite'])
    expect(linesOf({ text, rights: { isAdmin: false, canWrite: false } }).join()).not.toContain('Actions')
})
