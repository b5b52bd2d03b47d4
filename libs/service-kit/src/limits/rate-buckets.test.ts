import { expect, test } from 'vitest'
import { RateBuckets } from './rate-buckets.ts'

const T0 = 1_700_000_000_000

/** Number of admitted messages of `count`, received `perSecond` a second from `fromMs` on. */
function admitted(
  buckets: RateBuckets,
  {
    count,
    perSecond,
    fromMs = T0,
    rate = 200,
  }: { count: number; perSecond: number; fromMs?: number; rate?: number },
): number {
  let came = 0
  for (let i = 0; i < count; i += 1)
    if (buckets.take(7, fromMs + Math.floor((i * 1_000) / perSecond), rate)) came += 1
  return came
}

test('a burst of 2 000 is admitted, then 200 a second', () => {
  const buckets = new RateBuckets(10)
  expect(admitted(buckets, { count: 3_000, perSecond: 1e9 })).toBe(2_000)
  // Ten seconds at 400 a second: half of them.
  const half = admitted(buckets, { count: 4_000, perSecond: 400, fromMs: T0 + 1 })
  expect(half).toBeGreaterThanOrEqual(1_995)
  expect(half).toBeLessThanOrEqual(2_000)
})

test('a sender that keeps to the rate never loses a message', () => {
  expect(admitted(new RateBuckets(10), { count: 60_000, perSecond: 200 })).toBe(60_000)
})

test('a backlog counts by when it was received, not by when it is handled', () => {
  // An hour of 100 messages a second, handled in one go.
  expect(admitted(new RateBuckets(10), { count: 360_000, perSecond: 100 })).toBe(360_000)
})

test('a bucket is full again after ten seconds, and never fuller', () => {
  const buckets = new RateBuckets(10)
  admitted(buckets, { count: 2_000, perSecond: 1e9 })
  expect(admitted(buckets, { count: 3_000, perSecond: 1e9, fromMs: T0 + 10_001 })).toBe(2_000)
  expect(admitted(buckets, { count: 3_000, perSecond: 1e9, fromMs: T0 + 3_600_000 })).toBe(2_000)
})

test('organizations have their own buckets, a clock that steps back refills none, and full ones are evicted', () => {
  const buckets = new RateBuckets(10)
  admitted(buckets, { count: 2_000, perSecond: 1e9 })
  expect(buckets.take(8, T0, 200)).toBe(true)
  expect(buckets.take(7, T0 - 60_000, 200)).toBe(false)
  for (let orgId = 100; orgId < 10_100; orgId += 1) buckets.take(orgId, T0, 200)
  buckets.take(1, T0 + 10_000, 200)
  expect(buckets.size).toBeLessThan(10)
})

test('what something has cost is charged afterwards, and the debt of a flood is paid within a burst', () => {
  const buckets = new RateBuckets(10)
  expect(buckets.isInDebt(7, T0, 100)).toBe(false)
  buckets.charge(7, T0, 100, 1_000)
  expect(buckets.isInDebt(7, T0, 100)).toBe(false)
  for (let n = 0; n < 3; n += 1) {
    const at = T0 + n * 60_000
    for (let i = 0; i < 100; i += 1) buckets.charge(7, at, 100, 1_000)
    expect(buckets.isInDebt(7, at + 9_999, 100)).toBe(true)
    expect(buckets.isInDebt(7, at + 10_001, 100)).toBe(false)
    expect(buckets.isInDebt(8, at, 100)).toBe(false)
  }
})
