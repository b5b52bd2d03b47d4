import { expect, test } from 'vitest'
import {
  isAtMostByHome,
  isAtMostByLocation,
  isFiltered,
  LATEST_FIRST,
  type AssetLocationsFilter,
} from './filter.ts'

type Own = Exclude<
  keyof AssetLocationsFilter,
  'limit' | 'offset' | 'sort' | 'includeDeleted' | 'withLocationOnly'
>

const all = {
  limit: 50,
  offset: 0,
  sort: LATEST_FIRST,
  includeDeleted: true,
  withLocationOnly: true,
} as const
const own: Required<Pick<AssetLocationsFilter, Own>> = {
  assetIds: [],
  assetKeys: [],
  locationIds: 'none',
  notSeenSince: '2026-11-21T10:00:00Z',
  q: 'x',
  home: { ids: [1] },
}

test('paging, order and what is listed at all are not filters', () => {
  expect(isFiltered({ ...all, q: undefined })).toBe(false)
  expect(isAtMostByLocation(all)).toBe(true)
})

test.for(Object.entries(own))(
  'D8.2 %s is a filter: its rows are counted and found by it',
  ([name, value]) => {
    const filter = { ...all, [name]: value }
    expect(isFiltered(filter)).toBe(true)
    expect(isAtMostByLocation(filter)).toBe(name === 'locationIds')
    expect(isAtMostByLocation({ ...filter, locationIds: [5] })).toBe(name === 'locationIds')
    expect(isAtMostByHome(filter)).toBe(name === 'home')
    expect(isAtMostByHome({ ...filter, home: { ids: [5] } })).toBe(name === 'home')
  },
)
