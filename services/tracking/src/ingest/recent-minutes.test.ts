import { expect, test } from 'vitest'
import type { Observation } from './observation.ts'
import { firstOfMinutes, RecentMinutes } from './recent-minutes.ts'
import { readBy } from '../../test/read-by.ts'

const [DOCK, SHELF] = [11, 12]
const seen = (minute: number, locationId: number | null, second = 0, assetId = 7): Observation => ({
  orgId: 1,
  assetId,
  minute,
  observedAtMs: minute * 60_000 + second * 1_000,
  locationId,
  ...readBy('r'),
})

/** What ingest stores of these. */
const notStored = (recent: RecentMinutes, observations: readonly Observation[]) =>
  observations.filter((o) => !recent.isStored(o.assetId, o.minute, o.locationId))

test('the first location of a minute in order of arrival counts, not of the instants', () => {
  const [later, earlier] = [seen(5, SHELF, 40), seen(5, DOCK, 10)]
  expect(firstOfMinutes([later, earlier, seen(6, DOCK)])).toEqual([later, seen(6, DOCK)])
})

test('the first read with a location wins over reads without one, in either order', () => {
  const [nowhere, dock] = [seen(5, null, 10), seen(5, DOCK, 20)]
  expect(firstOfMinutes([nowhere, dock, seen(5, SHELF, 30)])).toEqual([dock])
  expect(firstOfMinutes([dock, nowhere])).toEqual([dock])
  expect(firstOfMinutes([nowhere, seen(5, null, 20)])).toEqual([nowhere])
})

test('rescans of a stored minute are dropped; if it has no location, only those without a location', () => {
  const recent = new RecentMinutes()
  recent.add([seen(5, null)])
  expect(notStored(recent, [seen(5, null, 30)])).toEqual([])
  expect(notStored(recent, [seen(5, DOCK, 30)])).toEqual([seen(5, DOCK, 30)])
  recent.add([seen(5, DOCK, 30)])
  expect(notStored(recent, [seen(5, null, 40), seen(5, SHELF, 50)])).toEqual([])
  recent.add([seen(5, null)])
  expect(notStored(recent, [seen(5, SHELF, 50)])).toEqual([])
})

test('an older minute is not known to be stored, and does not displace the newest', () => {
  const recent = new RecentMinutes()
  recent.add([seen(5, DOCK), seen(4, SHELF)])
  expect(notStored(recent, [seen(4, SHELF), seen(5, DOCK), seen(5, DOCK, 0, 8)])).toEqual([
    seen(4, SHELF),
    seen(5, DOCK, 0, 8),
  ])
})
