import { expect, test } from 'vitest'
import { decide, rateOf } from './bucket.ts'
import { LocalBuckets } from './local-buckets.ts'
import { Refusals } from './refusals.ts'

const NOW = Date.parse('2026-11-21T10:00:00.000Z')
const rate = rateOf(60)

test.for([
  { name: 'first request', taken: true, secondsUntilFull: 1, remaining: 60, resetIn: 0 },
  { name: 'burst half used', taken: true, secondsUntilFull: 60, remaining: 60, resetIn: 0 },
  { name: 'one below the limit', taken: true, secondsUntilFull: 61, remaining: 59, resetIn: 1 },
  { name: 'last token', taken: true, secondsUntilFull: 120, remaining: 0, resetIn: 60 },
  { name: 'half a token is none', taken: true, secondsUntilFull: 60.5, remaining: 59, resetIn: 1 },
])(
  'D9.9 $name: Remaining $remaining, Limit again in $resetIn s',
  ({ taken, secondsUntilFull, remaining, resetIn }) => {
    const decision = decide(rate, { taken, secondsUntilFull }, NOW)
    expect(decision).toMatchObject({ taken, limit: 60, remaining, resetAt: NOW / 1000 + resetIn })
  },
)

test.for([
  { secondsUntilFull: 119.2, wait: 1 },
  { secondsUntilFull: 120, wait: 1 },
])(
  'an empty bucket that is full in $secondsUntilFull s asks for $wait s of patience',
  ({ secondsUntilFull, wait }) => {
    expect(decide(rate, { taken: false, secondsUntilFull }, NOW).retryAfterSeconds).toBe(wait)
  },
)

test('the local bucket grants the burst, then one request per token that has come back', () => {
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

test('a refusal is remembered until a token is back, and not for another limit', () => {
  const refusals = new Refusals()
  refusals.remember('key:a', rate, 119.5, NOW)
  expect(refusals.find('key:a', rate, NOW + 400)).toEqual({ taken: false, secondsUntilFull: 119.1 })
  expect(refusals.find('key:b', rate, NOW)).toBeUndefined()
  expect(refusals.find('key:a', rate, NOW + 500)).toBeUndefined()
  refusals.remember('key:a', rate, 119.5, NOW)
  expect(refusals.find('key:a', rateOf(120), NOW)).toBeUndefined()
})
