import { RateBuckets } from '@whereabouts/service-kit/limits/rate-buckets'
import { expect, test } from 'vitest'
import { ReplicaShare } from './replica-share.ts'

const T0 = 1_700_000_000_000

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
