import { startBackgroundJob } from './background-job.ts'
import type { Logger } from '../observe/logging.ts'
import { Gauge, type Registry } from '../observe/metrics.ts'

/** The value of each metric, or its values with their labels. NaN: there is no value. */
export type Sample<M extends string> = Readonly<
  Record<M, number | readonly { labels: Readonly<Record<string, string>>; value: number }[]>
>

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
  register(options, () => latest)
  return startBackgroundJob(
    { name, everyMs, log, registry, retryMs: everyMs, maxShare: MAX_SHARE },
    async () => {
      const sampled = sample()
      latest = await sampled.catch(() => undefined)
      await sampled
    },
  )
}

function register<M extends string>(
  { registry, gauges }: Pick<Options<M>, 'registry' | 'gauges'>,
  latest: () => Sample<M> | undefined,
): void {
  for (const [name, { help, labelNames = [] }] of Object.entries(gauges) as [M, Described][]) {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect: () => show(gauge, labelNames.length > 0, latest()?.[name]),
    })
  }
}

function show(gauge: Gauge, isLabelled: boolean, found: Sample<string>[string] | undefined): void {
  gauge.reset()
  if (typeof found === 'number' || found === undefined) {
    if (!isLabelled) gauge.set(found ?? Number.NaN)
    return
  }
  for (const { labels, value } of found) gauge.set(labels, value)
}

/** The sample of a metric with one label, from the counts of a query. Missing values are 0. */
export function byLabel<V extends string>(
  label: string,
  values: readonly V[],
  counts: Readonly<Partial<Record<V, number>>>,
) {
  return values.map((value) => ({ labels: { [label]: value }, value: counts[value] ?? 0 }))
}
