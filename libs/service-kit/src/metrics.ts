import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

export { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** A registry of this process; every metric carries the service's name. */
export function createRegistry(service: string): Registry {
  const registry = new Registry()
  registry.setDefaultLabels({ service })
  collectDefaultMetrics({ register: registry })
  return registry
}

/** Delay and outcome of HTTP requests by operation, which is a closed set: a path would be one series per id. */
export function httpHistogram(registry: Registry): Histogram<'operation' | 'method' | 'status'> {
  return new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the request line to the end of the answer.',
    labelNames: ['operation', 'method', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  })
}

/** What `libs/messaging` reports of a durable: messages by outcome, burials by reason, and how far behind it is. */
export function consumerMetrics(registry: Registry) {
  const registers = [registry]
  const handled = new Counter({
    name: 'consumer_messages_total',
    help: 'Messages settled, by durable consumer and outcome.',
    labelNames: ['durable', 'outcome'],
    registers,
  })
  const buried = new Counter({
    name: 'consumer_buried_total',
    help: 'Messages put among the dead letters, by durable consumer and reason.',
    labelNames: ['durable', 'reason'],
    registers,
  })
  const lag = new Gauge({
    name: 'consumer_lag_messages',
    help: 'Messages in the stream not yet delivered to any replica, as last heard.',
    labelNames: ['durable'],
    registers,
  })
  return (durable: string) => ({
    handled: (outcome: string, count: number) => handled.inc({ durable, outcome }, count),
    buried: (reason: string) => buried.inc({ durable, reason }),
    lag: (messages: number) => lag.set({ durable }, messages),
  })
}

/** How long the oldest unpublished change has waited. */
export function outboxAge(registry: Registry, ageSeconds: () => number): void {
  const gauge: Gauge = new Gauge({
    name: 'outbox_age_seconds',
    help: 'Age of the oldest row that waits to be published.',
    registers: [],
    collect: () => gauge.set(ageSeconds()),
  })
  registry.registerMetric(gauge)
}
