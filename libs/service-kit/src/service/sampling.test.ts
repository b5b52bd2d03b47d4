import { setImmediate as turn } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { Counter, createRegistry, fromZero, Histogram, type Registry } from '../observe/metrics.ts'
import { byLabel, startSampling } from './sampling.ts'
import { timedWork } from './timed-work.ts'

const log = { warn: () => undefined }

async function values(registry: Registry, metric: string): Promise<Record<string, number>> {
  const found = await registry.getSingleMetric(metric)?.get()
  const name = (labels: object) => Object.values(labels).join(' ')
  return Object.fromEntries(found?.values.map(({ labels, value }) => [name(labels), value]) ?? [])
}

test('gauges show the last sample, and no value while sampling fails', async () => {
  const registry = createRegistry('test')
  const samples = [{ online: 3 }, new Error('database away'), { silent: 1 }]
  const sampling = startSampling({
    registry,
    log,
    work: 'sampling',
    everyMs: 1,
    gauges: { readers: { help: 'h', labelNames: ['state'] }, oldest: { help: 'h' } },
    sample: async () => {
      const sample = samples[0]
      if (sample instanceof Error) throw sample
      return { readers: byLabel('state', ['online', 'silent'], sample ?? {}), oldest: 7 }
    },
  })
  const shown = async () => ({
    ...(await values(registry, 'readers')),
    ...(await values(registry, 'oldest')),
  })
  await vi.waitFor(async () => expect(await shown()).toEqual({ online: 3, silent: 0, '': 7 }))
  samples.shift()
  await vi.waitFor(async () => expect(await shown()).toEqual({ '': Number.NaN }))
  expect((await values(registry, 'timed_work_failures_total'))['sampling']).toBeGreaterThan(0)
  samples.shift()
  await vi.waitFor(async () => expect(await shown()).toEqual({ online: 0, silent: 1, '': 7 }))
  await sampling.stop()
})

test('one slow sample does not delay the next one, but two in a row do', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const sample = vi.fn<() => Promise<{ readers: number }>>(async () => {
      vi.advanceTimersByTime(sample.mock.calls.length === 2 ? 0 : 60_000)
      return { readers: 1 }
    })
    const options = { work: 'sampling', everyMs: 1, gauges: { readers: { help: 'h' } }, sample, log }
    const sampling = startSampling({ registry: createRegistry('test'), ...options })
    // After the third and fourth sample, both slow, the next one is due in 50 minutes.
    await vi.waitFor(() => expect(sample).toHaveBeenCalledTimes(4))
    await sampling.stop()
  } finally {
    vi.useRealTimers()
  }
})

test('stop() waits for the running sample and ignores its failure', async () => {
  const registry = createRegistry('test')
  const ending = Promise.withResolvers<never>()
  const sampling = startSampling({
    registry,
    log,
    work: 'sampling',
    everyMs: 60_000,
    gauges: { readers: { help: 'h' } },
    sample: () => ending.promise,
  })
  let stopped = false
  const stop = sampling.stop().then(() => (stopped = true))
  await turn()
  expect(stopped).toBe(false)
  ending.reject(new Error('the pool was closed'))
  await stop
  expect((await values(registry, 'timed_work_failures_total'))['sampling']).toBe(0)
})

test('known label values are shown as 0 before anything happens', async () => {
  const registry = createRegistry('test')
  const of = { help: 'h', registers: [registry] }
  fromZero(new Counter({ name: 'c', labelNames: ['a', 'b'], ...of }), { a: ['1', '2'], b: ['x', 'y'] })
  fromZero(new Histogram({ name: 'h', labelNames: ['a'], buckets: [1], ...of }), { a: ['1'] })
  expect(await values(registry, 'c')).toEqual({ '1 x': 0, '1 y': 0, '2 x': 0, '2 y': 0 })
  expect(await registry.metrics()).toContain('h_count{service="test",a="1"} 0')
})

test('timed work shows its last success, or the start before that; all loops share the metrics', async () => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ['Date'] })
  try {
    const registry = createRegistry('test')
    const [purge, rotation] = [timedWork(registry, 'purge', 60_000), timedWork(registry, 'rotation', 500)]
    vi.setSystemTime(1_060_000)
    purge.done()
    rotation.failed()
    expect(await values(registry, 'timed_work_last_success_timestamp_seconds')).toEqual({
      purge: 1_060,
      rotation: 1_000,
    })
    expect(await values(registry, 'timed_work_interval_seconds')).toEqual({ purge: 60, rotation: 0.5 })
    expect(await values(registry, 'timed_work_failures_total')).toEqual({ purge: 0, rotation: 1 })
  } finally {
    vi.useRealTimers()
  }
  expect(() => timedWork(undefined, 'purge', 1).done()).not.toThrow()
})
