import { expect, test } from 'vitest'
import { Paces, SHARES, SLOW_MS } from './paces.ts'

const ORG = 7

/** So many successes in a row. */
function succeed(paces: Paces, times: number, latencyMs = 10) {
  for (let i = 0; i < times; i += 1) paces.report(ORG, true, latencyMs)
}

test('a round of successes allows one delivery more, up to a bound; a failure leaves one', () => {
  const paces = new Paces()
  expect(paces.allowed(ORG)).toBe(SHARES.unknown)
  succeed(paces, 3)
  expect(paces.allowed(ORG)).toBe(4)
  succeed(paces, 2)
  expect(paces.allowed(ORG)).toBe(5)
  succeed(paces, 200)
  expect(paces.allowed(ORG)).toBe(SHARES.well)
  paces.report(ORG, false, 10)
  expect(paces.allowed(ORG)).toBe(1)
  succeed(paces, 1)
  expect(paces.allowed(ORG)).toBe(2)
  succeed(paces, 1)
  expect(paces.allowed(ORG)).toBe(2)
})

test('slow is whose last attempt took a second, delivered or not; it is allowed less', () => {
  const paces = new Paces()
  succeed(paces, 200, SLOW_MS)
  expect(paces.isSlow(ORG)).toBe(true)
  expect(paces.allowed(ORG)).toBe(SHARES.slow)
  paces.report(ORG, false, 5)
  expect(paces.isSlow(ORG)).toBe(false)
  expect(paces.isInTrouble(ORG)).toBe(true)
  paces.report(ORG, true, SLOW_MS - 1)
  expect(paces.isInTrouble(ORG)).toBe(false)
})

test('an attempt that is still under way may show it already', () => {
  const paces = new Paces()
  succeed(paces, 200)
  paces.markSlow(ORG)
  expect(paces.isSlow(ORG)).toBe(true)
  expect(paces.allowed(ORG)).toBe(SHARES.slow)
})

test('what is remembered is of one organization, for ten minutes, and of so many', () => {
  let now = 0
  const paces = new Paces(() => now)
  paces.report(ORG, false, 5_000)
  expect(paces.isSlow(ORG + 1)).toBe(false)
  now = 10 * 60_000 - 1
  expect(paces.isSlow(ORG)).toBe(true)
  now += 1
  expect(paces.isSlow(ORG)).toBe(false)
  paces.report(ORG, false, 5_000)
  for (let other = 1; other <= 10_000; other += 1) paces.report(1_000 + other, true, 10)
  expect(paces.isSlow(ORG)).toBe(false)
})
