import { expect, test } from 'vitest'
import { type NameOf, proposedName, sentenceOf, type Statement } from './sentence.ts'

const SCOPE: Statement['scope'] = {
  asset_ids: [],
  asset_types: [],
  location_ids: [],
  metadata: {},
  include_descendants: true,
  reader_ids: [],
}
const NAMES: Readonly<Record<string, string>> = {
  'asset 1': 'Pallet 7',
  'asset 2': 'Pallet 8',
  'location 3': 'Receiving',
  'reader 4': 'Gate',
}
const nameOf: NameOf = (thing, id) => NAMES[`${thing} ${id}`]

const said = (
  kind: string,
  scope: Partial<Statement['scope']> = {},
  rest: Partial<Omit<Statement, 'kind' | 'scope'>> = {},
) =>
  sentenceOf(
    { kind, params: {}, for_seconds: 0, schedule: null, ...rest, scope: { ...SCOPE, ...scope } },
    nameOf,
  )
const RECEIVING = { location_ids: [3] }

test('each kind is a sentence', () => {
  const seconds = { params: { seconds: 14_400 } }
  expect([
    said('entered', RECEIVING),
    said('left', RECEIVING),
    said('stayed_longer_than', RECEIVING, seconds),
    said('missing_at', RECEIVING, { params: { time: '08:00' } }),
    said('not_seen_for', {}, seconds),
    said('not_seen_for', RECEIVING, seconds),
    said('away_from_home'),
    said('reader_silent'),
    said('reader_silent', { reader_ids: [4] }, seconds),
    said('of_a_newer_api'),
  ]).toEqual([
    'Tell me when any asset enters Receiving.',
    'Tell me when any asset leaves Receiving.',
    'Tell me when any asset stays in Receiving longer than 4 hours.',
    'Tell me when any asset is not in Receiving at 08:00.',
    'Tell me when any asset is not seen for 4 hours.',
    'Tell me when any asset was last in Receiving and is not seen for 4 hours.',
    'Tell me when any asset is away from its home.',
    'Tell me when any reader is silent longer than usual.',
    'Tell me when Gate is silent for 4 hours.',
    'Tell me when any asset of a newer api.',
  ])
})

test('the sentence says which assets, where exactly, how long and when', () => {
  const schedule = { days: [6, 7], from: '06:00', to: '22:00' }
  expect([
    said('entered', { ...RECEIVING, asset_ids: [1] }),
    said('entered', { ...RECEIVING, asset_ids: [1, 2], asset_types: ['person'] }),
    said('entered', { ...RECEIVING, asset_ids: [1, 2, 5] }),
    said('entered', { ...RECEIVING, asset_types: ['inventory', 'asset'] }),
    said('entered', { location_ids: [9], include_descendants: false }, { for_seconds: 600, schedule }),
  ]).toEqual([
    'Tell me when Pallet 7 enters Receiving.',
    'Tell me when Pallet 7 or Pallet 8 (person) enters Receiving.',
    'Tell me when one of 3 assets enters Receiving.',
    'Tell me when any inventory or thing enters Receiving.',
    'Tell me when any asset enters a deleted location itself, if it holds for 10 minutes, on weekends from 06:00 to 22:00.',
  ])
})

test('what is not chosen yet is a blank, and the name is the sentence without its conditions', () => {
  expect(said('stayed_longer_than')).toBe('Tell me when any asset stays in … longer than ….')
  const rule = {
    kind: 'left',
    scope: { ...SCOPE, ...RECEIVING },
    params: {},
    for_seconds: 600,
    schedule: null,
  }
  expect(proposedName(rule, nameOf)).toBe('Any asset leaves Receiving')
  expect(Array.from(proposedName(rule, () => '📦'.repeat(300)))).toHaveLength(255)
})
