import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HandedBack } from './handed-back.ts'
import { Lanes, type LaneLimits, type ReportHealth } from './lanes.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const HANGING = 1
const WELL = 2

/** Lanes whose work takes as long as it is told, in fake time; `ended` lists what has run, in order. */
function lanesOf(limits: Partial<LaneLimits> = {}) {
  const lanes = new Lanes({ perLane: 1, laneCapacity: 100, totalCapacity: 1_000, ...limits })
  const ended: string[] = []
  const outcomes: Record<string, unknown> = {}
  const add = (orgId: number, name: string, takesMs: number, healthy = true) => {
    const work = (report: ReportHealth) =>
      new Promise<void>((resolve) => {
        setTimeout(() => {
          ended.push(name)
          report(healthy)
          resolve()
        }, takesMs)
      })
    void lanes.run(orgId, work).then(
      (outcome) => (outcomes[name] = outcome),
      (error: unknown) => (outcomes[name] = error),
    )
  }
  return { lanes, ended, outcomes, add }
}

test('D11.6 an organization whose receiver hangs does not delay another one', async () => {
  const { add, ended } = lanesOf()
  for (let i = 0; i < 50; i += 1) add(HANGING, `hanging ${i}`, 5_000)
  for (let i = 0; i < 50; i += 1) add(WELL, `well ${i}`, 10)
  await vi.advanceTimersByTimeAsync(500)
  expect(ended.filter((name) => name.startsWith('well'))).toHaveLength(50)
  expect(ended.filter((name) => name.startsWith('hanging'))).toHaveLength(0)
})

test('a lane keeps the order of arrival', async () => {
  const { add, ended } = lanesOf()
  for (const name of ['a', 'b', 'c']) add(WELL, name, 10)
  await vi.advanceTimersByTimeAsync(30)
  expect(ended).toEqual(['a', 'b', 'c'])
})

test('no lane holds more than its share', async () => {
  const { add, lanes } = lanesOf({ perLane: 3 })
  for (let i = 0; i < 10; i += 1) add(WELL, `${i}`, 1_000)
  expect(lanes.sizes()).toEqual({ lanes: 1, waiting: 7, running: 3 })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(lanes.sizes()).toEqual({ lanes: 1, waiting: 4, running: 3 })
})

test('a receiver in trouble is asked one delivery at a time until one succeeds', async () => {
  const { add, lanes } = lanesOf({ perLane: 3 })
  for (let i = 0; i < 3; i += 1) add(WELL, `failed ${i}`, 100, false)
  for (let i = 0; i < 5; i += 1) add(WELL, `good ${i}`, 1_000)
  await vi.advanceTimersByTimeAsync(100)
  expect(lanes.sizes()).toMatchObject({ running: 1, waiting: 4 })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(lanes.sizes()).toMatchObject({ running: 3, waiting: 1 })
})

test('a full lane drops its oldest waiting delivery and keeps the newest', async () => {
  const { add, outcomes, ended } = lanesOf({ laneCapacity: 2 })
  for (const name of ['running', 'old', 'newer', 'newest']) add(WELL, name, 10)
  await vi.advanceTimersByTimeAsync(0)
  expect(outcomes).toEqual({ old: 'dropped' })
  await vi.advanceTimersByTimeAsync(30)
  expect(ended).toEqual(['running', 'newer', 'newest'])
})

test('when everything is full, the longest lane pays and not the one that adds', async () => {
  const { add, outcomes } = lanesOf({ totalCapacity: 4 })
  for (let i = 0; i < 5; i += 1) add(HANGING, `hanging ${i}`, 5_000)
  add(WELL, 'well 0', 5_000)
  add(WELL, 'well 1', 5_000)
  await vi.advanceTimersByTimeAsync(0)
  expect(outcomes).toEqual({ 'hanging 1': 'dropped' })
})

test('work that rejects says so to its caller and does not stop the lane', async () => {
  const { lanes, add, ended } = lanesOf()
  const failed = lanes.run(WELL, () => Promise.reject(new Error('database')))
  add(WELL, 'next', 10)
  await expect(failed).rejects.toThrow('database')
  await vi.advanceTimersByTimeAsync(10)
  expect(ended).toEqual(['next'])
})

test('stopping hands back what waits, what runs ends, and nothing is taken any more', async () => {
  const { lanes, add, ended, outcomes } = lanesOf()
  add(WELL, 'running', 10)
  add(WELL, 'waiting', 10)
  lanes.stop()
  add(WELL, 'late', 10)
  await vi.advanceTimersByTimeAsync(100)
  expect(ended).toEqual(['running'])
  expect(outcomes).toEqual({ running: 'ran', waiting: new HandedBack(), late: new HandedBack() })
})

test('a lane that ran empty takes no memory', async () => {
  const { lanes, add } = lanesOf()
  add(WELL, 'only', 10)
  await vi.advanceTimersByTimeAsync(10)
  expect(lanes.sizes()).toEqual({ lanes: 0, waiting: 0, running: 0 })
})
