import { expect, test } from 'vitest'
import { amount, bytes, count } from './figures.ts'
import { COSTS, historyBytes, loadOf, scansBytes } from './load.ts'
import {
  backupHours,
  bucketBytes,
  needsOf,
  serverNeedsOf,
  SIZES,
  streamBytes,
  TRACKING_SERVER,
} from './sizes.ts'
import { scalingPage } from './scaling-tables.ts'

test('the tables of docs/scaling.md follow from the costs: node deploy/workshop/sizing/scaling-tables.ts', () => {
  const { documented, actual } = scalingPage()
  expect(documented).toBe(actual)
})

test('history is packed days for up to a month longer than its retention, and five days of rows', () => {
  const { rowsPerDay, movementBytesPerDay } = loadOf(1_000)
  const { rowBytes, packedRowBytes } = COSTS
  const days =
    (historyBytes(1_000, 60) - 5 * rowsPerDay * rowBytes) /
    (rowsPerDay * packedRowBytes + movementBytesPerDay)
  expect(days).toBeCloseTo(91, 9)
})

test('each day of retention adds packed days, not rows', () => {
  expect(historyBytes(1_000, 400) / historyBytes(1_000, 60)).toBeLessThan(3)
})

test('a buffer of 72 hours holds three working days', () => {
  expect(scansBytes(10, 72)).toBe(30 * 3_600 * loadOf(10).scansBytesPerSecond)
  expect(scansBytes(10, 4)).toBe(4 * 3_600 * loadOf(10).scansBytesPerSecond)
})

test('the limit of SCANS counts three times, because the streams of MQTT and of floods have the same', () => {
  expect(streamBytes(10, 10e9) - streamBytes(10, 1e9)).toBe(3 * 9e9)
})

test('with a server of its own, tracking takes history and its log there; one server holds all', () => {
  const { databaseBytes, walBytes } = needsOf(SIZES.large)
  const [tracking, others] = [TRACKING_SERVER, 'postgres'].map((name) => serverNeedsOf(SIZES.large, name))
  expect(tracking!.databaseBytes).toBeGreaterThan(historyBytes(10_000, 400))
  expect([tracking!.walBytes, others!.walBytes]).toEqual([walBytes, 0])
  expect(tracking!.databaseBytes + others!.databaseBytes).toBe(databaseBytes + loadOf(10_000).assetBytes)
  expect(serverNeedsOf(SIZES.production, 'postgres').databaseBytes).toBe(
    needsOf(SIZES.production).databaseBytes,
  )
})

test('the bucket has a base backup of each day, one more, and the log of the same days', () => {
  expect(bucketBytes(1_000, 4e12)).toBe(31 * 4e12 + 31 * loadOf(1_000).walBytesPerDay)
})

test('a backup takes twice as long with half the jobs', () => {
  const { databaseBytes } = needsOf(SIZES.production)
  expect(backupHours(databaseBytes, 2)).toBe(2 * backupHours(databaseBytes, 4))
})

test.for([
  [0.00043, '0.00043'],
  [5_555.6, '5 560'],
  [55.56, '55.6'],
] as const)('%d is shown as %s', ([value, shown]) => expect(amount(value)).toBe(shown))

test('bytes and counts are shown with three digits and thin groups', () => {
  expect([bytes(468e6), bytes(18.72e12), bytes(999), count(1_800_000)]).toEqual([
    '468 MB',
    '18.7 TB',
    '999 bytes',
    '1 800 000',
  ])
})
