import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { buildInfo } from './build-info.ts'

export { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/**
 * The metrics registry of this process. Each metric has the service's name as a label. The version of `build` is for
 * dashboards that mark releases.
 */
export function createRegistry(service: string, build = buildInfo()): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  const { version, commit } = build
  new Gauge({
    name: 'build_info',
    help: 'Always 1; the release, its commit and the version of Node are labels.',
    labelNames: ['version', 'commit', 'node'],
    registers: [registry],
  }).set({ version, commit, node: process.version }, 1)
  return registry
}

type Values<L extends string> = Readonly<Record<L, readonly string[]>>

/** A counter, with the values of each label. */
export const counter = <L extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  values: Values<L> = {} as Values<L>,
): Counter<L> =>
  fromZero(new Counter({ name, help, labelNames: labelsOf(values), registers: [registry] }), values)

/** A histogram, with the values of each label. */
export const histogram = <L extends string = never>(
  registry: Registry,
  name: string,
  help: string,
  buckets: number[],
  values: Values<L> = {} as Values<L>,
): Histogram<L> =>
  fromZero(
    new Histogram({ name, help, buckets, labelNames: labelsOf(values), registers: [registry] }),
    values,
  )

const labelsOf = <L extends string>(values: Values<L>) => Object.keys(values) as L[]

/** The value of a gauge, or its values with their labels. Without a value it is NaN. */
export type Reading = number | readonly { labels: Readonly<Record<string, string>>; value: number }[]

/** A gauge that is read at each scrape. */
export function gauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => Reading | undefined | Promise<Reading>,
  labelNames: readonly string[] = [],
): void {
  const made: Gauge = new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    collect: async () => {
      const found = await read()
      made.reset()
      if (typeof found === 'object') for (const { labels, value } of found) made.set(labels, value)
      else if (labelNames.length === 0) made.set(found ?? Number.NaN)
    },
  })
}

/**
 * Exposes each combination of these label values as 0 from the start. Otherwise a series begins with its first
 * increment, which `rate()` misses, and an alert cannot distinguish "never happened" from "no longer measured".
 */
export function fromZero<L extends string, M extends Counter<L> | Histogram<L>>(
  metric: M,
  values: Values<L>,
): M {
  for (const labels of combinations(values)) {
    if (metric instanceof Histogram) metric.zero(labels)
    else metric.inc(labels, 0)
  }
  return metric
}

function combinations<L extends string>(values: Values<L>): Record<L, string>[] {
  let all: [string, string][][] = [[]]
  for (const [label, known] of Object.entries(values) as [L, readonly string[]][])
    all = all.flatMap((labels) => known.map((value) => labels.concat([[label, value]])))
  return all.map((labels) => Object.fromEntries(labels) as Record<L, string>)
}

/**
 * Duration and status of HTTP requests by operation, which is a closed set. With the path there would be a series per
 * id.
 */
export function httpHistogram(registry: Registry): Histogram<'operation' | 'method' | 'status'> {
  return new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request line to the end of the response.',
    labelNames: ['operation', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
}

/** Metrics of a durable: messages by outcome, dead letters by reason, and how far behind it is. */
export function consumerMetrics(registry: Registry) {
  const registers = [registry]
  const perDurable = (name: string, help: string, ...others: ('outcome' | 'reason')[]) =>
    new Counter({ name, help, labelNames: ['durable', ...others], registers })
  const handled = perDurable(
    'consumer_messages_total',
    'Messages settled, by durable consumer and outcome.',
    'outcome',
  )
  const deadLettered = perDurable(
    'consumer_buried_total', // the name and the outcome `bury` stay: dashboards of users query them
    'Messages that became dead letters, by durable consumer and reason.',
    'reason',
  )
  const redelivered = perDurable(
    'consumer_redelivered_total',
    'Deliveries of a message after its first one, because of a failure or the end of a replica.',
  )
  const held = perDurable(
    'consumer_held_total',
    'Attempts that failed because of an outage; the messages were held.',
  )
  const lag = new Gauge({
    name: 'consumer_lag_messages',
    help: 'Messages in the stream that were not delivered to any replica yet, as last reported.',
    labelNames: ['durable'],
    registers,
  })
  return (name: string) => {
    const durable = [name]
    fromZero(handled, { durable, outcome: ['ack', 'nak', 'bury', 'return'] })
    fromZero(deadLettered, { durable, reason: ['poison', 'retries_exhausted', 'never_settled'] })
    fromZero(redelivered, { durable })
    fromZero(held, { durable })
    lag.set({ durable: name }, 0)
    return {
      handled: (outcome: string, count: number) => handled.inc({ durable: name, outcome }, count),
      deadLettered: (reason: string) => deadLettered.inc({ durable: name, reason }),
      redelivered: (count: number) => redelivered.inc({ durable: name }, count),
      held: () => held.inc({ durable: name }),
      lag: (messages: number) => lag.set({ durable: name }, messages),
    }
  }
}

/** Metrics of a connection to the broker, by its name: whether it is connected, and failures. */
export function brokerMetrics(registry: Registry) {
  const registers = [registry]
  const common = { labelNames: ['connection'] as const, registers }
  const connected = new Gauge({
    name: 'broker_connected',
    help: '1 while this connection to the broker is open.',
    ...common,
  })
  const reconnects = new Counter({
    name: 'broker_reconnects_total',
    help: 'Reconnects to the broker after a lost connection.',
    ...common,
  })
  const unpublished = new Counter({
    name: 'broker_publish_failures_total',
    help: 'Messages that the broker did not confirm as stored, by reason. Each is published again.',
    labelNames: ['connection', 'reason'],
    registers,
  })
  return (name: string) => {
    const connection = [name]
    connected.set({ connection: name }, 0)
    fromZero(reconnects, { connection })
    fromZero(unpublished, { connection, reason: ['disconnected', 'no_answer', 'refused'] })
    return {
      connected: (isConnected: boolean) => connected.set({ connection: name }, isConnected ? 1 : 0),
      reconnected: () => reconnects.inc({ connection: name }),
      unpublished: (reason: string, count: number) => unpublished.inc({ connection: name, reason }, count),
    }
  }
}

/** Metrics of a follower: states in its stream that it cannot read. */
export function stateMetrics(registry: Registry) {
  const common = { labelNames: ['stream'] as const, registers: [registry] }
  const found = new Counter({
    name: 'unreadable_states_total',
    help: 'States that could not be read, by stream. Their owner is asked to publish them again.',
    ...common,
  })
  const remaining = new Gauge({
    name: 'unreadable_states',
    help: 'Subjects of a stream whose newest state cannot be read.',
    ...common,
  })
  return (stream: string) => {
    fromZero(found, { stream: [stream] })
    remaining.set({ stream }, 0)
    return {
      found: () => found.inc({ stream }),
      remaining: (count: number) => remaining.set({ stream }, count),
    }
  }
}

/** How long the oldest unpublished change has waited. */
export const outboxAge = (registry: Registry, ageSeconds: () => number): void =>
  gauge(registry, 'outbox_age_seconds', 'Age of the oldest row that waits to be published.', ageSeconds)
