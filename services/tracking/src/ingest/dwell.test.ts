import { describe, expect, test } from 'vitest'
import type { Position } from '../positions/position.ts'
import type { Observation } from './observation.ts'
import { findBrokenDwells } from './dwell.ts'

const [DOCK, SHELF] = [11, 12]
const key = { orgId: 1, assetId: 7 }

/** At the dock in minute 100, since minute 50. */
const current: Position = {
  ...key,
  minute: 100,
  observedAtMs: 100 * 60_000,
  locationId: DOCK,
  dwellStartedAtMs: 50 * 60_000 + 5_000,
}
const late = (minute: number, locationId: number | null, assetId = 7): Observation => ({
  orgId: 1,
  assetId,
  minute,
  observedAtMs: minute * 60_000,
  locationId,
  readerKey: 'r',
  antenna: 1,
})
const nothing = { broken: [], longer: [] }

describe('D8.2 what late rows say of the current stay', () => {
  test.for([
    { name: 'elsewhere inside it: broken there', rows: [late(60, SHELF)], want: { broken: [60] } },
    { name: 'nowhere inside it: broken there', rows: [late(60, null)], want: { broken: [60] } },
    { name: 'several: broken at the last', rows: [late(70, null), late(60, SHELF)], want: { broken: [70] } },
    { name: 'the same place inside it: nothing new', rows: [late(60, DOCK)], want: {} },
    { name: 'elsewhere before it: nothing new', rows: [late(40, SHELF)], want: {} },
    { name: 'the same place before it: perhaps longer', rows: [late(40, DOCK)], want: { longer: [50] } },
    { name: 'elsewhere in its first minute: broken there', rows: [late(50, SHELF)], want: { broken: [50] } },
    {
      name: 'the same place in its first minute: begins anew',
      rows: [late(50, DOCK)],
      want: { longer: [51] },
    },
    { name: 'both: broken', rows: [late(40, DOCK), late(60, SHELF)], want: { broken: [60] } },
  ])('$name', ({ rows, want: { broken = [], longer = [] } }) => {
    expect(findBrokenDwells([current], { late: rows, replaced: [] })).toEqual({
      broken: broken.map((minute) => ({ ...key, minute })),
      longer: longer.map((minute) => ({ ...key, minute, locationId: DOCK })),
    })
  })

  test('the newest minute put right, where the stay begins with it: perhaps longer', () => {
    const begun = { ...current, minute: 50, observedAtMs: 50 * 60_000 + 5_000 }
    const replaced = [late(50, DOCK)]
    expect(findBrokenDwells([begun], { late: [], replaced })).toEqual({
      broken: [],
      longer: [{ ...key, minute: 50, locationId: DOCK }],
    })
    // The asset went on and came back since, in the same batch.
    expect(findBrokenDwells([current], { late: [], replaced: [late(49, DOCK)] })).toEqual(nothing)
  })

  test('an asset that is nowhere has no stay', () => {
    const nowhere = { ...current, locationId: null, dwellStartedAtMs: null }
    expect(findBrokenDwells([nowhere], { late: [late(60, SHELF), late(40, DOCK)], replaced: [] })).toEqual(
      nothing,
    )
  })

  test('rows of another asset say nothing', () => {
    expect(
      findBrokenDwells([current], { late: [late(60, SHELF, 8)], replaced: [late(50, DOCK, 8)] }),
    ).toEqual(nothing)
  })
})
