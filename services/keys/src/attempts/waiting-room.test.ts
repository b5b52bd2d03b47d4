import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWaitingRoom } from './waiting-room.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('an attempt proceeds after its delay', async () => {
  const room = createWaitingRoom()
  const through = room.wait('ada', 4_000)
  await vi.advanceTimersByTimeAsync(3_999)
  expect(await Promise.race([through, Promise.resolve('waiting')])).toBe('waiting')
  await vi.advanceTimersByTimeAsync(1)
  expect(await through).toBe(true)
})

test('if an account is full, a new attempt displaces another one of that account', async () => {
  const room = createWaitingRoom({ perAccount: 2, random: () => 0.6 })
  const waits = [room.wait('ada', 10), room.wait('ben', 10), room.wait('ada', 10), room.wait('ada', 10)]
  await vi.advanceTimersByTimeAsync(10)
  expect(await Promise.all(waits)).toEqual([true, true, false, true])
})

test('if the room is full, a new attempt displaces any other', async () => {
  const room = createWaitingRoom({ inAll: 2, random: () => 0 })
  const waits = [room.wait('ada', 10), room.wait('ben', 10), room.wait('eve', 10)]
  await vi.advanceTimersByTimeAsync(10)
  expect(await Promise.all(waits)).toEqual([false, true, true])
})

test('an attempt that proceeds frees its place', async () => {
  const room = createWaitingRoom({ perAccount: 1 })
  const first = room.wait('ada', 10)
  await vi.advanceTimersByTimeAsync(10)
  const second = room.wait('ada', 10)
  await vi.advanceTimersByTimeAsync(10)
  expect(await Promise.all([first, second])).toEqual([true, true])
})
