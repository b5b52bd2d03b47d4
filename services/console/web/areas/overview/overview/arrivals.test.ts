import { expect, test } from 'vitest'
import { newestArrivals, SHOWN_ARRIVALS } from './arrivals.ts'

const arrival = (id: number, minute: number, location = 'Dock') => ({
  at: new Date(Date.UTC(2026, 10, 23, 12, minute)).toISOString(),
  asset: { id, name: `Asset ${id}` },
  location: { id: 9, name: location },
})

test('shows the newest arrivals, newest first, and each asset once', () => {
  const all = [arrival(1, 1), arrival(2, 5), arrival(1, 7, 'Hall'), arrival(2, 4)]
  expect(newestArrivals(all)).toEqual([arrival(1, 7, 'Hall'), arrival(2, 5)])
  const many = Array.from({ length: 20 }, (_, i) => arrival(i, i))
  expect(newestArrivals(many).map(({ asset }) => asset.id)).toEqual(
    [19, 18, 17, 16, 15, 14].slice(0, SHOWN_ARRIVALS),
  )
})

test('an arrival that comes again replaces itself', () => {
  expect(newestArrivals([arrival(1, 1), arrival(1, 1)])).toEqual([arrival(1, 1)])
})
