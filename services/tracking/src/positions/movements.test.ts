import { describe, expect, test } from 'vitest'
import { advance } from './movements.ts'
import type { Position } from './position.ts'
import { minuteOf, type Observation } from './observation.ts'
import { readBy } from '../../test/read-by.ts'

const T0 = Date.parse('2026-11-21T10:00:00.000Z')
const DOCK = 11
const SHELF = 12

function seen(minute: number, locationId: number | null, assetId = 1): Observation {
  const observedAtMs = T0 + minute * 60_000 + 5_000
  return {
    orgId: 1,
    assetId,
    minute: minuteOf(observedAtMs),
    observedAtMs,
    locationId,
    ...readBy('r'),
  }
}

function at(minute: number, locationId: number | null, dwellMinute = minute): Position {
  const { orgId, assetId, minute: m, observedAtMs } = seen(minute, locationId)
  const dwellStartedAtMs = locationId === null ? null : seen(dwellMinute, locationId).observedAtMs
  return { orgId, assetId, minute: m, observedAtMs, locationId, dwellStartedAtMs, evidence: null }
}

const moves = (result: ReturnType<typeof advance>) =>
  result.movements.map((m) => [m.fromLocationId, m.to.locationId])

describe('movement rules', () => {
  test('the first sighting of an asset comes from null', () => {
    const result = advance([], [seen(0, DOCK)])
    expect(moves(result)).toEqual([[null, DOCK]])
    expect(result.positions).toEqual([at(0, DOCK)])
  })

  test('a rescan at the same location makes no event and keeps the start of the dwell', () => {
    const result = advance([at(0, DOCK)], [seen(1, DOCK)])
    expect(moves(result)).toEqual([])
    expect(result.positions).toEqual([at(1, DOCK, 0)])
  })

  test('another location is one movement from the last one', () => {
    const result = advance([at(0, DOCK)], [seen(1, SHELF)])
    expect(moves(result)).toEqual([[DOCK, SHELF]])
    expect(result.positions).toEqual([at(1, SHELF)])
  })

  test('D8.7 a late scan changes neither position nor events', () => {
    const late = [seen(3, SHELF)]
    expect(advance([at(5, DOCK)], late)).toEqual({
      positions: [],
      movements: [],
      arrivals: [],
      late,
      rewritten: [],
      replaced: [],
      places: [],
      seenAgain: [],
    })
  })

  test('a scan without a location makes no event and ends the dwell, and the next movement comes from null', () => {
    const result = advance([at(0, DOCK)], [seen(1, null), seen(2, DOCK)])
    expect(moves(result)).toEqual([[null, DOCK]])
    expect(result.positions).toEqual([at(2, DOCK)])
  })

  test('the first read with a location in a minute replaces one without, and is a movement from null', () => {
    const result = advance([at(1, null)], [seen(1, DOCK)])
    expect(moves(result)).toEqual([[null, DOCK]])
    expect(result.positions).toEqual([at(1, DOCK)])
    expect(result.replaced).toEqual([seen(1, DOCK)])
  })

  test('a save that overrides its minute is a movement of kind save, from the overridden location', () => {
    const save = { ...seen(1, SHELF), observedAtMs: seen(1, SHELF).observedAtMs + 20_000 }
    const result = advance([at(1, DOCK)], [save], 'save')
    expect(result.movements).toEqual([{ kind: 'save', to: save, fromLocationId: DOCK }])
    expect(result.positions).toEqual([
      { ...at(1, SHELF), observedAtMs: save.observedAtMs, dwellStartedAtMs: save.observedAtMs },
    ])
    // The minute before may be at the shelf, except if the ended dwell had started by then.
    expect(result.replaced).toEqual([save])
    expect(advance([at(1, DOCK, 0)], [save], 'save').replaced).toEqual([])
  })

  test('a save at the current location makes no event, and the dwell continues', () => {
    const save = { ...seen(1, DOCK), observedAtMs: seen(1, DOCK).observedAtMs + 20_000 }
    const result = advance([at(1, DOCK, 0)], [save], 'save')
    expect(result.movements).toEqual([])
    expect(result.positions).toEqual([{ ...at(1, DOCK, 0), observedAtMs: save.observedAtMs }])
    expect(result.replaced).toEqual([])
  })

  test('a dwell starts with the save that overrides its first row', () => {
    const observedAtMs = seen(1, DOCK).observedAtMs + 20_000
    const result = advance([at(1, DOCK)], [{ ...seen(1, DOCK), observedAtMs }], 'save')
    expect(result.positions).toEqual([{ ...at(1, DOCK), observedAtMs, dwellStartedAtMs: observedAtMs }])
  })

  test('rows of one asset count in the order of their minutes, not of the batch', () => {
    const result = advance([at(0, DOCK)], [seen(3, DOCK), seen(1, SHELF), seen(2, SHELF)])
    expect(moves(result)).toEqual([
      [DOCK, SHELF],
      [SHELF, DOCK],
    ])
    expect(result.positions).toEqual([at(3, DOCK)])
  })

  test('assets do not influence each other', () => {
    const result = advance([at(0, DOCK)], [seen(1, SHELF, 1), seen(1, DOCK, 2)])
    expect(result.movements.map((m) => [m.to.assetId, m.fromLocationId])).toEqual([
      [1, DOCK],
      [2, null],
    ])
  })
})
