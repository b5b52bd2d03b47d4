import { eventually } from '@whereabouts/testing/eventually'
import { expect, test } from 'vitest'
import { startBackgroundJob } from './background-job.ts'
import { createRegistry } from '../observe/metrics.ts'

const HOUR_MS = 3_600_000

/** A job whose turns the test ends one by one, and its log. */
function steppedJob(options: Partial<Parameters<typeof startBackgroundJob>[0]> = {}) {
  const turns: PromiseWithResolvers<{ nextInMs: number } | void>[] = []
  const warnings: object[] = []
  const log = { warn: (fields: object) => void warnings.push(fields) }
  const signals: AbortSignal[] = []
  const job = startBackgroundJob({ name: 'purge', everyMs: HOUR_MS, log, ...options }, (stopping) => {
    signals.push(stopping)
    turns.push(Promise.withResolvers())
    return turns.at(-1)!.promise
  })
  const started = (count: number) => eventually(() => expect(turns).toHaveLength(count))
  return { job, turns, warnings, signals, started }
}

test('wake() starts the next turn now or after the running one, and turns never overlap', async () => {
  const { job, turns, started } = steppedJob()
  await started(1)
  job.wake()
  expect(turns).toHaveLength(1)
  turns[0]!.resolve()
  await started(2)
  turns[1]!.resolve()
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(turns).toHaveLength(2) // the wake is used up
  job.wake()
  await started(3)
  turns[2]!.resolve()
  await job.stop()
  expect(turns).toHaveLength(3)
})

test('a turn may set when the next one is due', async () => {
  const { job, turns, started } = steppedJob()
  turns[0]!.resolve({ nextInMs: 0 })
  await started(2)
  turns[1]!.resolve()
  await job.stop()
  expect(turns).toHaveLength(2)
})

test('a failed turn is logged, counted and retried with growing pauses until it succeeds', async () => {
  const registry = createRegistry('test')
  const { job, turns, warnings, started } = steppedJob({ registry, retryMs: 1, maxRetryMs: 3 })
  for (let n = 0; n < 4; n += 1) {
    await started(n + 1)
    turns[n]!.reject(new Error('broken'))
    await job.firstTurn
  }
  await started(5)
  turns[4]!.resolve({ nextInMs: 0 })
  await started(6)
  turns[5]!.reject(new Error('broken'))
  await eventually(() => expect(warnings).toHaveLength(5))
  expect(warnings.map((fields) => (fields as { retry_in_ms: number }).retry_in_ms)).toEqual([1, 2, 3, 3, 1])
  expect(warnings[0]).toMatchObject({ job: 'purge', err: new Error('broken') })
  expect(await registry.metrics()).toContain('timed_work_failures_total{work="purge",service="test"} 5')
  await started(7)
  turns[6]!.resolve()
  await job.stop()
})

test('stop() aborts the signal of the running turn, waits for it and ignores its failure', async () => {
  const { job, turns, warnings, signals } = steppedJob({ everyMs: 1 })
  let isStopped = false
  const stopped = job.stop().then(() => (isStopped = true))
  expect(signals[0]!.aborted).toBe(true)
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(isStopped).toBe(false)
  turns[0]!.reject(new Error('stopped'))
  await stopped
  expect(turns).toHaveLength(1)
  expect(warnings).toEqual([])
})
