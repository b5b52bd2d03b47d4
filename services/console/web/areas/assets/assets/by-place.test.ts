import { expect, test } from 'vitest'
import { isByPlace, placeQueryOf, sortOf } from './by-place.ts'

const NONE = {
  q: '',
  type: '',
  active: '',
  deleted: '',
  location: '',
  inside: '',
  seen: '',
  misplaced: '',
  at: '',
  sort: 'name',
}
const NOW = Date.parse('2026-11-25T10:00:00.000Z')

test('only a location, a known time since the last sighting, or what is misplaced, lists by place', () => {
  expect(isByPlace({ ...NONE, misplaced: 'true' })).toBe(true)
  expect(isByPlace({ ...NONE, misplaced: 'false' })).toBe(false)
  expect(isByPlace(NONE)).toBe(false)
  expect(isByPlace({ ...NONE, location: '7' })).toBe(true)
  expect(isByPlace({ ...NONE, seen: '24h' })).toBe(true)
  expect(isByPlace({ ...NONE, seen: 'toString' })).toBe(false)
  expect(isByPlace({ ...NONE, location: 'dock' })).toBe(false)
})

test.each([
  ['1h', '2026-11-25T09:00:00.000Z'],
  ['24h', '2026-11-24T10:00:00.000Z'],
  ['7d', '2026-11-18T10:00:00.000Z'],
])('not seen for %s is not seen since %s', (seen, since) => {
  expect(placeQueryOf({ ...NONE, seen }, NOW)).toEqual({ sort: 'asset_last_seen', not_seen_since: since })
})

test('a location includes its sub-locations, unless switched off; the search stays', () => {
  const list = { ...NONE, location: '7', q: 'fork', deleted: 'true' }
  const query = { sort: 'asset_last_seen', q: 'fork', include_deleted: true, location_id: [7] }
  expect(placeQueryOf(list)).toEqual({ ...query, include_descendants: true })
  expect(placeQueryOf({ ...list, inside: 'no' })).toEqual({ ...query, include_descendants: false })
})

test('what is misplaced is asked with the other filters by place', () => {
  const query = { sort: 'asset_last_seen', misplaced: true }
  expect(placeQueryOf({ ...NONE, misplaced: 'true' })).toEqual(query)
  expect(placeQueryOf({ ...NONE, misplaced: 'true', q: 'fork' })).toEqual({ ...query, q: 'fork' })
  expect(placeQueryOf({ ...NONE, misplaced: 'no', location: '7' })).not.toHaveProperty('misplaced')
})

test('at an instant everything is listed by place, and what was not seen for a time is of the time before it', () => {
  const at = '2026-11-20T08:00:00.000Z'
  expect(isByPlace({ ...NONE, at })).toBe(true)
  expect(isByPlace({ ...NONE, at: 'yesterday' })).toBe(true)
  expect(placeQueryOf({ ...NONE, at }, NOW)).toEqual({ sort: 'asset_last_seen', at })
  expect(placeQueryOf({ ...NONE, at, seen: '24h' }, NOW)).toEqual({
    sort: 'asset_last_seen',
    at,
    not_seen_since: '2026-11-19T08:00:00.000Z',
  })
})

test('the order is one that the list has', () => {
  expect(placeQueryOf({ ...NONE, location: '7', sort: '-external_key' }).sort).toBe('-asset_external_key')
  expect(placeQueryOf({ ...NONE, location: '7', sort: '-last_seen' }).sort).toBe('-asset_last_seen')
  expect(sortOf({ ...NONE, location: '7', sort: '-created_at' })).toBe('last_seen')
  expect(sortOf({ ...NONE, location: '7', sort: 'toString' })).toBe('last_seen')
  expect(sortOf({ ...NONE, sort: '-last_seen' })).toBe('name')
  expect(sortOf({ ...NONE, sort: '-created_at' })).toBe('-created_at')
})
