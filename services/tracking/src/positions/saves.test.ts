import { describe, expect, test } from 'vitest'
import { byAsset, type Position } from './position.ts'
import { NOT_READ } from './cause.ts'
import { minuteOf } from './observation.ts'
import { placeSave } from './saves.ts'

const S0 = Date.parse('2026-11-21T10:00:40.000Z')
const SHELF = 12

const seenAt = (observedAtMs: number): Position => ({
  orgId: 1,
  assetId: 7,
  minute: minuteOf(observedAtMs),
  observedAtMs,
  locationId: 11,
  dwellStartedAtMs: observedAtMs,
  evidence: null,
})
const saved = (current: Position[]) =>
  placeSave(byAsset(current), { orgId: 1, assetIds: [7], locationId: SHELF, savedAtMs: S0 })

const row = (observedAtMs: number) => ({
  orgId: 1,
  assetId: 7,
  minute: minuteOf(observedAtMs),
  observedAtMs,
  locationId: SHELF,
  rssi: null,
  isJudged: false,
  ...NOT_READ,
})

describe('D8.5 a save is a row with its own instant', () => {
  test.for([
    { name: 'an asset that was never seen', current: [], at: S0 },
    { name: 'one seen hours ago', current: [seenAt(S0 - 7_200_000)], at: S0 },
    { name: 'one seen earlier in the minute', current: [seenAt(S0 - 35_000)], at: S0 },
    { name: 'one seen a millisecond ago', current: [seenAt(S0 - 1)], at: S0 },
  ])('$name', ({ current, at }) => expect(saved(current)).toEqual([row(at)]))
})

describe('ADR 20 a save comes after a row of a fast clock', () => {
  test.for([
    { name: 'in the same instant', current: S0 },
    { name: 'later in the same minute', current: S0 + 15_000 },
    { name: 'in the minute after', current: S0 + 30_000 },
  ])('$name', ({ current }) => expect(saved([seenAt(current)])).toEqual([row(current + 1)]))

  test('in the last millisecond of a minute: it is in the next one', () => {
    const last = Date.parse('2026-11-21T10:00:59.999Z')
    expect(saved([seenAt(last)])[0]?.minute).toBe(minuteOf(last) + 1)
  })
})

test('the row of each asset of a save follows its own position', () => {
  const ahead = { ...seenAt(S0 + 30_000), assetId: 8 }
  const save = { orgId: 1, assetIds: [7, 8, 9], locationId: SHELF, savedAtMs: S0 }
  const rows = placeSave(byAsset([ahead, seenAt(S0 - 60_000)]), save)
  expect(rows.map((r) => [r.assetId, r.observedAtMs])).toEqual([
    [7, S0],
    [8, S0 + 30_001],
    [9, S0],
  ])
})
