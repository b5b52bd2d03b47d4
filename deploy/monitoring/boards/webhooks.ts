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
        description: 'By reason. Most follow from the settings or the subscription of the customer.',
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
    'What waits': [
      {
        title: 'Deliveries waiting',
        description: 'Rows that wait for another attempt, in the database.',
        unit: 'short',
        queries: [['max(webhook_deliveries_waiting)', 'waiting']],
      },
      {
        title: 'Share of endpoints behind',
        description:
          'With movements that were recorded over a minute ago and not yet attempted: slow receivers, or us.',
        unit: 'percentunit',
        alert: 'WebhookDeliveriesNotTaken',
        queries: [['max(webhook_endpoints_behind) / max(webhooks{state="enabled"})', 'share']],
      },
      {
        title: 'Endpoints served',
        description: 'Whose deliveries each dispatcher makes now.',
        unit: 'short',
        queries: [['webhook_endpoints_served', '{{instance}}']],
      },
      {
        title: 'Requests',
        description: 'Running, by share: fast and slow receivers.',
        unit: 'short',
        queries: [['sum by (share) (webhook_requests)', '{{share}}']],
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
