import { fakeClock } from '@whereabouts/testing/clock'
import { expect, test } from 'vitest'
import { createThrottle, refuse } from './throttle.ts'

const options = { capacity: 3, refillMs: 2_000, maxClients: 2 }

test('after too many attempts a client waits, and learns how long', () => {
  const clock = fakeClock()
  const throttle = createThrottle({ now: clock.now, ...options })
  for (let i = 0; i < 3; i += 1) expect(throttle.take('a')).toBeUndefined()
  expect(throttle.take('a')).toBe(2)
  clock.advance(1_500)
  expect(throttle.take('a')).toBe(1)
  clock.advance(500)
  expect(throttle.take('a')).toBeUndefined()
  expect(throttle.take('a')).toBe(2)
})

test('one client does not use up the attempts of another', () => {
  const throttle = createThrottle({ now: fakeClock().now, ...options })
  for (let i = 0; i < 4; i += 1) throttle.take('a')
  expect(throttle.take('b')).toBeUndefined()
})

test('memory is bounded: the least recently seen client is evicted', () => {
  const throttle = createThrottle({ now: fakeClock().now, ...options })
  for (let i = 0; i < 3; i += 1) throttle.take('a')
  throttle.take('b')
  expect(throttle.take('a')).toBe(2)
  throttle.take('c')
  expect(throttle.take('a')).toBe(2) // b was older
  throttle.take('b')
  throttle.take('c')
  expect(throttle.take('a')).toBeUndefined()
})

test("a refusal becomes 429 when the client's attempts are used up, and then costs its address nothing", async () => {
  const throttle = createThrottle({ now: fakeClock().now, ...options })
  const failures: string[] = []
  const attempts = { failed: async (address: string) => void failures.push(address) }
  const told: string[] = []
  for (let i = 0; i < 4; i += 1)
    await refuse({ throttle, attempts }, '203.0.113.9', 'a', () => new Error('no')).catch((error: Error) =>
      told.push(error.message),
    )
  expect(told).toEqual(['no', 'no', 'no', 'Retry after 2 seconds'])
  expect(failures).toHaveLength(3)
})

test('two addresses of one /64 are one client', async () => {
  const throttle = createThrottle({ now: fakeClock().now, ...options, capacity: 1 })
  const attempts = { failed: async () => undefined }
  const failFrom = (address: string) => refuse({ throttle, attempts }, address, 'a', () => new Error('no'))
  await expect(failFrom('2001:db8::1')).rejects.toThrow('no')
  await expect(failFrom('2001:db8::2')).rejects.toThrow('Retry after 2 seconds')
  await expect(failFrom('2001:db8:0:1::1')).rejects.toThrow('no')
})
