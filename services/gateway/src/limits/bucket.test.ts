import { expect, test } from 'vitest'
import { decide, rateOf } from './bucket.ts'

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
