import { startBackgroundJob } from './background-job.ts'
import type { Logger } from '../observe/logging.ts'
import { gauge, type Reading, type Registry } from '../observe/metrics.ts'

export type Sample<M extends string> = Readonly<Record<M, Reading>>

type Described = { help: string; labelNames?: readonly string[] }

type Options<M extends string> = {
  registry: Registry
  /** Name of the job in the metrics of `timedWork`. */
  work: string
  everyMs: number
  gauges: Readonly<Record<M, Described>>
  sample: () => Promise<Sample<M>>
  log: Pick<Logger, 'warn'>
}

/** Samples take at most this part of the time: a slow query runs less often. */
const MAX_SHARE = 1 / 50

/**
 * Gauges that need a query to a database or the broker. They are sampled in the background, so a scrape costs nothing.
 * After a failed sample the gauges are missing until the next one succeeds, because an old value would look like a good
 * one. All replicas show the same, so queries take `max`.
 */
export function startSampling<M extends string>(options: Options<M>): { stop(): Promise<void> } {
  const { registry, work: name, everyMs, sample, log } = options
  let latest: Sample<M> | undefined
  for (const [metric, { help, labelNames }] of Object.entries(options.gauges) as [M, Described][])
    gauge(registry, metric, help, () => latest?.[metric], labelNames)
  return startBackgroundJob(
    { name, everyMs, log, registry, retryMs: everyMs, maxShare: MAX_SHARE },
    async () => {
      const sampled = sample()
      latest = await sampled.catch(() => undefined)
      await sampled
    },
  )
}

/** The sample of a metric with one label, from the counts of a query. Missing values are 0. */
export function byLabel<V extends string>(
  label: string,
  values: readonly V[],
  counts: Readonly<Partial<Record<V, number>>>,
) {
  return values.map((value) => ({ labels: { [label]: value }, value: counts[value] ?? 0 }))
}
