import { describe, expect, test } from 'vitest'
import type { Position } from '../../positions/position.ts'
import type { Observation } from '../../positions/observation.ts'
import { findBrokenDwells } from './dwell.ts'
import { readBy } from '../../../test/read-by.ts'

const [DOCK, SHELF] = [11, 12]
const key = { orgId: 1, assetId: 7 }

/** At the dock from minute 50 to minute 100. */
const current: Position = {
  ...key,
  minute: 100,
  observedAtMs: 100 * 60_000,
  locationId: DOCK,
  dwellStartedAtMs: 50 * 60_000 + 5_000,
  evidence: null,
}
const late = (minute: number, locationId: number | null, assetId = 7): Observation => ({
  orgId: 1,
  assetId,
  minute,
  observedAtMs: minute * 60_000,
  locationId,
  ...readBy('r'),
})
const nothing = { broken: [], longer: [] }

describe('D8.2 late rows and the current dwell', () => {
  test.for([
    { name: 'elsewhere inside it: broken there', rows: [late(60, SHELF)], want: { broken: [60] } },
    { name: 'without a location inside it: broken there', rows: [late(60, null)], want: { broken: [60] } },
    { name: 'several: broken at the last', rows: [late(70, null), late(60, SHELF)], want: { broken: [70] } },
    { name: 'the same location inside it: unchanged', rows: [late(60, DOCK)], want: {} },
    { name: 'elsewhere before it: unchanged', rows: [late(40, SHELF)], want: {} },
    { name: 'the same location before it: may be longer', rows: [late(40, DOCK)], want: { longer: [50] } },
    { name: 'elsewhere in its first minute: broken there', rows: [late(50, SHELF)], want: { broken: [50] } },
    {
      name: 'the same location in its first minute: starts there again',
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

  test('the newest minute corrected, if the dwell starts with it: may be longer', () => {
    const begun = { ...current, minute: 50, observedAtMs: 50 * 60_000 + 5_000 }
    const replaced = [late(50, DOCK)]
    expect(findBrokenDwells([begun], { late: [], replaced })).toEqual({
      broken: [],
      longer: [{ ...key, minute: 50, locationId: DOCK }],
    })
    // In the same batch, the asset left and came back.
    expect(findBrokenDwells([current], { late: [], replaced: [late(49, DOCK)] })).toEqual(nothing)
  })

  test('an asset without a location has no dwell', () => {
    const nowhere = { ...current, locationId: null, dwellStartedAtMs: null }
    expect(findBrokenDwells([nowhere], { late: [late(60, SHELF), late(40, DOCK)], replaced: [] })).toEqual(
      nothing,
    )
  })

  test('rows of another asset change nothing', () => {
    expect(
      findBrokenDwells([current], { late: [late(60, SHELF, 8)], replaced: [late(50, DOCK, 8)] }),
    ).toEqual(nothing)
  })
})
