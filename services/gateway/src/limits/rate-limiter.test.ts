import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { fakeClock } from '@whereabouts/testing/clock'
import { expect, test } from 'vitest'
import { gatewayMetrics } from '../metrics.ts'
import { rateLimiter } from './rate-limiter.ts'

test('all keys of an organization together may send 6 000 requests at once and 50 a second', () => {
  const clock = fakeClock()
  const { decisions } = gatewayMetrics(createRegistry('gateway'))
  const takeShared = () => Promise.reject(new Error('not asked'))
  const limiter = rateLimiter({
    takeShared,
    log: createLogger('gateway', 'silent'),
    decisions,
    now: clock.now,
  })
  const burst = () => {
    for (let taken = 0; ; taken += 1) if (limiter.takeOfKeys(7) > 0) return taken
  }
  expect(burst()).toBe(6_000)
  expect(limiter.takeOfKeys(7)).toBe(1)
  expect(limiter.takeOfKeys(8)).toBe(0)
  for (let second = 0; second < 3; second += 1) {
    clock.advance(1_000)
    expect(burst()).toBe(50)
  }
})
