import { expect, test } from 'vitest'
import { secondsOf, dwellsOf, type Sighting } from './sightings.ts'

const DOCK = { id: 1, external_key: 'DOCK-1', name: 'Dock' }
const SHELF = { id: 2, external_key: 'SHELF-1', name: 'Shelf' }

const at = (minute: string, location: Sighting['location'], readerKey?: string): Sighting => ({
  observed_at: `2026-11-21T10:${minute}:00.000Z`,
  location,
  reader: readerKey === undefined ? null : { reader_key: readerKey, id: null, name: null },
  antenna: null,
  scan_point: null,
  decided_by: null,
  location_key: null,
  tag: null,
  outvoted: [],
  carried_from: null,
  duration_seconds: null,
})

test('consecutive sightings at one location are one dwell until the asset is seen elsewhere', () => {
  const dwells = dwellsOf([at('30', SHELF), at('20', DOCK), at('10', DOCK, 'gate-1')])
  expect(dwells).toMatchObject([
    { location: SHELF, from: '2026-11-21T10:30:00.000Z', until: null, sightings: 1 },
    {
      location: DOCK,
      from: '2026-11-21T10:10:00.000Z',
      lastSeen: '2026-11-21T10:20:00.000Z',
      until: '2026-11-21T10:30:00.000Z',
      sightings: 2,
      first: { reader: { reader_key: 'gate-1' } },
    },
  ])
  expect(dwells.map(secondsOf)).toEqual([0, 1_200])
})

test('a return is a new dwell', () => {
  expect(dwellsOf([at('30', DOCK), at('20', SHELF), at('10', DOCK)])).toHaveLength(3)
})

test('sightings without a location are a separate dwell', () => {
  const dwells = dwellsOf([at('30', null), at('20', null), at('10', DOCK)])
  expect(dwells.map(({ location, sightings }) => [location?.name, sightings])).toEqual([
    [undefined, 2],
    ['Dock', 1],
  ])
})

test('deleted locations are distinguished by id', () => {
  const gone = (id: number) => ({ id, external_key: null, name: null })
  expect(dwellsOf([at('30', gone(3)), at('20', gone(3)), at('10', gone(4))])).toHaveLength(2)
})

test('the current dwell lasts until the last sighting', () => {
  const [dwell] = dwellsOf([at('50', DOCK), at('20', DOCK)])
  expect(dwell && secondsOf(dwell)).toBe(1_800)
})

test('without sightings there are no dwells', () => {
  expect(dwellsOf([])).toEqual([])
})
