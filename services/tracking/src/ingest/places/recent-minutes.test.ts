import { describe, expect, test } from 'vitest'
import { readBy } from '../../../test/read-by.ts'
import { decide } from '../../positions/decide.ts'
import type { Position } from '../../positions/position.ts'
import { DEFAULT_RULES } from '../../positions/rules.ts'
import type { Observation } from '../../positions/observation.ts'
import { RecentMinutes } from './recent-minutes.ts'

const [DOCK, SHELF] = [11, 12]
const seen = (minute: number, locationId: number | null, second = 0, assetId = 7): Observation => ({
  orgId: 1,
  assetId,
  minute,
  observedAtMs: minute * 60_000 + second * 1_000,
  locationId,
  ...readBy('r'),
})

/** The position of an asset after these reads of one minute. */
function positionAfter(first: Observation, ...others: Observation[]): Position {
  const position = { ...first, dwellStartedAtMs: null, evidence: null }
  const circumstances = { rules: DEFAULT_RULES, isDeleted: () => false, nowMs: 0, rowBefore: () => undefined }
  return { ...position, evidence: decide(position, others, circumstances).evidence }
}

/** What ingest stores of these. */
const notStored = (recent: RecentMinutes, observations: readonly Observation[]) =>
  observations.filter((o) => !recent.isStored(o.assetId, o.observedAtMs, o.locationId, o.rssi, false))

test('rescans of a stored minute are dropped; if it has no location, only those without a location', () => {
  const recent = new RecentMinutes()
  recent.add([positionAfter(seen(5, null))])
  expect(notStored(recent, [seen(5, null, 30)])).toEqual([])
  expect(notStored(recent, [seen(5, DOCK, 30)])).toEqual([seen(5, DOCK, 30)])
  recent.add([positionAfter(seen(5, DOCK, 30))])
  expect(notStored(recent, [seen(5, null, 40), seen(5, DOCK, 50)])).toEqual([])
})

test('an older minute is not known to be stored, and does not displace the newest', () => {
  const recent = new RecentMinutes()
  recent.add([positionAfter(seen(5, DOCK)), positionAfter(seen(4, SHELF))])
  expect(notStored(recent, [seen(4, SHELF), seen(5, DOCK), seen(5, DOCK, 0, 8)])).toEqual([
    seen(4, SHELF),
    seen(5, DOCK, 0, 8),
  ])
})

describe('D18.3 a read at another place', () => {
  test('is stored if it may be the last of its minute, also after a read that was dropped', () => {
    const recent = new RecentMinutes()
    recent.add([positionAfter(seen(5, DOCK, 10))])
    expect(notStored(recent, [seen(5, DOCK, 40), seen(5, SHELF, 39), seen(5, SHELF, 5)])).toEqual([])
    expect(notStored(recent, [seen(5, SHELF, 40)])).toEqual([seen(5, SHELF, 40)]) // of equal times the later arrival is last
  })

  test('is followed by reads that are stored, because one of them may be the last', () => {
    const recent = new RecentMinutes()
    recent.add([positionAfter(seen(5, DOCK, 10), seen(5, SHELF, 20))])
    const newer = [seen(5, DOCK, 20), seen(5, DOCK, 30), seen(5, SHELF, 30)]
    expect(notStored(recent, newer)).toEqual(newer)
    expect(notStored(recent, [seen(5, SHELF, 20), seen(5, DOCK, 19)])).toEqual([])
    expect(notStored(recent, [seen(6, DOCK)])).toEqual([seen(6, DOCK)])
  })

  test('at another replica: what was dropped here is stored if it is later, and so are the next reads', () => {
    const recent = new RecentMinutes()
    const heard = { orgId: 1, assetId: 7, minute: 5, at: 5 * 60_000 + 20_000 }
    recent.add([positionAfter(seen(5, DOCK, 10))])
    expect(notStored(recent, [seen(5, DOCK, 30)])).toEqual([])
    expect(recent.heardElsewhere(heard, 0)).toMatchObject({
      minute: 5,
      observedAtMs: 5 * 60_000 + 30_000,
      locationId: DOCK,
    })
    for (const second of [31, 40, 50]) expect(notStored(recent, [seen(5, DOCK, second)])).toHaveLength(1)
    expect(recent.heardElsewhere(heard, 0)).toBeUndefined()
  })

  test('at another replica, heard before the row is known here: the next reads are stored', () => {
    const recent = new RecentMinutes()
    expect(recent.heardElsewhere({ orgId: 1, assetId: 7, minute: 5, at: 5 * 60_000 }, 0)).toBeUndefined()
    recent.add([positionAfter(seen(5, DOCK, 10))])
    expect(notStored(recent, [seen(5, DOCK, 11)])).toHaveLength(1)
    recent.add([positionAfter(seen(6, DOCK))])
    expect(notStored(recent, [seen(6, DOCK, 11)])).toEqual([])
  })

  test('stays known if commits are reported in another order', () => {
    const recent = new RecentMinutes()
    recent.add([positionAfter(seen(5, DOCK, 10), seen(5, SHELF, 20))])
    recent.add([positionAfter(seen(5, DOCK, 10))])
    expect(notStored(recent, [seen(5, DOCK, 30)])).toHaveLength(1)
  })
})
