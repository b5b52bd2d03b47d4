import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Heart } from './heart.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('everyone is called once an interval until it ends, and then no timer is left', () => {
  const heart = new Heart(10)
  const called: string[] = []
  const endA = heart.beatFor(() => called.push('a'))
  const endB = heart.beatFor(() => called.push('b'))
  vi.advanceTimersByTime(10)
  endA()
  vi.advanceTimersByTime(10)
  expect(called).toEqual(['a', 'b', 'b'])
  endB()
  expect(vi.getTimerCount()).toBe(0)
})

test('who comes after all have ended is called too', () => {
  const heart = new Heart(10)
  heart.beatFor(() => {})()
  const called: string[] = []
  heart.beatFor(() => called.push('late'))
  vi.advanceTimersByTime(10)
  expect(called).toEqual(['late'])
})
