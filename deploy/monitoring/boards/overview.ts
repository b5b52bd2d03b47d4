import type { Board } from '../grafana.ts'
import { HTTP, PUBLIC, R } from './queries.ts'

export const overview: Board = {
  uid: 'whereabouts-overview',
  title: 'Overview',
  rows: {
    'What was promised': [
      {
        title: 'Responses with 5xx, 1 h',
        description:
          'Share of public requests answered with 5xx in the last hour. The objective is 0.1 % a month.',
        unit: 'percentunit',
        stat: 'bad above',
        alert: 'ApiErrorBudgetBurnsFast',
        queries: [['whereabouts:api_errors:ratio_rate1h or vector(0)', '']],
      },
      {
        title: 'Slow reads, 1 h',
        description: 'Share of successful reads that took longer than 250 ms. The objective is 1 %.',
        unit: 'percentunit',
        stat: 'bad above',
        alert: 'ApiLatencyBudgetBurnsFast',
        queries: [['whereabouts:api_slow_reads:ratio_rate1h', '']],
      },
      {
        title: 'Late scans, 1 h',
        description:
          'Share of reader messages stored more than a second after the broker received them. The objective is 0.1 %.',
        unit: 'percentunit',
        stat: 'bad above',
        alert: 'ScanDelayBudgetBurnsFast',
        queries: [['whereabouts:scans_late:ratio_rate1h', '']],
      },
      {
        title: 'Webhooks, median delay',
        description: 'From the arrival of the movement at the broker until the receiver answered 2xx.',
        unit: 's',
        stat: 'bad above',
        alert: 'WebhookDeliveriesSlow',
        queries: [
          ['histogram_quantile(0.5, sum by (le) (rate(webhook_delivery_delay_seconds_bucket[10m])))', ''],
        ],
      },
      {
        title: 'Oldest scan not stored',
        description: 'Waiting scans are not lost: the broker keeps them for 72 hours.',
        unit: 's',
        stat: 'bad above',
        alert: 'IngestBehind',
        queries: [['max(consumer_oldest_unsettled_age_seconds{durable="tracking-ingest"})', '']],
      },
      {
        title: 'Slow revocations, 24 h',
        description: 'Revoked keys that some gateway accepted for longer than a second.',
        unit: 'short',
        stat: 'bad above',
        alert: 'RevocationSlow',
        queries: [
          [
            'sum(increase(gateway_revocation_delay_seconds_count[24h])) - sum(increase(gateway_revocation_delay_seconds_bucket{le="1"}[24h]))',
            '',
          ],
        ],
      },
    ],
    Now: [
      {
        title: 'Firing alerts',
        description: 'Each alert has an entry in docs/runbooks.md.',
        unit: 'short',
        queries: [
          ['sum by (alertname, severity) (ALERTS{alertstate="firing"})', '{{severity}}: {{alertname}}'],
        ],
      },
      {
        title: 'Readiness',
        description: 'The worst replica by service and check; 0 is not ready.',
        unit: 'short',
        queries: [['min by (service, check) (readiness_check)', '{{service}} {{check}}']],
      },
      {
        title: 'Public requests',
        description: 'By class of status.',
        unit: 'reqps',
        queries: [
          [
            `sum by (class) (label_replace(rate(${HTTP}_count{${PUBLIC}}${R}), "class", "$\{1}xx", "status", "(.).."))`,
            '{{class}}',
          ],
        ],
      },
      {
        title: 'Scans and movements',
        description: 'Reader messages stored, with the history rows and movements from them.',
        unit: 'short',
        queries: [
          [`sum(rate(ingest_messages_total${R}))`, 'messages'],
          [`sum(rate(ingest_rows_total${R}))`, 'rows'],
          [`sum(rate(ingest_movements_total${R}))`, 'movements'],
        ],
      },
      {
        title: 'Error budget of 30 days left',
        description: 'Share of the monthly budget left, by objective, at the rate of the last three days.',
        unit: 'percentunit',
        queries: [
          ['1 - whereabouts:api_errors:ratio_rate3d / 0.001', 'responses'],
          ['1 - whereabouts:api_slow_reads:ratio_rate3d / 0.01', 'reads in time'],
          ['1 - whereabouts:scans_late:ratio_rate3d / 0.001', 'scans in time'],
        ],
      },
      {
        title: 'Webhook deliveries',
        description: 'Finished deliveries, by outcome.',
        unit: 'short',
        queries: [[`sum by (outcome) (rate(webhook_deliveries_total${R}))`, '{{outcome}}']],
      },
      {
        title: 'Organizations',
        description: 'By subscription. A lapsed organization gets no deliveries.',
        unit: 'short',
        queries: [['max by (subscription) (organizations)', '{{subscription}}']],
      },
      {
        title: 'Releases',
        description: 'Processes by service and version.',
        unit: 'short',
        queries: [['count by (service, version) (build_info)', '{{service}} {{version}}']],
      },
    ],
  },
}
