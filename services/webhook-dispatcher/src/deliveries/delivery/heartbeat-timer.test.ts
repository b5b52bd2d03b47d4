import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HeartbeatTimer } from './heartbeat-timer.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('each function is called once per interval until it is stopped; after the last, no timer is left', () => {
  const heartbeats = new HeartbeatTimer(10)
  const called: string[] = []
  const endA = heartbeats.every(() => called.push('a'))
  const endB = heartbeats.every(() => called.push('b'))
  vi.advanceTimersByTime(10)
  endA()
  vi.advanceTimersByTime(10)
  expect(called).toEqual(['a', 'b', 'b'])
  endB()
  expect(vi.getTimerCount()).toBe(0)
})

test('a function that is added after all others have stopped is called', () => {
  const heartbeats = new HeartbeatTimer(10)
  heartbeats.every(() => {})()
  const called: string[] = []
  heartbeats.every(() => called.push('late'))
  vi.advanceTimersByTime(10)
  expect(called).toEqual(['late'])
})
