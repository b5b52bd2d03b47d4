import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LANE_LIMITS, Lanes } from './lanes.ts'
import { AdaptiveConcurrency, SLOW_MS } from './adaptive-concurrency.ts'
import { Bulkheads } from './bulkheads.ts'

/**
 * The model of ADR 22, in fake time, with a quarter of the slots of production. Lanes and bulkheads are the real
 * ones. A receiver is the number of milliseconds that it needs.
 */

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const SLOTS = { well: 64, slow: 64 }
const TIMEOUT_MS = 5_000
const never = new AbortController().signal
const waitMs = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** A dispatcher whose `send` resolves with how long the delivery waited for its first attempt. */
function dispatcher() {
  const concurrency = new AdaptiveConcurrency()
  const lanes = new Lanes(LANE_LIMITS, concurrency)
  const bulkheads = new Bulkheads(SLOTS, concurrency)
  const attempt = (orgId: number, answersAfterMs: number, onBegin: () => void) =>
    bulkheads.use(orgId, never, async (onStart) => {
      onBegin()
      onStart()
      const latencyMs = Math.min(answersAfterMs, TIMEOUT_MS)
      await waitMs(latencyMs)
      bulkheads.report(orgId, answersAfterMs < TIMEOUT_MS, latencyMs)
      return answersAfterMs < TIMEOUT_MS
    })
  async function untilOver(orgId: number, answersAfterMs: number, onBegin: () => void, progress: () => void) {
    for (const pauseMs of [0, 1_000, 5_000]) {
      await waitMs(pauseMs)
      const delivered = await attempt(orgId, answersAfterMs, onBegin)
      progress()
      if (delivered) return
    }
  }
  const send = (orgId: number, answersAfterMs: number): Promise<number> => {
    const sentAt = Date.now()
    return new Promise((resolve) => {
      const onBegin = () => resolve(Date.now() - sentAt)
      void lanes.run(orgId, 3_000, (progress) => untilOver(orgId, answersAfterMs, onBegin, progress))
    })
  }
  return { lanes, bulkheads, concurrency, send }
}

const HANGING = Array.from({ length: 400 }, (_, i) => 1_000 + i)
const FOREVER = Infinity

/** Sends a delivery to a receiver of 50 ms every 100 ms, each of another organization. Returns how long each waited. */
async function sendToHealthy(send: (orgId: number, ms: number) => Promise<number>, count: number) {
  const waits: Promise<number>[] = []
  for (let i = 0; i < count; i += 1) {
    waits.push(send(10_000 + i, 50))
    await vi.advanceTimersByTimeAsync(100)
  }
  await vi.advanceTimersByTimeAsync(10_000)
  return Promise.all(waits)
}

describe('D11.6 four hundred organizations whose receivers hang', () => {
  test('do not delay others at all, once the dispatcher knows it', async () => {
    const { send, bulkheads } = dispatcher()
    for (const orgId of HANGING) for (let i = 0; i < 20; i += 1) void send(orgId, FOREVER)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(bulkheads.sizes().waiting.slow).toBeGreaterThan(0)
    expect(Math.max(...(await sendToHealthy(send, 80)))).toBe(0)
  })

  test('and were healthy until now delay others by at most one second per round of slots', async () => {
    const { send, concurrency } = dispatcher()
    for (const orgId of HANGING) for (let i = 0; i < 200; i += 1) concurrency.report(orgId, true, 50)
    for (const orgId of HANGING) for (let i = 0; i < 20; i += 1) void send(orgId, FOREVER)
    const waits = await sendToHealthy(send, 80)
    const rounds = 1 + Math.ceil(HANGING.length / SLOTS.well)
    expect(Math.max(...waits)).toBeLessThanOrEqual(rounds * SLOW_MS)
    expect(waits.slice(10 * rounds).every((ms) => ms === 0)).toBe(true)
  })

  test('hold a limited number of requests at any time', async () => {
    const { send, bulkheads } = dispatcher()
    for (const orgId of HANGING) for (let i = 0; i < 20; i += 1) void send(orgId, FOREVER)
    let most = 0
    for (let i = 0; i < 100; i += 1) {
      await vi.advanceTimersByTimeAsync(500)
      const { well, slow } = bulkheads.sizes().running
      most = Math.max(most, well + slow)
    }
    expect(most).toBeLessThanOrEqual((TIMEOUT_MS / SLOW_MS) * SLOTS.well + SLOTS.slow)
    expect(bulkheads.sizes().running.slow).toBeLessThanOrEqual(SLOTS.slow)
  })
})

test('D11.6 an organization that floods a receiver of 50 ms does not delay others', async () => {
  const { send } = dispatcher()
  for (let i = 0; i < 2_000; i += 1) void send(1, 50)
  expect(Math.max(...(await sendToHealthy(send, 20)))).toBe(0)
})

test('a receiver that takes 100 ms gets a tenth of the largest save within ten seconds', async () => {
  const { send, lanes } = dispatcher()
  for (let i = 0; i < 1_000; i += 1) void send(1, 100)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(lanes.sizes()).toMatchObject({ waiting: 0, running: 0 })
})

test('a receiver that recovers is served like any other after its next success', async () => {
  const { send, concurrency, lanes } = dispatcher()
  for (let i = 0; i < 3; i += 1) void send(1, FOREVER)
  await vi.advanceTimersByTimeAsync(100_000)
  expect(concurrency.isSlow(1)).toBe(true)
  for (let i = 0; i < 200; i += 1) void send(1, 50)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(concurrency.isSlow(1)).toBe(false)
  expect(lanes.sizes()).toMatchObject({ waiting: 0 })
})
