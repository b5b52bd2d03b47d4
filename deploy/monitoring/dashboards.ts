import type { Board, Panel } from './grafana.ts'

const R = '[$__rate_interval]'
const HTTP = 'http_request_duration_seconds'
const PUBLIC = 'service="gateway",operation!="none"'
const READS = 'service="gateway",operation!~"none|streamMovements|exportAssets|exportLocations",method="GET"'

/** Median, 95th and 99th percentile of a histogram. */
const percentiles = (name: string, selector = ''): Panel['queries'] =>
  (['0.5', '0.95', '0.99'] as const).map((q) => [
    `histogram_quantile(${q}, sum by (le) (rate(${name}_bucket{${selector}}${R})))`,
    `p${Number(q) * 100}`,
  ])

const overview: Board = {
  uid: 'whereabouts-overview',
  title: 'Overview',
  rows: {
    'What was promised': [
      {
        title: 'Answers with 5xx, 1 h',
        description:
          'Part of the public requests answered with 5xx in the last hour; 0.1 % is the objective of a month.',
        unit: 'percentunit',
        stat: 'bad above',
        alert: 'ApiErrorBudgetBurnsFast',
        queries: [['whereabouts:api_errors:ratio_rate1h or vector(0)', '']],
      },
      {
        title: 'Slow reads, 1 h',
        description: 'Part of the successful reads that took longer than 250 ms; 1 % is the objective.',
        unit: 'percentunit',
        stat: 'bad above',
        alert: 'ApiLatencyBudgetBurnsFast',
        queries: [['whereabouts:api_slow_reads:ratio_rate1h', '']],
      },
      {
        title: 'Late scans, 1 h',
        description:
          'Part of the reader messages stored later than a second after the broker took them; 0.1 % is the objective.',
        unit: 'percentunit',
        stat: 'bad above',
        alert: 'ScanDelayBudgetBurnsFast',
        queries: [['whereabouts:scans_late:ratio_rate1h', '']],
      },
      {
        title: 'Webhooks, median delay',
        description: 'From the movement reaching the broker until the receiver had it.',
        unit: 's',
        stat: 'bad above',
        alert: 'WebhookDeliveriesSlow',
        queries: [
          ['histogram_quantile(0.5, sum by (le) (rate(webhook_delivery_delay_seconds_bucket[10m])))', ''],
        ],
      },
      {
        title: 'Oldest scan not stored',
        description: 'Nothing is lost while it waits: the broker keeps scans for 72 hours.',
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
        description: 'Every alert has its entry in docs/runbooks.md.',
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
        description: 'By the class of the answer.',
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
        description: 'Reader messages stored, history rows and movements they made.',
        unit: 'short',
        queries: [
          [`sum(rate(ingest_messages_total${R}))`, 'messages'],
          [`sum(rate(ingest_rows_total${R}))`, 'rows'],
          [`sum(rate(ingest_movements_total${R}))`, 'movements'],
        ],
      },
      {
        title: 'Error budget of 30 days left',
        description: 'Part of the month’s budget that is left, by objective, judged by the last three days.',
        unit: 'percentunit',
        queries: [
          ['1 - whereabouts:api_errors:ratio_rate3d / 0.001', 'answers'],
          ['1 - whereabouts:api_slow_reads:ratio_rate3d / 0.01', 'reads in time'],
          ['1 - whereabouts:scans_late:ratio_rate3d / 0.001', 'scans in time'],
        ],
      },
      {
        title: 'Webhook deliveries',
        description: 'Deliveries that came to an end.',
        unit: 'short',
        queries: [[`sum by (outcome) (rate(webhook_deliveries_total${R}))`, '{{outcome}}']],
      },
      {
        title: 'Organizations',
        description: 'By subscription; a lapsed one gets no deliveries.',
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

const api: Board = {
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
        title: 'Answers by status',
        description: 'Everything that is no 200; 401 and 403 are the caller’s, 5xx ours.',
        unit: 'reqps',
        queries: [
          [`sum by (status) (rate(${HTTP}_count{service="gateway",status!~"2.."}${R}))`, '{{status}}'],
        ],
      },
      {
        title: 'Delay of reads at the gateway',
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
        title: 'Delay inside the services, p99',
        description: 'What remains at the gateway is its own: token, limit, network.',
        unit: 's',
        queries: [
          [
            `histogram_quantile(0.99, sum by (le, service) (rate(${HTTP}_bucket{service!="gateway",operation!~"streamMovements|export.*"}${R})))`,
            '{{service}}',
          ],
        ],
      },
      {
        title: 'Part answered with 5xx',
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
        title: 'Services that do not answer',
        description: 'Requests answered 503 in place of a service.',
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
        title: 'Live streams',
        description: 'Open, and those ended because their client was too slow.',
        unit: 'short',
        queries: [
          ['sum(live_connections)', 'open'],
          [`sum(increase(live_slow_clients_total${R}))`, 'ended'],
          [`sum(increase(live_resets_total${R}))`, 'told to reload'],
        ],
      },
    ],
    'Keys and limits': [
      {
        title: 'Rate limit decisions',
        description:
          '`shared` is the database, `memory` an empty bucket remembered, `local` means that the database is away.',
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
        description: 'In memory, or asked of keys.',
        unit: 'reqps',
        queries: [[`sum by (source) (rate(gateway_key_lookups_total${R}))`, '{{source}}']],
      },
      {
        title: 'Key view',
        description: '1 while a gateway holds all keys.',
        unit: 'short',
        queries: [['gateway_key_view_current', '{{instance}}']],
      },
      {
        title: 'Delay of revocations',
        description: 'Until a gateway refused the key, and until its connections were ended.',
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
        description: 'Answers of the endpoints that hand out tokens; 429 is throttled guessing.',
        unit: 'reqps',
        queries: [
          [
            `sum by (operation, status) (rate(${HTTP}_count{service="keys",operation=~"issueToken|logIn|signUp|refreshSession"}${R}))`,
            '{{operation}} {{status}}',
          ],
        ],
      },
      {
        title: 'Signing key',
        description: 'Its age, and when it is replaced.',
        unit: 's',
        queries: [
          ['max(signing_key_age_seconds)', 'age'],
          ['max(signing_key_rotation_seconds)', 'replaced at'],
        ],
      },
    ],
  },
}

const ingest: Board = {
  uid: 'whereabouts-ingest',
  title: 'Ingest and readers',
  rows: {
    Scans: [
      {
        title: 'Delay until stored',
        description: 'Of the oldest message of each batch: the worst a message saw.',
        unit: 's',
        queries: percentiles('ingest_delay_seconds'),
      },
      {
        title: 'Messages in time and late',
        description: 'Stored within the second that is promised, or later.',
        unit: 'short',
        queries: [[`sum by (promise) (rate(ingest_messages_total${R}))`, '{{promise}}']],
      },
      {
        title: 'Reads by outcome',
        description: 'Thinned reads are part of the observed ones: their minute had a row already.',
        unit: 'short',
        queries: [[`sum by (outcome) (rate(ingest_reads_total${R}))`, '{{outcome}}']],
      },
      {
        title: 'Oldest message not settled',
        description: 'By durable.',
        unit: 's',
        alert: 'IngestBehind',
        queries: [
          ['max by (durable) (consumer_oldest_unsettled_age_seconds{durable=~"tracking-.*"})', '{{durable}}'],
        ],
      },
      {
        title: 'Messages waiting',
        description: 'Not yet delivered to any replica.',
        unit: 'short',
        queries: [['max by (durable) (consumer_pending_messages{durable=~"tracking-.*"})', '{{durable}}']],
      },
      {
        title: 'SCANS',
        description:
          'Bytes kept, and the bound from which on the oldest are dropped. Full is usual: what counts is whether they are stored.',
        unit: 'bytes',
        queries: [
          ['max(stream_bytes{stream="SCANS"})', 'bytes'],
          ['max(stream_max_bytes{stream="SCANS"})', 'bound'],
        ],
      },
      {
        title: 'Dead letters',
        description: 'Messages given up in the last hour.',
        unit: 'short',
        queries: [
          ['sum by (durable, reason) (increase(consumer_buried_total[1h]))', '{{durable}} {{reason}}'],
        ],
      },
      {
        title: 'Behind catalog',
        description: 'Changes of catalog still to apply.',
        unit: 'short',
        alert: 'CatalogProjectionBehind',
        queries: [['max by (projection) (catalog_projection_pending)', '{{projection}}']],
      },
    ],
    Readers: [
      {
        title: 'Readers by state',
        description: 'Configured ones and those only heard.',
        unit: 'short',
        queries: [['max by (kind, state) (readers)', '{{kind}} {{state}}']],
      },
      {
        title: 'Readers in trouble',
        description:
          'Clocks more than 30 s off, or messages that could not be used, in the last ten minutes.',
        unit: 'short',
        queries: [
          ['max(readers_skewed)', 'clock'],
          ['max(readers_with_problems)', 'unusable messages'],
        ],
      },
      {
        title: 'Logins',
        description: 'Undecided ones were refused for want of an answer.',
        unit: 'short',
        queries: [
          [`sum by (client_type, outcome) (rate(broker_logins_total${R}))`, '{{client_type}} {{outcome}}'],
        ],
      },
      {
        title: 'Time to decide a login',
        description: 'The broker waits two seconds.',
        unit: 's',
        queries: percentiles('broker_login_duration_seconds'),
      },
      {
        title: 'Unknown tags',
        description: 'On the lists of all organizations.',
        unit: 'short',
        queries: [['max(unknown_tags)', 'tags']],
      },
      {
        title: 'Months of history ahead',
        description: 'With a partition already.',
        unit: 'short',
        alert: 'HistoryMonthsMissing',
        queries: [['max(history_months_ahead)', 'months']],
      },
    ],
  },
}

const webhooks: Board = {
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

const stores: Board = {
  uid: 'whereabouts-stores',
  title: 'Data stores and broker',
  rows: {
    PostgreSQL: [
      {
        title: 'Connections in use',
        description: 'By pool, over all replicas.',
        unit: 'short',
        queries: [['sum by (service, pool) (database_connections{state="in_use"})', '{{service}} {{pool}}']],
      },
      {
        title: 'Statements waiting for a connection',
        description: 'More than now and then: the pool is too small, or statements too slow.',
        unit: 'short',
        queries: [['sum by (service, pool) (database_waiting)', '{{service}} {{pool}}']],
      },
      {
        title: 'Database there',
        description: 'The worst replica of each service.',
        unit: 'short',
        queries: [['min by (service) (readiness_check{check="database"})', '{{service}}']],
      },
      {
        title: 'Replication lag',
        description: 'Needs CloudNativePG’s metrics or postgres_exporter.',
        unit: 's',
        alert: 'PostgresReplicationLag',
        queries: [
          [
            'max by (pod, instance) (cnpg_pg_replication_lag or pg_replication_lag_seconds)',
            '{{pod}}{{instance}}',
          ],
        ],
      },
      {
        title: 'Outbox',
        description: 'Age of the oldest change that waits to be published.',
        unit: 's',
        alert: 'OutboxStuck',
        queries: [['max by (service) (outbox_age_seconds)', '{{service}}']],
      },
      {
        title: 'Imports',
        description: 'Unfinished ones.',
        unit: 'short',
        queries: [
          ['max by (state) (imports{state=~"uploading|pending|running"})', '{{state}}'],
          [`sum by (outcome) (rate(import_batches_total${R}))`, 'batches {{outcome}}'],
        ],
      },
      {
        title: 'Longest wait of an import',
        description: 'Since it was last worked on.',
        unit: 's',
        alert: 'ImportsStuck',
        queries: [['max(import_oldest_waiting_seconds)', 'wait']],
      },
      {
        title: 'Background work overdue',
        description: 'Time since the last success, in intervals of that work; 1 is on time.',
        unit: 'short',
        queries: [
          [
            'max by (service, work) ((time() - timed_work_last_success_timestamp_seconds) / clamp_min(timed_work_interval_seconds, 60))',
            '{{service}} {{work}}',
          ],
          [
            `sum by (service, work) (increase(timed_work_failures_total${R}))`,
            'failures {{service}} {{work}}',
          ],
        ],
      },
    ],
    Broker: [
      {
        title: 'Connections to the broker',
        description: 'The worst replica, by user.',
        unit: 'short',
        queries: [
          ['min by (service, connection) (broker_connected)', '{{service}} {{connection}}'],
          [`sum by (service) (increase(broker_reconnects_total${R}))`, 'reconnects {{service}}'],
        ],
      },
      {
        title: 'Not stored by the broker',
        description: 'Messages published and not confirmed; they are published again.',
        unit: 'short',
        queries: [
          [`sum by (service, reason) (rate(broker_publish_failures_total${R}))`, '{{service}} {{reason}}'],
        ],
      },
      {
        title: 'Streams',
        description: 'Messages kept.',
        unit: 'short',
        queries: [['max by (stream) (stream_messages)', '{{stream}}']],
      },
      {
        title: 'Bytes of streams',
        description: 'On disk at the broker, one copy.',
        unit: 'bytes',
        queries: [['max by (stream) (stream_bytes)', '{{stream}}']],
      },
      {
        title: 'Copies of streams',
        description: 'Missing ones: 0 is well.',
        unit: 'short',
        queries: [
          ['max by (stream) (stream_replicas) - max by (stream) (stream_replicas_current)', '{{stream}}'],
        ],
      },
      {
        title: 'Age of the oldest message kept',
        description: 'SCANS keeps 72 hours at most.',
        unit: 's',
        queries: [
          [
            'max by (stream) (stream_oldest_message_age_seconds{stream=~"SCANS|EVENTS|DEAD|PLACEMENTS"})',
            '{{stream}}',
          ],
        ],
      },
      {
        title: 'Held against the bound',
        description: 'Delivered and not settled, as part of what may be.',
        unit: 'percentunit',
        alert: 'AckPendingNearLimit',
        queries: [
          [
            'max by (durable) (consumer_ack_pending_messages) / max by (durable) (consumer_max_ack_pending_messages)',
            '{{durable}}',
          ],
        ],
      },
      {
        title: 'Messages settled',
        description: 'By outcome; redelivered ones were not the first of their message.',
        unit: 'short',
        queries: [
          [`sum by (durable, outcome) (rate(consumer_messages_total${R}))`, '{{durable}} {{outcome}}'],
          [`sum by (durable) (rate(consumer_redelivered_total${R}))`, 'redelivered {{durable}}'],
          [`sum by (durable) (rate(consumer_held_total${R}))`, 'held {{durable}}'],
        ],
      },
    ],
  },
}

const processes: Board = {
  uid: 'whereabouts-processes',
  title: 'Processes',
  rows: {
    'Every process': [
      {
        title: 'Event loop delay, p99',
        description: 'Above some ten milliseconds everything of the process is late.',
        unit: 's',
        alert: 'EventLoopBlocked',
        queries: [['nodejs_eventloop_lag_p99_seconds{instance=~"$instance"}', '{{service}} {{instance}}']],
      },
      {
        title: 'CPU',
        description: 'Cores; JavaScript runs on one.',
        unit: 'short',
        queries: [[`rate(process_cpu_seconds_total{instance=~"$instance"}${R})`, '{{service}} {{instance}}']],
      },
      {
        title: 'Memory',
        description: 'Resident.',
        unit: 'bytes',
        alert: 'MemoryHigh',
        queries: [['process_resident_memory_bytes{instance=~"$instance"}', '{{service}} {{instance}}']],
      },
      {
        title: 'Heap',
        description: 'JavaScript objects; what grows from day to day leaks.',
        unit: 'bytes',
        queries: [['nodejs_heap_size_used_bytes{instance=~"$instance"}', '{{service}} {{instance}}']],
      },
      {
        title: 'Memory outside the heap',
        description: 'Buffers.',
        unit: 'bytes',
        queries: [['nodejs_external_memory_bytes{instance=~"$instance"}', '{{service}} {{instance}}']],
      },
      {
        title: 'Garbage collection',
        description: 'Part of the time.',
        unit: 'percentunit',
        queries: [
          [
            `sum by (service, instance) (rate(nodejs_gc_duration_seconds_sum{instance=~"$instance"}${R}))`,
            '{{service}} {{instance}}',
          ],
        ],
      },
      {
        title: 'Open files',
        description: 'As part of what is allowed: connections are files.',
        unit: 'percentunit',
        queries: [
          [
            'process_open_fds{instance=~"$instance"} / process_max_fds{instance=~"$instance"}',
            '{{service}} {{instance}}',
          ],
        ],
      },
      {
        title: 'Starts',
        description: 'In the last hour.',
        unit: 'short',
        queries: [
          ['changes(process_start_time_seconds{instance=~"$instance"}[1h])', '{{service}} {{instance}}'],
        ],
      },
    ],
  },
}

/** One file each in dashboards/, written by generate.ts. */
export const boards: readonly Board[] = [overview, api, ingest, webhooks, stores, processes]
