import { Counter, Gauge, Histogram, type Registry } from '@whereabouts/service-kit/metrics'
import type { Outcome } from './attempts/attempts.queries.ts'
import type { DropReason } from './attempts/attempts.rules.ts'
import type { Lanes } from './lanes/lanes.ts'
import type { Slots } from './lanes/slots.ts'

export type DispatcherMetrics = {
  /** One request to a receiver. */
  attempted(outcome: Outcome, latencyMs: number): void
  /** One delivery came to its end and needs nothing more. */
  ended(outcome: 'delivered' | 'already_delivered'): void
  dropped(reason: DropReason): void
}

/** Per organization nothing is counted: that would be a series for each. The delivery log answers such questions. */
export function dispatcherMetrics(registry: Registry): DispatcherMetrics {
  const registers = [registry]
  const deliveries = new Counter({
    name: 'webhook_deliveries_total',
    help: 'Deliveries that came to an end, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const dropped = new Counter({
    name: 'webhook_dropped_total',
    help: 'Deliveries dropped, by reason.',
    labelNames: ['reason'],
    registers,
  })
  const attempts = new Histogram({
    name: 'webhook_attempt_duration_seconds',
    help: 'Time of one request to a receiver, by outcome.',
    labelNames: ['outcome'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5],
    registers,
  })
  return {
    attempted: (outcome, latencyMs) => attempts.observe({ outcome }, latencyMs / 1000),
    ended: (outcome) => deliveries.inc({ outcome }),
    dropped(reason) {
      deliveries.inc({ outcome: 'dropped' })
      dropped.inc({ reason })
    },
  }
}

/** What lanes and slots hold at the moment of a scrape. */
export function laneGauges(registry: Registry, lanes: Lanes, slots: Slots): void {
  const ofLanes = new Gauge({
    name: 'webhook_lanes',
    help: 'Organizations with deliveries at hand (lanes), deliveries waiting for their turn and the bytes that takes, and deliveries begun.',
    labelNames: ['what'],
    registers: [],
    collect() {
      for (const [what, value] of Object.entries(lanes.sizes())) this.set({ what }, value)
    },
  })
  const ofSlots = new Gauge({
    name: 'webhook_requests',
    help: 'Requests under way, and deliveries waiting to make one, by share: receivers that are well, receivers that are slow.',
    labelNames: ['what', 'share'],
    registers: [],
    collect() {
      for (const [what, { well, slow }] of Object.entries(slots.sizes())) {
        this.set({ what, share: 'well' }, well)
        this.set({ what, share: 'slow' }, slow)
      }
    },
  })
  registry.registerMetric(ofLanes)
  registry.registerMetric(ofSlots)
}

/** Above 0: a key behind the first of WEBHOOK_SECRET_KEYS is still needed. */
export function sealGauge(registry: Registry): (others: number) => void {
  const gauge = new Gauge({
    name: 'webhook_secrets_under_other_keys',
    help: 'Webhooks whose secret is not sealed under the first key.',
    registers: [registry],
  })
  gauge.set(Number.NaN) // until it has been counted
  return (others) => gauge.set(others)
}
