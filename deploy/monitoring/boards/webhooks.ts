import type { Board } from '../grafana.ts'
import { R, percentiles } from './queries.ts'

export const webhooks: Board = {
  uid: 'whereabouts-webhooks',
  title: 'Webhooks',
  rows: {
    Deliveries: [
      {
        title: 'Delay until delivered',
        description:
          'Includes retries and waiting for slow receivers. The median shows our health, p99 the slowest receivers.',
        unit: 's',
        alert: 'WebhookDeliveriesSlow',
        queries: percentiles('webhook_delivery_delay_seconds'),
      },
      {
        title: 'Share of failed requests',
        description: 'Of the requests to receivers.',
        unit: 'percentunit',
        alert: 'WebhookAttemptsFailing',
        queries: [
          [
            `sum(rate(webhook_attempt_duration_seconds_count{outcome="failed"}${R})) / sum(rate(webhook_attempt_duration_seconds_count${R}))`,
            'failed',
          ],
        ],
      },
      {
        title: 'Deliveries',
        description: 'Finished deliveries, by outcome.',
        unit: 'short',
        queries: [[`sum by (outcome) (rate(webhook_deliveries_total${R}))`, '{{outcome}}']],
      },
      {
        title: 'Dropped',
        description:
          'By reason. The first four follow from the settings or the subscription of the customer.',
        unit: 'short',
        queries: [[`sum by (reason) (rate(webhook_dropped_total${R}))`, '{{reason}}']],
      },
      {
        title: 'Time of a request to a receiver',
        description: 'A request fails after five seconds.',
        unit: 's',
        queries: percentiles('webhook_attempt_duration_seconds'),
      },
      {
        title: 'Webhooks',
        description: 'Enabled and disabled.',
        unit: 'short',
        queries: [['max by (state) (webhooks)', '{{state}}']],
      },
    ],
    'Lanes and slots': [
      {
        title: 'Deliveries waiting and running',
        description: 'In the memory of each dispatcher.',
        unit: 'short',
        queries: [['sum by (what) (webhook_lanes{what!="waiting_bytes"})', '{{what}}']],
      },
      {
        title: 'Memory of waiting deliveries',
        description: 'At 256 MiB a dispatcher drops deliveries of the longest failing lane.',
        unit: 'bytes',
        queries: [['webhook_lanes{what="waiting_bytes"}', '{{instance}}']],
      },
      {
        title: 'Requests',
        description: 'Running and waiting, by share: fast and slow receivers.',
        unit: 'short',
        queries: [['sum by (what, share) (webhook_requests)', '{{what}} {{share}}']],
      },
      {
        title: 'Movements not taken',
        description: 'In the broker, not yet delivered to a dispatcher.',
        unit: 'short',
        alert: 'WebhookDeliveriesNotTaken',
        queries: [['max(consumer_pending_messages{durable="webhook-dispatcher-lanes"})', 'waiting']],
      },
      {
        title: 'Oldest unfinished delivery',
        description: 'For one failing receiver this may be hours.',
        unit: 's',
        queries: [
          ['max(consumer_oldest_unsettled_age_seconds{durable="webhook-dispatcher-lanes"})', 'oldest'],
        ],
      },
      {
        title: 'Secrets under an old key',
        description: 'Above 0, an older key of WEBHOOK_SECRET_KEYS is still needed.',
        unit: 'short',
        alert: 'WebhookResealStalled',
        queries: [['max(webhook_secrets_under_other_keys)', 'secrets']],
      },
    ],
  },
}
