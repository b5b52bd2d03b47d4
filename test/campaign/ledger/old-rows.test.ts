import { expect, test } from 'vitest'
import { minuteOf } from './ledger.ts'
import { checkOldRows, rowsOfDay, type OldRow } from './old-rows.ts'

const DAY = '2026-11-01'
const org = { id: 5, oldAssetIds: [1, 2], locations: [{ id: 11 }, { id: 12 }, { id: 13 }] }
const written = rowsOfDay(7, org, DAY)
const [first, second] = written as [OldRow, OldRow]
const rest = written.slice(1)
const kinds = (shown: readonly OldRow[]) =>
  checkOldRows('export', written, shown).map(({ kind, what }) => [kind, / (\d+) rows,/.exec(what)?.[1]])

test('the same seed gives the same rows, and another seed, day or organization others', () => {
  expect(rowsOfDay(7, org, DAY)).toEqual(written)
  const same = new Set(
    written.map((row) => JSON.stringify({ ...row, observedAtMs: row.observedAtMs % 60_000 })),
  )
  for (const other of [
    rowsOfDay(8, org, DAY),
    rowsOfDay(7, org, '2026-11-02'),
    rowsOfDay(7, { ...org, id: 6 }, DAY),
  ]) {
    const shared = other.filter((row) =>
      same.has(JSON.stringify({ ...row, observedAtMs: row.observedAtMs % 60_000 })),
    )
    expect(shared.length).toBeLessThan(written.length / 10)
  }
})

test('an asset has at most one row a minute, all of its day, at several locations, readers and antennas', () => {
  expect(new Set(written.map((row) => `${row.assetId} ${minuteOf(row.observedAtMs)}`)).size).toBe(
    written.length,
  )
  expect(written.every(({ observedAtMs }) => new Date(observedAtMs).toISOString().startsWith(DAY))).toBe(true)
  expect(written.length).toBeGreaterThan(2_000)
  expect(new Set(written.map((row) => row.locationId))).toEqual(new Set([11, 12, 13, null]))
  expect(new Set(written.map((row) => row.readerKey))).toEqual(
    new Set(['gate-0', 'gate-1', 'gate-2', 'handheld', null]),
  )
  expect(new Set(written.map((row) => row.antenna))).toEqual(new Set([1, 2, 3, 4, null]))
  expect(written.filter(({ observedAtMs }) => observedAtMs % 1_000 > 0).length).toBeGreaterThan(2_000)
})

test('all rows, in any order and with or without their cause, are right', () => {
  expect(kinds(written.toReversed())).toEqual([])
  expect(
    kinds(written.map(({ assetId, observedAtMs, locationId }) => ({ assetId, observedAtMs, locationId }))),
  ).toEqual([])
})

test('what is missing, repeated or was never written is found, and counted', () => {
  expect(kinds(rest)).toEqual([['old row lost', '1']])
  expect(kinds([])).toEqual([['old row lost', String(written.length)]])
  expect(kinds([...written, first, first, second])).toEqual([['old row twice', '3']])
  expect(kinds([...written, { ...first, assetId: 3 }])).toEqual([['old row unknown', '1']])
})

test.for<[string, Partial<OldRow>]>([
  [
    'time',
    { observedAtMs: first.observedAtMs % 60_000 === 0 ? first.observedAtMs + 1 : first.observedAtMs - 1 },
  ],
  ['location', { locationId: 14 }],
  ['location that is gone', { locationId: null }],
  ['reader', { readerKey: 'gate-9' }],
  ['antenna', { antenna: 9 }],
])('another %s is found', ([, change]) =>
  expect(kinds([{ ...first, ...change }, ...rest])).toEqual([['old row changed', '1']]),
)
