import { sql } from 'kysely'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { counter, gauge, histogram, type Registry } from '@whereabouts/service-kit/observe/metrics'
import { byLabel, startSampling } from '@whereabouts/service-kit/service/sampling'
import type { Outcome } from './delivery-log/delivery-log.queries.ts'
import type { DropReason } from './deliveries/attempts/attempts.rules.ts'
import type { Lanes } from './deliveries/lanes/lanes.ts'
import type { Bulkheads } from './deliveries/lanes/bulkheads.ts'
import type { Db } from './db.ts'

export type DispatcherMetrics = {
  /** One request to a receiver. */
  attempted(outcome: Outcome, latencyMs: number): void
  /** A delivery has ended. */
  ended(outcome: 'delivered' | 'already_delivered'): void
  /** The time from storing the event at the broker to its delivery. */
  deliveredAfter(delayMs: number): void
  dropped(reason: DropReason): void
}

const DROPS = Object.keys({
  no_webhook: true,
  disabled: true,
  subscription_lapsed: true,
  subscription_unknown: true,
  before_enabled: true,
  webhook_replaced: true,
  secret_unreadable: true,
  attempts_exhausted: true,
  lane_full: true,
} satisfies Record<DropReason, true>)

/** No label names the organization, because each would be a series. The delivery log has the organization. */
export function dispatcherMetrics(registry: Registry): DispatcherMetrics {
  const deliveries = counter(registry, 'webhook_deliveries_total', 'Ended deliveries, by outcome.', {
    outcome: ['delivered', 'already_delivered', 'dropped'],
  })
  const dropped = counter(registry, 'webhook_dropped_total', 'Deliveries dropped, by reason.', {
    reason: DROPS,
  })
  const attempts = histogram(
    registry,
    'webhook_attempt_duration_seconds',
    'Duration of one request to a receiver, by outcome.',
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5],
    { outcome: ['delivered', 'failed'] },
  )
  const delays = histogram(
    registry,
    'webhook_delivery_delay_seconds',
    'Time from storing an event at the broker until its delivery, including retries and queueing.',
    [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800],
  )
  return {
    deliveredAfter: (delayMs) => delays.observe(Math.max(0, delayMs) / 1_000),
    attempted: (outcome, latencyMs) => attempts.observe({ outcome }, latencyMs / 1000),
    ended: (outcome) => deliveries.inc({ outcome }),
    dropped(reason) {
      deliveries.inc({ outcome: 'dropped' })
      dropped.inc({ reason })
    },
  }
}

/** Measures lanes and bulkheads at each scrape. */
export function laneGauges(registry: Registry, lanes: Lanes, bulkheads: Bulkheads): void {
  gauge(
    registry,
    'webhook_lanes',
    'Lanes in use, deliveries that wait and their bytes, and deliveries under way.',
    () => Object.entries(lanes.sizes()).map(([what, value]) => ({ labels: { what }, value })),
    ['what'],
  )
  gauge(
    registry,
    'webhook_requests',
    'Requests under way and deliveries that wait for one, by share: healthy receivers, slow receivers.',
    () =>
      Object.entries(bulkheads.sizes()).flatMap(([what, { well, slow }]) => [
        { labels: { what, share: 'well' }, value: well },
        { labels: { what, share: 'slow' }, value: slow },
      ]),
    ['what', 'share'],
  )
}

/** Above 0: a key other than the first of WEBHOOK_SECRET_KEYS is still needed. */
export function sealGauge(registry: Registry): (others: number) => void {
  let count: number | undefined
  gauge(
    registry,
    'webhook_secrets_under_other_keys',
    'Secrets of webhooks that are not encrypted with the first key.',
    () => count, // no value until the first count
  )
  return (others) => void (count = others)
}

export function startWebhookGauges({
  across,
  registry,
  log,
}: {
  across: Db
  registry: Registry
  log: Logger
}) {
  return startSampling({
    registry,
    log,
    work: 'webhooks-sampling',
    everyMs: 15_000,
    gauges: { webhooks: { help: 'Webhooks, by state.', labelNames: ['state'] } },
    sample: async () => ({
      webhooks: byLabel('state', ['enabled', 'disabled'], await countWebhooks(across)),
    }),
  })
}

/** Counts the webhooks of all organizations. */
async function countWebhooks(across: Db): Promise<{ enabled: number; disabled: number }> {
  const { rows } = await sql<{ enabled: number; disabled: number }>`
    select count(*) filter (where enabled) as enabled, count(*) filter (where not enabled) as disabled
    from webhook`.execute(across)
  return rows[0] ?? { enabled: 0, disabled: 0 }
}
