import { fakeClock } from '@whereabouts/testing/clock'
import { expect, test } from 'vitest'
import { createThrottle, refusalOrThrottle } from './throttle.ts'

const options = { capacity: 3, refillMs: 2_000, maxClients: 2 }

test('after so many attempts a client waits, and is told how long', () => {
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

test('an attempt that is given back counts as none, and never adds to the capacity', () => {
  const throttle = createThrottle({ now: fakeClock().now, ...options })
  for (let i = 0; i < 10; i += 1) {
    expect(throttle.take('a')).toBeUndefined()
    throttle.giveBack('a')
  }
  throttle.giveBack('a')
  for (let i = 0; i < 3; i += 1) expect(throttle.take('a')).toBeUndefined()
  expect(throttle.take('a')).toBe(2)
})

test('memory is bounded: the client seen longest ago is forgotten', () => {
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

test('a refusal stays itself until the attempts are used up', () => {
  const throttle = createThrottle({ now: fakeClock().now, ...options })
  const refused = () => refusalOrThrottle(throttle, 'a', () => new Error('no')).message
  expect([refused(), refused(), refused(), refused()]).toEqual(['no', 'no', 'no', 'Retry after 2 seconds'])
})
