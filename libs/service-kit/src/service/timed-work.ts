import { Counter, fromZero, Gauge, type Registry } from '../observe/metrics.ts'

/** A loop calls `done` after a turn that succeeded and `failed` after one that failed. */
export type TimedWork = { done: () => void; failed: () => void }

/**
 * Metrics of repeated background work: when it last succeeded, how often it should, and how often it failed. One alert
 * watches all such work. Without a registry, as in tests, nothing is measured.
 */
export function timedWork(registry: Registry | undefined, work: string, everyMs: number): TimedWork {
  if (!registry) return UNMEASURED
  const { lastSuccess, interval, failures } = metricsOf(registry)
  interval.set({ work }, everyMs / 1_000)
  // The alert measures from here until the first success.
  lastSuccess.set({ work }, Date.now() / 1_000)
  fromZero(failures, { work: [work] })
  return {
    done: () => lastSuccess.set({ work }, Date.now() / 1_000),
    failed: () => failures.inc({ work }),
  }
}

const UNMEASURED: TimedWork = { done: () => undefined, failed: () => undefined }

const known = new WeakMap<Registry, ReturnType<typeof create>>()

/** All loops of a process share these three metrics. */
function metricsOf(registry: Registry) {
  const metrics = known.get(registry) ?? create(registry)
  known.set(registry, metrics)
  return metrics
}

function create(registry: Registry) {
  const common = { labelNames: ['work'] as const, registers: [registry] }
  return {
    lastSuccess: new Gauge({
      name: 'timed_work_last_success_timestamp_seconds',
      help: 'Unix time of the last success of this work; before the first one, of the start.',
      ...common,
    }),
    interval: new Gauge({
      name: 'timed_work_interval_seconds',
      help: 'How often this work should succeed.',
      ...common,
    }),
    failures: new Counter({
      name: 'timed_work_failures_total',
      help: 'Failed turns of this work.',
      ...common,
    }),
  }
}
