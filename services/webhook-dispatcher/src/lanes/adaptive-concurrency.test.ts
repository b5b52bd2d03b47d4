import { expect, test } from 'vitest'
import { AdaptiveConcurrency, CONCURRENCY_LIMITS, SLOW_MS } from './adaptive-concurrency.ts'

const ORG = 7

/** So many successes in a row. */
function succeed(concurrency: AdaptiveConcurrency, times: number, latencyMs = 10) {
  for (let i = 0; i < times; i += 1) concurrency.report(ORG, true, latencyMs)
}

test('a round of successes allows one delivery more, up to a bound; a failure leaves one', () => {
  const concurrency = new AdaptiveConcurrency()
  expect(concurrency.allowed(ORG)).toBe(CONCURRENCY_LIMITS.unknown)
  succeed(concurrency, 3)
  expect(concurrency.allowed(ORG)).toBe(4)
  succeed(concurrency, 2)
  expect(concurrency.allowed(ORG)).toBe(5)
  succeed(concurrency, 200)
  expect(concurrency.allowed(ORG)).toBe(CONCURRENCY_LIMITS.well)
  concurrency.report(ORG, false, 10)
  expect(concurrency.allowed(ORG)).toBe(1)
  succeed(concurrency, 1)
  expect(concurrency.allowed(ORG)).toBe(2)
  succeed(concurrency, 1)
  expect(concurrency.allowed(ORG)).toBe(2)
})

test('slow is whose last attempt took a second, delivered or not; it is allowed less', () => {
  const concurrency = new AdaptiveConcurrency()
  succeed(concurrency, 200, SLOW_MS)
  expect(concurrency.isSlow(ORG)).toBe(true)
  expect(concurrency.allowed(ORG)).toBe(CONCURRENCY_LIMITS.slow)
  concurrency.report(ORG, false, 5)
  expect(concurrency.isSlow(ORG)).toBe(false)
  expect(concurrency.isInTrouble(ORG)).toBe(true)
  concurrency.report(ORG, true, SLOW_MS - 1)
  expect(concurrency.isInTrouble(ORG)).toBe(false)
})

test('an attempt that is still under way may show it already', () => {
  const concurrency = new AdaptiveConcurrency()
  succeed(concurrency, 200)
  concurrency.markSlow(ORG)
  expect(concurrency.isSlow(ORG)).toBe(true)
  expect(concurrency.allowed(ORG)).toBe(CONCURRENCY_LIMITS.slow)
})

test('what is remembered is of one organization, for ten minutes, and of so many', () => {
  let now = 0
  const concurrency = new AdaptiveConcurrency(() => now)
  concurrency.report(ORG, false, 5_000)
  expect(concurrency.isSlow(ORG + 1)).toBe(false)
  now = 10 * 60_000 - 1
  expect(concurrency.isSlow(ORG)).toBe(true)
  now += 1
  expect(concurrency.isSlow(ORG)).toBe(false)
  concurrency.report(ORG, false, 5_000)
  for (let other = 1; other <= 10_000; other += 1) concurrency.report(1_000 + other, true, 10)
  expect(concurrency.isSlow(ORG)).toBe(false)
})
