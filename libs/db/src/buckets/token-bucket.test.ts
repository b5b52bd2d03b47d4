import { expect, test } from 'vitest'
import { BucketRefusals } from './bucket-refusals.ts'
import { LocalBuckets } from './local-buckets.ts'

const NOW = Date.parse('2026-11-21T10:00:00.000Z')
const rateOf = (perMinute: number) => ({ capacity: 2 * perMinute, secondsPerToken: 60 / perMinute })
const rate = rateOf(60)

test('a local bucket grants the burst, then one request per new token', () => {
  const buckets = new LocalBuckets()
  const slow = rateOf(6)
  const grants = (at: number) => {
    let count = 0
    while (buckets.take('key:a', slow, at).taken) count += 1
    return count
  }
  expect(grants(NOW)).toBe(12)
  expect(grants(NOW + 9_999)).toBe(0)
  expect(grants(NOW + 10_000)).toBe(1)
  expect(grants(NOW + 3_600_000)).toBe(12)
  expect(buckets.take('key:b', slow, NOW).taken).toBe(true)
})

test('a refusal is cached until there is a token again, and only for the same limit', () => {
  const refusals = new BucketRefusals()
  refusals.remember('key:a', rate, 119.5, NOW)
  expect(refusals.find('key:a', rate, NOW + 400)).toEqual({ taken: false, secondsUntilFull: 119.1 })
  expect(refusals.find('key:b', rate, NOW)).toBeUndefined()
  expect(refusals.find('key:a', rate, NOW + 500)).toBeUndefined()
  refusals.remember('key:a', rate, 119.5, NOW)
  expect(refusals.find('key:a', rateOf(120), NOW)).toBeUndefined()
})

test('a returned token can be taken again', () => {
  const buckets = new LocalBuckets()
  for (let i = 0; i < 120; i += 1) buckets.take('key:a', rate, NOW)
  expect(buckets.take('key:a', rate, NOW).taken).toBe(false)
  buckets.giveBack('key:a', rate)
  expect(buckets.take('key:a', rate, NOW).taken).toBe(true)
  expect(buckets.take('key:a', rate, NOW).taken).toBe(false)
})
