import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Requeued } from './requeued.ts'
import { Lanes, type LaneLimits } from './lanes.ts'
import { AdaptiveConcurrency, CONCURRENCY_LIMITS } from './adaptive-concurrency.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const HANGING = 1
const WELL = 2

/** Lanes whose work takes a given time, in fake time, and one byte. `ended` lists the ended work in order. */
function lanesOf(limits: Partial<LaneLimits> = {}) {
  const concurrency = new AdaptiveConcurrency()
  const lanes = new Lanes({ laneBytes: 1_000, totalBytes: 10_000, ...limits }, concurrency)
  const ended: string[] = []
  const outcomes: Record<string, unknown> = {}
  const add = (orgId: number, name: string, takesMs: number, delivered = true, bytes = 1) => {
    const work = (progress: () => void) =>
      new Promise<void>((resolve) => {
        setTimeout(() => {
          ended.push(name)
          concurrency.report(orgId, delivered, takesMs)
          progress()
          resolve()
        }, takesMs)
      })
    void lanes.run(orgId, bytes, work).then(
      (outcome) => (outcomes[name] = outcome),
      (error: unknown) => (outcomes[name] = error),
    )
  }
  /** From now on, the receiver gets one delivery at a time. */
  const inTrouble = (orgId: number) => concurrency.report(orgId, false, 10)
  return { lanes, concurrency, ended, outcomes, add, inTrouble }
}

test('D11.6 an organization whose receiver hangs does not delay another', async () => {
  const { add, ended } = lanesOf()
  for (let i = 0; i < 50; i += 1) add(HANGING, `hanging ${i}`, 5_000, false)
  for (let i = 0; i < 50; i += 1) add(WELL, `well ${i}`, 10)
  await vi.advanceTimersByTimeAsync(500)
  expect(ended.filter((name) => name.startsWith('well'))).toHaveLength(50)
  expect(ended.filter((name) => name.startsWith('hanging'))).toHaveLength(0)
})

test('a lane keeps the order of arrival', async () => {
  const { add, ended, inTrouble } = lanesOf()
  inTrouble(WELL)
  for (const name of ['a', 'b', 'c']) add(WELL, name, 10, false)
  await vi.advanceTimersByTimeAsync(30)
  expect(ended).toEqual(['a', 'b', 'c'])
})

test('a lane runs at most its allowed deliveries; successes allow more', async () => {
  const { add, lanes } = lanesOf()
  for (let i = 0; i < 500; i += 1) add(WELL, `${i}`, 100)
  expect(lanes.sizes()).toEqual({
    lanes: 1,
    waiting: 496,
    waiting_bytes: 496,
    running: CONCURRENCY_LIMITS.unknown,
  })
  await vi.advanceTimersByTimeAsync(200)
  expect(lanes.sizes().running).toBeGreaterThan(CONCURRENCY_LIMITS.unknown)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(lanes.sizes()).toMatchObject({ running: CONCURRENCY_LIMITS.well })
})

test('a receiver in trouble gets one delivery at a time until one succeeds', async () => {
  const { add, lanes } = lanesOf()
  for (let i = 0; i < CONCURRENCY_LIMITS.unknown; i += 1) add(WELL, `failed ${i}`, 100, false)
  for (let i = 0; i < 5; i += 1) add(WELL, `good ${i}`, 500)
  await vi.advanceTimersByTimeAsync(100)
  expect(lanes.sizes()).toMatchObject({ running: 1, waiting: 4 })
  await vi.advanceTimersByTimeAsync(500)
  expect(lanes.sizes()).toMatchObject({ running: 2, waiting: 2 })
})

test('a full lane drops its oldest waiting delivery and keeps the newest', async () => {
  const { add, outcomes, ended, inTrouble } = lanesOf({ laneBytes: 2 })
  inTrouble(WELL)
  for (const name of ['running', 'old', 'newer', 'newest']) add(WELL, name, 10)
  await vi.advanceTimersByTimeAsync(0)
  expect(outcomes).toEqual({ old: 'dropped' })
  await vi.advanceTimersByTimeAsync(30)
  expect(ended).toEqual(['running', 'newer', 'newest'])
})

test('a full lane counts bytes: one long delivery displaces several short ones', async () => {
  const { add, outcomes, inTrouble } = lanesOf({ laneBytes: 10 })
  inTrouble(WELL)
  for (const name of ['running', 'a', 'b', 'c']) add(WELL, name, 10, true, 3)
  add(WELL, 'long', 10, true, 7)
  await vi.advanceTimersByTimeAsync(0)
  expect(outcomes).toEqual({ a: 'dropped', b: 'dropped' })
})

test('when all lanes are full, the longest lane in trouble drops, and not a longer healthy one', async () => {
  const { add, outcomes, inTrouble } = lanesOf({ totalBytes: 12 })
  inTrouble(HANGING)
  for (let i = 0; i < 5; i += 1) add(HANGING, `hanging ${i}`, 5_000)
  for (let i = 0; i < CONCURRENCY_LIMITS.unknown + 9; i += 1) add(WELL, `well ${i}`, 5_000)
  await vi.advanceTimersByTimeAsync(0)
  expect(outcomes).toEqual({ 'hanging 1': 'dropped' })
})

test('when all lanes are full and healthy, the longest drops, and not the one that adds', async () => {
  const { add, outcomes } = lanesOf({ totalBytes: 4 })
  for (let i = 0; i < CONCURRENCY_LIMITS.unknown + 4; i += 1) add(1, `long ${i}`, 5_000)
  for (let i = 0; i < CONCURRENCY_LIMITS.unknown + 1; i += 1) add(WELL, `short ${i}`, 5_000)
  await vi.advanceTimersByTimeAsync(0)
  expect(outcomes).toEqual({ 'long 4': 'dropped' })
})

test('work that rejects makes its run reject and does not stop the lane', async () => {
  const { lanes, add, ended } = lanesOf()
  const failed = lanes.run(WELL, 1, () => Promise.reject(new Error('database')))
  add(WELL, 'next', 10)
  await expect(failed).rejects.toThrow('database')
  await vi.advanceTimersByTimeAsync(10)
  expect(ended).toEqual(['next'])
})

test('stopping requeues waiting and new deliveries and lets running ones end', async () => {
  const { lanes, add, ended, outcomes, inTrouble } = lanesOf()
  inTrouble(WELL)
  add(WELL, 'running', 10)
  add(WELL, 'waiting', 10)
  lanes.stop()
  add(WELL, 'late', 10)
  await vi.advanceTimersByTimeAsync(100)
  expect(ended).toEqual(['running'])
  expect(outcomes).toEqual({ running: 'ran', waiting: new Requeued(), late: new Requeued() })
})

test('an empty lane takes no memory', async () => {
  const { lanes, add } = lanesOf()
  add(WELL, 'only', 10)
  await vi.advanceTimersByTimeAsync(10)
  expect(lanes.sizes()).toEqual({ lanes: 0, waiting: 0, waiting_bytes: 0, running: 0 })
})
