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
          'Retries and waiting for slow receivers included; the median says how we are, p99 how the slowest receivers are.',
        unit: 's',
        alert: 'WebhookDeliveriesSlow',
        queries: percentiles('webhook_delivery_delay_seconds'),
      },
      {
        title: 'Part of failed requests',
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
        description: 'That came to an end.',
        unit: 'short',
        queries: [[`sum by (outcome) (rate(webhook_deliveries_total${R}))`, '{{outcome}}']],
      },
      {
        title: 'Dropped',
        description: 'By reason; the first four are what the customer or the subscription wants.',
        unit: 'short',
        queries: [[`sum by (reason) (rate(webhook_dropped_total${R}))`, '{{reason}}']],
      },
      {
        title: 'Time of a request to a receiver',
        description: 'After five seconds it has failed.',
        unit: 's',
        queries: percentiles('webhook_attempt_duration_seconds'),
      },
      {
        title: 'Webhooks',
        description: 'Switched on and off.',
        unit: 'short',
        queries: [['max by (state) (webhooks)', '{{state}}']],
      },
    ],
    'Lanes and slots': [
      {
        title: 'Deliveries waiting and begun',
        description: 'In the memory of each dispatcher.',
        unit: 'short',
        queries: [['sum by (what) (webhook_lanes{what!="waiting_bytes"})', '{{what}}']],
      },
      {
        title: 'Memory of what waits',
        description: 'At 256 MiB each dispatcher drops from the longest lane in trouble.',
        unit: 'bytes',
        queries: [['webhook_lanes{what="waiting_bytes"}', '{{instance}}']],
      },
      {
        title: 'Requests',
        description: 'Under way and waiting, by share: receivers that are well, receivers that are slow.',
        unit: 'short',
        queries: [['sum by (what, share) (webhook_requests)', '{{what}} {{share}}']],
      },
      {
        title: 'Movements not taken',
        description: 'In the broker, delivered to no dispatcher.',
        unit: 'short',
        alert: 'WebhookDeliveriesNotTaken',
        queries: [['max(consumer_pending_messages{durable="webhook-dispatcher-lanes"})', 'waiting']],
      },
      {
        title: 'Oldest delivery not over',
        description: 'Of one receiver in trouble that may be hours.',
        unit: 's',
        queries: [
          ['max(consumer_oldest_unsettled_age_seconds{durable="webhook-dispatcher-lanes"})', 'oldest'],
        ],
      },
      {
        title: 'Secrets under an old key',
        description: 'Above 0, a key behind the first of WEBHOOK_SECRET_KEYS is still needed.',
        unit: 'short',
        alert: 'WebhookResealStalled',
        queries: [['max(webhook_secrets_under_other_keys)', 'secrets']],
      },
    ],
  },
}
