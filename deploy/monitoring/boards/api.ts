import type { Board } from '../grafana.ts'
import { HTTP, PUBLIC, R, READS, percentiles } from './queries.ts'

export const api: Board = {
  uid: 'whereabouts-api',
  title: 'Gateway and API',
  rows: {
    Requests: [
      {
        title: 'Requests by operation',
        description: 'The twelve busiest.',
        unit: 'reqps',
        queries: [[`topk(12, sum by (operation) (rate(${HTTP}_count{${PUBLIC}}${R})))`, '{{operation}}']],
      },
      {
        title: 'Responses by status',
        description: 'All but 200. 401 and 403 are errors of the caller, 5xx are ours.',
        unit: 'reqps',
        queries: [
          [`sum by (status) (rate(${HTTP}_count{service="gateway",status!~"2.."}${R}))`, '{{status}}'],
        ],
      },
      {
        title: 'Duration of reads at the gateway',
        description: 'Without live streams and exports.',
        unit: 's',
        queries: percentiles(HTTP, READS),
      },
      {
        title: 'Slowest operations, p99',
        description: 'By operation, at the gateway.',
        unit: 's',
        queries: [
          [
            `topk(8, histogram_quantile(0.99, sum by (le, operation) (rate(${HTTP}_bucket{${READS}}${R}))))`,
            '{{operation}}',
          ],
        ],
      },
      {
        title: 'Duration inside the services, p99',
        description: 'The gateway adds token, rate limit and network.',
        unit: 's',
        queries: [
          [
            `histogram_quantile(0.99, sum by (le, service) (rate(${HTTP}_bucket{service!="gateway",operation!~"streamMovements|streamReads|export.*"}${R})))`,
            '{{service}}',
          ],
        ],
      },
      {
        title: 'Share of 5xx',
        description: 'By operation.',
        unit: 'percentunit',
        queries: [
          [
            `sum by (operation) (rate(${HTTP}_count{${PUBLIC},status=~"5.."}${R})) / sum by (operation) (rate(${HTTP}_count{${PUBLIC}}${R}))`,
            '{{operation}}',
          ],
        ],
      },
      {
        title: 'Unavailable services',
        description: 'Requests answered 503 because a service did not answer.',
        unit: 'reqps',
        alert: 'UpstreamFailing',
        queries: [
          [
            `sum by (upstream, reason) (rate(gateway_upstream_failures_total${R}))`,
            '{{upstream}} {{reason}}',
          ],
        ],
      },
      {
        title: 'Places at services',
        description:
          'Requests that wait for a place at a service, and those refused because too many waited.',
        unit: 'short',
        queries: [
          ['sum by (upstream) (gateway_upstream_requests{state="waiting"})', '{{upstream}} waiting'],
          [`sum by (upstream) (increase(gateway_upstream_refusals_total${R}))`, '{{upstream}} refused'],
        ],
      },
      {
        title: 'Live streams',
        description: 'Open streams, and those closed because the client was slow or the feed was full.',
        unit: 'short',
        queries: [
          ['sum(live_connections)', 'open'],
          [`sum(increase(live_slow_clients_total${R}))`, 'ended'],
          [`sum(increase(live_displaced_total${R}))`, 'ended for others'],
          [`sum(increase(live_resets_total${R}))`, 'told to reload'],
        ],
      },
    ],
    'Keys and limits': [
      {
        title: 'Rate limit decisions',
        description:
          '`shared` is the database, `memory` is a bucket known to be empty, `local` means that the database is unavailable.',
        unit: 'reqps',
        queries: [
          [
            `sum by (source, outcome) (rate(gateway_rate_limit_decisions_total${R}))`,
            '{{source}} {{outcome}}',
          ],
        ],
      },
      {
        title: 'Key look-ups',
        description: 'In memory, or at the keys service.',
        unit: 'reqps',
        queries: [[`sum by (source) (rate(gateway_key_lookups_total${R}))`, '{{source}}']],
      },
      {
        title: 'Key view',
        description: '1 while a gateway holds all keys in memory.',
        unit: 'short',
        queries: [['gateway_key_view_current', '{{instance}}']],
      },
      {
        title: 'Delay of revocations',
        description: 'Until a gateway refused the key, and until its connections were closed.',
        unit: 's',
        queries: [
          [
            'histogram_quantile(0.99, sum by (le) (increase(gateway_revocation_delay_seconds_bucket[1h])))',
            'gateway p99',
          ],
          [
            'histogram_quantile(0.99, sum by (le) (increase(revocation_disconnect_delay_seconds_bucket[1h])))',
            'broker p99',
          ],
          ['max(revocation_oldest_pending_seconds)', 'oldest pending'],
        ],
      },
      {
        title: 'Tokens and sessions',
        description: 'Responses of the endpoints that issue tokens. 429 means throttled.',
        unit: 'reqps',
        queries: [
          [
            `sum by (operation, status) (rate(${HTTP}_count{service="keys",operation=~"createToken|createLegacyToken|logIn|signUp|refreshSession"}${R}))`,
            '{{operation}} {{status}}',
          ],
        ],
      },
      {
        title: 'Signing key',
        description: 'Its age, and the age of its rotation.',
        unit: 's',
        queries: [
          ['max(signing_key_age_seconds)', 'age'],
          ['max(signing_key_rotation_seconds)', 'rotated at'],
        ],
      },
    ],
  },
}
