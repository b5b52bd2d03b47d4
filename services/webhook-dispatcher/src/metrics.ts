import { sql } from 'kysely'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import { counter, gauge, histogram, type Registry } from '@whereabouts/service-kit/observe/metrics'
import { byLabel, startSampling } from '@whereabouts/service-kit/service/sampling'
import type { DropReason } from './deliveries/attempts.rules.ts'
import type { Slots } from './deliveries/slots.ts'
import type { Db } from './db.ts'

export type DispatcherMetrics = {
  /** One request to a receiver. */
  attempted(outcome: 'delivered' | 'failed', latencyMs: number): void
  /** A delivery has ended. */
  ended(outcome: 'delivered'): void
  /** The time from recording the event to its delivery. */
  deliveredAfter(delayMs: number): void
  dropped(reason: DropReason): void
}

const DROPS = Object.keys({
  disabled: true,
  subscription_lapsed: true,
  not_wanted: true,
  event_removed: true,
  secret_unreadable: true,
  attempts_exhausted: true,
} satisfies Record<DropReason, true>)

/** No label names the organization, because each would be a series. The delivery log has the organization. */
export function dispatcherMetrics(registry: Registry): DispatcherMetrics {
  const deliveries = counter(registry, 'webhook_deliveries_total', 'Ended deliveries, by outcome.', {
    outcome: ['delivered', 'dropped'],
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
    'Time from recording an event until its delivery, including retries and waiting.',
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

/** Measures what runs at each scrape. */
export function deliveryGauges(registry: Registry, held: () => number, slots: Slots): void {
  gauge(registry, 'webhook_endpoints_served', 'Endpoints whose deliveries this process makes now.', () =>
    held(),
  )
  gauge(
    registry,
    'webhook_requests',
    'Requests under way, by share: healthy receivers, slow receivers.',
    () => Object.entries(slots.running()).map(([share, value]) => ({ labels: { share }, value })),
    ['share'],
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
    gauges: {
      webhooks: { help: 'Webhooks, by state.', labelNames: ['state'] },
      webhook_deliveries_waiting: { help: 'Deliveries that wait for another attempt.' },
      webhook_endpoints_behind: {
        help: 'Endpoints with events that were recorded over a minute ago and not yet attempted.',
      },
    },
    sample: async () => {
      const { enabled, disabled, waiting, behind } = await countWebhooks(across)
      return {
        webhooks: byLabel('state', ['enabled', 'disabled'], { enabled, disabled }),
        webhook_deliveries_waiting: waiting,
        webhook_endpoints_behind: behind,
      }
    },
  })
}

type Counts = { enabled: number; disabled: number; waiting: number; behind: number }

/** Counts the webhooks of all organizations, and what they wait for. */
async function countWebhooks(across: Db): Promise<Counts> {
  const { rows } = await sql<Counts>`
    select count(*) filter (where w.enabled) as enabled, count(*) filter (where not w.enabled) as disabled,
      (select count(*) from delivery where state = 'waiting') as waiting,
      count(*) filter (where w.enabled and exists (
        select from event e where e.org_id = w.org_id and e.type = 'asset.moved' and e.seq > w.moves_position
          and e.recorded_at < clock_timestamp() - interval '1 minute' and 'asset.moved' = any(w.event_types)
        order by e.seq limit 1)) as behind
    from webhook w`.execute(across)
  return rows[0] ?? { enabled: 0, disabled: 0, waiting: 0, behind: 0 }
}
