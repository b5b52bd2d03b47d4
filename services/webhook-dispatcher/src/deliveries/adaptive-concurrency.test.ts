import { expect, test } from 'vitest'
import { AdaptiveConcurrency, CONCURRENCY_LIMITS, SLOW_MS } from './adaptive-concurrency.ts'

const ORG = 7

/** Reports successes in a row. */
function succeed(concurrency: AdaptiveConcurrency, times: number, latencyMs = 10) {
  for (let i = 0; i < times; i += 1) concurrency.report(ORG, true, latencyMs)
}

test('a round of successes allows one more delivery, up to a limit; a failure leaves one', () => {
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

test('a receiver is slow if its last attempt took a second, delivered or not, and gets fewer deliveries', () => {
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

test('an attempt that still runs can make its receiver slow', () => {
  const concurrency = new AdaptiveConcurrency()
  succeed(concurrency, 200)
  concurrency.markSlow(ORG)
  expect(concurrency.isSlow(ORG)).toBe(true)
  expect(concurrency.allowed(ORG)).toBe(CONCURRENCY_LIMITS.slow)
})

test('a result counts for its own organization, for ten minutes', () => {
  let now = 0
  const concurrency = new AdaptiveConcurrency(() => now)
  concurrency.report(ORG, false, 5_000)
  expect(concurrency.isSlow(ORG + 1)).toBe(false)
  now = 10 * 60_000 - 1
  expect(concurrency.isSlow(ORG)).toBe(true)
  now += 1
  expect(concurrency.isSlow(ORG)).toBe(false)
})

test('above 10 000 organizations, the one with the oldest result is evicted, even if it was read since', () => {
  const concurrency = new AdaptiveConcurrency()
  concurrency.report(ORG, false, 5_000)
  concurrency.report(ORG + 1, false, 5_000)
  for (let other = 2; other < 10_000; other += 1) concurrency.report(ORG + other, true, 10)
  expect(concurrency.isSlow(ORG)).toBe(true)
  concurrency.report(ORG + 10_000, true, 10)
  expect(concurrency.isSlow(ORG)).toBe(false)
  expect(concurrency.isSlow(ORG + 1)).toBe(true)
})
