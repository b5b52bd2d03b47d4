import { expect, test } from 'vitest'
import { RateBuckets } from './rate-buckets.ts'
import { ReplicaShare } from './replica-share.ts'

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

test('replicas that share a durable share the rate', () => {
  const replicas = [0, 1].map(() => ({ share: new ReplicaShare(), buckets: new RateBuckets(10) }))
  let came = 0
  // 800 messages a second for 60 s: with the first 12 000, each replica learns the share of the other.
  for (let i = 0; i < 48_000; i += 1) {
    const { share, buckets } = replicas[Math.floor(i / 250) % 2]! // pulls come in lumps
    share.note(i + 1)
    const rate = 200 * share.value
    const at = T0 + Math.floor((i * 1_000) / 800)
    if (buckets.take(7, at, rate) && i >= 12_000) came += 1
  }
  expect(replicas.map(({ share }) => Math.round(share.value * 10) / 10)).toEqual([0.5, 0.5])
  expect(came).toBeGreaterThan(8_000)
  expect(came).toBeLessThan(10_500) // 200 a second for 45 s is 9 000
})

test('a single replica has the whole rate, also after the durable was re-created', () => {
  const share = new ReplicaShare()
  for (let seq = 1; seq <= 9_000; seq += 1) share.note(seq)
  expect(share.value).toBe(1)
  for (let seq = 1; seq <= 9_000; seq += 1) share.note(seq)
  expect(share.value).toBe(1)
})
