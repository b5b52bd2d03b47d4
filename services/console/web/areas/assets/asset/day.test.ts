import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { barsOf, type Day, dayOf, dwellsOfDay, hoursOf, lanesOf, percentOf } from './day.ts'
import type { Sighting } from './sightings.ts'

beforeEach(() => vi.stubEnv('TZ', 'Europe/Berlin'))
afterEach(() => vi.unstubAllEnvs())

const DOCK = { id: 1, external_key: 'DOCK-1', name: 'Dock' }
const SHELF = { id: 2, external_key: 'SHELF-1', name: 'Shelf' }

/** At a time of the viewer in Berlin. */
const at = (time: string, location: Sighting['location']): Sighting => ({
  observed_at: berlin(time),
  location,
  reader: null,
  antenna: null,
  scan_point: null,
  decided_by: null,
  location_key: null,
  tag: null,
  outvoted: [],
  carried_from: null,
  duration_seconds: null,
})
const berlin = (time: string) => new Date(`2026-11-${time}:00+01:00`).toISOString()
const ms = (time: string) => Date.parse(berlin(time))

const NOW = ms('25T18:00')
const day = (): Day => dayOf('2026-11-24', NOW)
const only = (sightings: readonly Sighting[]) => ({ sightings, before: undefined, next: undefined })

test('a day is from midnight to midnight of the viewer, also when the clocks change', () => {
  expect(day()).toEqual({ name: '2026-11-24', start: ms('24T00:00'), end: ms('25T00:00') })
  const hours = ({ start, end }: Day) => (end - start) / 3_600_000
  expect(hours(dayOf('2026-03-29', NOW))).toBe(23)
  expect(hours(dayOf('2026-10-25', NOW))).toBe(25)
  const autumn = dayOf('2026-10-25', NOW)
  expect(hoursOf(autumn).map((hour) => Math.round(percentOf(hour.getTime(), autumn)))).toEqual([
    0, 28, 52, 76,
  ])
})

test.each(['', 'yesterday', '2026-02-31', '2026-11-26'])('the day %o is today', (name) => {
  expect(dayOf(name, NOW).name).toBe('2026-11-25')
})

test('the days before and after follow the calendar', () => {
  expect(dayOf('2026-03-01', NOW, -1).name).toBe('2026-02-28')
  expect(dayOf('2026-10-24', NOW, 1).name).toBe('2026-10-25')
})

test('a dwell over midnight is cut at both ends, with the time in which nothing saw it', () => {
  const [shelf, dock] = barsOf(
    dwellsOfDay({
      sightings: [at('24T12:00', SHELF), at('24T03:00', DOCK)],
      before: at('23T22:00', DOCK),
      next: { observed_at: berlin('25T07:00'), location_id: 1 },
    }),
    day(),
    NOW,
  )
  expect(dock).toMatchObject({ from: ms('24T00:00'), seenUntil: ms('24T03:00'), until: ms('24T12:00') })
  expect(dock?.dwell).toMatchObject({ isEarlier: true, from: berlin('23T22:00') })
  expect(shelf).toMatchObject({ from: ms('24T12:00'), seenUntil: ms('24T12:00'), until: ms('25T00:00') })
  expect(shelf?.dwell).toMatchObject({ isEarlier: false, isLater: false, until: berlin('25T07:00') })
})

test('seen at the same location after the day, it was there until midnight', () => {
  const next = { observed_at: berlin('25T00:05'), location_id: 2 }
  const dwells = dwellsOfDay({ ...only([at('24T12:00', SHELF)]), next })
  expect(dwells).toMatchObject([{ isLater: true, until: null }])
  expect(barsOf(dwells, day(), NOW)).toMatchObject([{ seenUntil: ms('25T00:00'), until: ms('25T00:00') }])
})

test('without a sighting in the day it is where it was seen last before', () => {
  const before = at('20T09:00', DOCK)
  const bars = barsOf(dwellsOfDay({ ...only([]), before }), day(), NOW)
  expect(bars).toMatchObject([{ from: ms('24T00:00'), seenUntil: ms('24T00:00'), until: ms('25T00:00') }])
  expect(dwellsOfDay(only([]))).toEqual([])
})

test('a location at which it was before the day only has no bar', () => {
  const dwells = dwellsOfDay({ ...only([at('24T00:00', SHELF)]), before: at('23T22:00', DOCK) })
  expect(barsOf(dwells, day(), NOW).map(({ dwell }) => dwell.location)).toEqual([SHELF])
})

test('today ends now, or with a sighting by a clock that is ahead', () => {
  const today = dayOf('', NOW)
  const bars = (time: string) => barsOf(dwellsOfDay(only([at(time, DOCK)])), today, NOW)
  expect(bars('25T17:00')).toMatchObject([{ from: ms('25T17:00'), until: NOW }])
  expect(bars('25T18:02')).toMatchObject([{ from: ms('25T18:02'), until: ms('25T18:02') }])
})

test('each location has one lane, first the one where it was last', () => {
  const sightings = [at('24T12:00', DOCK), at('24T11:00', null), at('24T10:00', SHELF), at('24T09:00', DOCK)]
  const lanes = lanesOf(barsOf(dwellsOfDay(only(sightings)), day(), NOW))
  expect(lanes.map(({ location, bars }) => [location, bars.length])).toEqual([
    [DOCK, 2],
    [null, 1],
    [SHELF, 1],
  ])
})
