import { expect, test, vi } from 'vitest'
import { DecodingTime } from './decoding-time.ts'

test('decoding may take 50 ms a second of each organization, over and over', () => {
  vi.useFakeTimers()
  const time = new DecodingTime()
  const work = (orgId: number, ms: number) => {
    const clock = vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValueOnce(ms)
    time.measure(orgId, () => undefined)
    clock.mockRestore()
  }
  for (let second = 0; second < 3; second += 1) {
    work(1, 40)
    expect(time.isSpent(1)).toBe(false)
    work(1, 40)
    expect([time.isSpent(1), time.isSpent(2)]).toEqual([true, false])
    vi.advanceTimersByTime(2_000)
  }
  vi.useRealTimers()
})
