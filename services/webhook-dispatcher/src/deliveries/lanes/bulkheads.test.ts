import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Requeued } from './requeued.ts'
import { AdaptiveConcurrency, SLOW_MS } from './adaptive-concurrency.ts'
import { Bulkheads } from './bulkheads.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const never = new AbortController().signal

/** Bulkheads whose requests take a given time, in fake time. `began` and `ended` list the requests. */
function bulkheadsOf(well: number, slow = 1) {
  const bulkheads = new Bulkheads({ well, slow }, new AdaptiveConcurrency())
  const [began, ended]: [string[], string[]] = [[], []]
  const request = (orgId: number, name: string, takesMs: number) =>
    bulkheads.use(orgId, never, async (onStart) => {
      began.push(name)
      onStart()
      await new Promise((resolve) => setTimeout(resolve, takesMs))
      ended.push(name)
      bulkheads.report(orgId, true, takesMs)
    })
  return { bulkheads, began, ended, request }
}

test('at most the limit run at once; the others begin in their order', async () => {
  const { began, request } = bulkheadsOf(2)
  for (const [orgId, name] of ['a', 'b', 'c', 'd'].entries()) void request(orgId, name, 100)
  await vi.advanceTimersByTimeAsync(0)
  expect(began).toEqual(['a', 'b'])
  await vi.advanceTimersByTimeAsync(100)
  expect(began).toEqual(['a', 'b', 'c', 'd'])
})

test('D11.6 the waiting organizations get slots in turn', async () => {
  const { began, request } = bulkheadsOf(1)
  for (const name of ['flood 1', 'flood 2', 'flood 3']) void request(1, name, 100)
  void request(2, 'quiet', 100)
  await vi.advanceTimersByTimeAsync(400)
  expect(began).toEqual(['flood 1', 'flood 2', 'quiet', 'flood 3'])
})

test('D11.6 a request that becomes slow frees its slot for the others while it runs', async () => {
  const { began, ended, request, bulkheads } = bulkheadsOf(1)
  void request(1, 'hangs', 5_000)
  void request(2, 'waits', 100)
  await vi.advanceTimersByTimeAsync(SLOW_MS - 1)
  expect(began).toEqual(['hangs'])
  await vi.advanceTimersByTimeAsync(101)
  expect(ended).toEqual(['waits'])
  expect(bulkheads.sizes().running).toEqual({ well: 0, slow: 1 })
  await vi.advanceTimersByTimeAsync(5_000)
  expect(bulkheads.sizes().running).toEqual({ well: 0, slow: 0 })
})

test('the requests of a slow organization, also the waiting ones, use the slow share until one is fast', async () => {
  const { began, request, bulkheads } = bulkheadsOf(1)
  void request(1, 'slow', 3_000)
  void request(1, 'slow too', 100)
  void request(2, 'well', 500)
  await vi.advanceTimersByTimeAsync(SLOW_MS)
  expect(began).toEqual(['slow', 'well'])
  expect(bulkheads.sizes().waiting).toEqual({ well: 0, slow: 1 })
  await vi.advanceTimersByTimeAsync(2_100)
  expect(began).toEqual(['slow', 'well', 'slow too'])
  void request(1, 'well again', 100)
  await vi.advanceTimersByTimeAsync(0)
  expect(bulkheads.sizes().running).toEqual({ well: 1, slow: 0 })
})

test('time in the database makes no receiver slow: only the time of the request counts', async () => {
  const { bulkheads } = bulkheadsOf(1)
  const used = bulkheads.use(1, never, async (onStart) => {
    await new Promise((resolve) => setTimeout(resolve, 10 * SLOW_MS))
    onStart()
  })
  await vi.advanceTimersByTimeAsync(10 * SLOW_MS)
  await used
  expect(bulkheads.sizes().running).toEqual({ well: 0, slow: 0 })
})

test('while the slow share is overdrawn, no request begins there', async () => {
  const { began, request } = bulkheadsOf(2, 1)
  void request(1, 'hangs 1', 3_000)
  void request(2, 'hangs 2', 5_000)
  await vi.advanceTimersByTimeAsync(SLOW_MS)
  void request(1, 'next', 100)
  await vi.advanceTimersByTimeAsync(2_100)
  expect(began).not.toContain('next')
  await vi.advanceTimersByTimeAsync(2_000)
  expect(began).toContain('next')
})

test('a slot is free again after its work failed', async () => {
  const { bulkheads } = bulkheadsOf(1)
  await expect(bulkheads.use(1, never, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(bulkheads.use(1, never, () => Promise.resolve(1))).resolves.toBe(1)
})

test('stopping requeues waiting requests in both shares and lets running ones end', async () => {
  const { bulkheads } = bulkheadsOf(1)
  const stopping = new AbortController()
  const { promise, resolve } = Promise.withResolvers<void>()
  const running = bulkheads.use(1, stopping.signal, () => promise)
  const waiting = bulkheads.use(2, stopping.signal, () => Promise.resolve())
  bulkheads.report(3, true, SLOW_MS)
  const slowRunning = bulkheads.use(3, stopping.signal, () => promise)
  const slowWaiting = bulkheads.use(3, stopping.signal, () => Promise.resolve())
  stopping.abort()
  await expect(waiting).rejects.toThrow(Requeued)
  await expect(slowWaiting).rejects.toThrow(Requeued)
  await expect(bulkheads.use(1, stopping.signal, () => Promise.resolve())).rejects.toThrow(Requeued)
  resolve()
  await expect(Promise.all([running, slowRunning])).resolves.toEqual([undefined, undefined])
  expect(bulkheads.sizes()).toEqual({ running: { well: 0, slow: 0 }, waiting: { well: 0, slow: 0 } })
})
