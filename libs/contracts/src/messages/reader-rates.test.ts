import { expect, test } from 'vitest'
import { allowanceOf } from './reader-rates.ts'

const KIB = 1_024

test('the keys that an organization creates add up to five, rates of operators without a limit', () => {
  const messages = (...rates: (number | null)[]) => allowanceOf(rates).messagesPerSecond
  const keys = (count: number) => Array.from({ length: count }, () => null)
  expect([messages(), messages(...keys(1)), messages(...keys(5)), messages(...keys(250))]).toEqual([
    200, 200, 1_000, 1_000,
  ])
  expect([messages(30), messages(30, 20, ...keys(9)), messages(4_000, 4_000)]).toEqual([30, 1_050, 8_000])
})

test('more keys do not mean more bytes or reads, but a rate set by an operator does', () => {
  const bytes = (...rates: (number | null)[]) => allowanceOf(rates).bytesPerSecond / (32 * KIB)
  expect([bytes(), bytes(null, null, null), bytes(50, 20)]).toEqual([200, 200, 200])
  expect([bytes(300, null), bytes(150, 150)]).toEqual([300, 300])
  const reads = (...rates: (number | null)[]) => allowanceOf(rates).readsPerSecond
  expect([reads(), reads(null, null, null), reads(50, 20)]).toEqual([5_000, 5_000, 5_000])
  expect(reads(300, null)).toBe(7_500)
})
