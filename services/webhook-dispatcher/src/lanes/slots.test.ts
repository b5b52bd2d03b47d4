import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HandedBack } from './handed-back.ts'
import { Paces, SLOW_MS } from './paces.ts'
import { Slots } from './slots.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const never = new AbortController().signal

/** Slots whose requests take as long as they are told, in fake time; `began` and `ended` list them. */
function slotsOf(well: number, slow = 1) {
  const slots = new Slots({ well, slow }, new Paces())
  const [began, ended]: [string[], string[]] = [[], []]
  const ask = (orgId: number, name: string, takesMs: number) =>
    slots.use(orgId, never, async (beginning) => {
      began.push(name)
      beginning()
      await new Promise((resolve) => setTimeout(resolve, takesMs))
      ended.push(name)
      slots.report(orgId, true, takesMs)
    })
  return { slots, began, ended, ask }
}

test('no more than the limit run at once, and those who wait go in order of asking', async () => {
  const { began, ask } = slotsOf(2)
  for (const [orgId, name] of ['a', 'b', 'c', 'd'].entries()) void ask(orgId, name, 100)
  await vi.advanceTimersByTimeAsync(0)
  expect(began).toEqual(['a', 'b'])
  await vi.advanceTimersByTimeAsync(100)
  expect(began).toEqual(['a', 'b', 'c', 'd'])
})

test('D11.6 each organization has its turn before any has its second', async () => {
  const { began, ask } = slotsOf(1)
  for (const name of ['flood 1', 'flood 2', 'flood 3']) void ask(1, name, 100)
  void ask(2, 'quiet', 100)
  await vi.advanceTimersByTimeAsync(400)
  expect(began).toEqual(['flood 1', 'flood 2', 'quiet', 'flood 3'])
})

test('D11.6 a request that becomes slow frees its slot for the others while it runs', async () => {
  const { began, ended, ask, slots } = slotsOf(1)
  void ask(1, 'hangs', 5_000)
  void ask(2, 'waits', 100)
  await vi.advanceTimersByTimeAsync(SLOW_MS - 1)
  expect(began).toEqual(['hangs'])
  await vi.advanceTimersByTimeAsync(101)
  expect(ended).toEqual(['waits'])
  expect(slots.sizes().running).toEqual({ well: 0, slow: 1 })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(slots.sizes().running).toEqual({ well: 0, slow: 0 })
})

test('who was slow waits with the slow ones, what of it waited already too, until it is well again', async () => {
  const { began, ask, slots } = slotsOf(1)
  void ask(1, 'slow', 3_000)
  void ask(1, 'slow too', 100)
  void ask(2, 'well', 500)
  await vi.advanceTimersByTimeAsync(SLOW_MS)
  expect(began).toEqual(['slow', 'well'])
  expect(slots.sizes().waiting).toEqual({ well: 0, slow: 1 })
  await vi.advanceTimersByTimeAsync(2_100)
  expect(began).toEqual(['slow', 'well', 'slow too'])
  void ask(1, 'well again', 100)
  await vi.advanceTimersByTimeAsync(0)
  expect(slots.sizes().running).toEqual({ well: 1, slow: 0 })
})

test('time in the database is nobody’s slowness: it counts from the beginning of the request', async () => {
  const { slots } = slotsOf(1)
  const used = slots.use(1, never, async (beginning) => {
    await new Promise((resolve) => setTimeout(resolve, 10 * SLOW_MS))
    beginning()
  })
  await vi.advanceTimersByTimeAsync(10 * SLOW_MS)
  await used
  expect(slots.sizes().running).toEqual({ well: 0, slow: 0 })
})

test('overdrawn, the share of the slow ones lets nobody in until it is not', async () => {
  const { began, ask } = slotsOf(2, 1)
  void ask(1, 'hangs 1', 3_000)
  void ask(2, 'hangs 2', 5_000)
  await vi.advanceTimersByTimeAsync(SLOW_MS)
  void ask(1, 'next', 100)
  await vi.advanceTimersByTimeAsync(2_100)
  expect(began).not.toContain('next')
  await vi.advanceTimersByTimeAsync(2_000)
  expect(began).toContain('next')
})

test('a slot whose work failed is free again', async () => {
  const { slots } = slotsOf(1)
  await expect(slots.use(1, never, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(slots.use(1, never, () => Promise.resolve(1))).resolves.toBe(1)
})

test('stopping hands back who waits, in both shares, and lets who runs end', async () => {
  const { slots } = slotsOf(1)
  const stopping = new AbortController()
  const { promise, resolve } = Promise.withResolvers<void>()
  const running = slots.use(1, stopping.signal, () => promise)
  const waiting = slots.use(2, stopping.signal, () => Promise.resolve())
  slots.report(3, true, SLOW_MS)
  const slowRunning = slots.use(3, stopping.signal, () => promise)
  const slowWaiting = slots.use(3, stopping.signal, () => Promise.resolve())
  stopping.abort()
  await expect(waiting).rejects.toThrow(HandedBack)
  await expect(slowWaiting).rejects.toThrow(HandedBack)
  await expect(slots.use(1, stopping.signal, () => Promise.resolve())).rejects.toThrow(HandedBack)
  resolve()
  await expect(Promise.all([running, slowRunning])).resolves.toEqual([undefined, undefined])
  expect(slots.sizes()).toEqual({ running: { well: 0, slow: 0 }, waiting: { well: 0, slow: 0 } })
})
