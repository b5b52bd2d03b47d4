import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createWaitingRoom } from './waiting-room.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('an attempt proceeds after its delay', async () => {
  const room = createWaitingRoom()
  const through = room.wait('ada', '203.0.113.1', 4_000)
  await vi.advanceTimersByTimeAsync(3_999)
  expect(await Promise.race([through, Promise.resolve('waiting')])).toBe('waiting')
  await vi.advanceTimersByTimeAsync(1)
  expect(await through).toBe(true)
})

test('an address has one place for each account, so a flood from forty displaces nobody', async () => {
  const room = createWaitingRoom()
  const flood = () =>
    Array.from({ length: 120 }, (_, i) => room.wait('ada', `2001:db8:0:${i % 40}::${i}`, 10))
  for (let round = 0; round < 3; round += 1) {
    const first = flood()
    const owner = room.wait('ada', '203.0.113.1', 10)
    const again = [...flood(), room.wait('ada', '203.0.113.1', 10)]
    expect(await Promise.race([Promise.all(again), Promise.resolve()])).toBeUndefined()
    await vi.advanceTimersByTimeAsync(10)
    expect((await Promise.all(first)).filter(Boolean)).toHaveLength(40)
    expect((await Promise.all(again)).filter(Boolean)).toEqual([])
    expect(await owner).toBe(true)
  }
})

test('if an account is full, a new attempt displaces another one of that account', async () => {
  const room = createWaitingRoom({ perAccount: 2, random: () => 0.6 })
  const waits = [
    room.wait('ada', '203.0.113.1', 10),
    room.wait('ben', '203.0.113.1', 10),
    room.wait('ada', '203.0.113.2', 10),
    room.wait('ada', '203.0.113.3', 10),
  ]
  await vi.advanceTimersByTimeAsync(10)
  expect(await Promise.all(waits)).toEqual([true, true, false, true])
})

test('if the room is full, a new attempt displaces one of the account with most', async () => {
  const room = createWaitingRoom({ inAll: 3, random: () => 0 })
  const waits = [
    room.wait('ada', '203.0.113.1', 10),
    room.wait('ben', '203.0.113.2', 10),
    room.wait('ben', '203.0.113.3', 10),
    room.wait('eve', '203.0.113.4', 10),
  ]
  await vi.advanceTimersByTimeAsync(10)
  expect(await Promise.all(waits)).toEqual([true, false, true, true])
})

test('an attempt that proceeds frees its place', async () => {
  const room = createWaitingRoom({ perAccount: 1 })
  for (let round = 0; round < 3; round += 1) {
    const through = room.wait('ada', '203.0.113.1', 10)
    await vi.advanceTimersByTimeAsync(10)
    expect(await through).toBe(true)
  }
})
