type Service = 'gateway' | 'keys' | 'catalog' | 'tracking' | 'webhook-dispatcher' | 'console'
type Values = readonly string[] | 'open'

/** One metric of the services. `test/operator/metrics.test.ts` holds this list against what running services expose. */
export type Metric = {
  name: string
  type: 'counter' | 'gauge' | 'histogram'
  services: readonly Service[]
  /** Beside `service`, which all have. `open`: a set that is bounded by the code but not worth listing. */
  labels: Readonly<Record<string, Values>>
  meaning: string
  /** What it shows to be kept or broken. */
  promise: string
}

const ALL: readonly Service[] = ['gateway', 'keys', 'catalog', 'tracking', 'webhook-dispatcher', 'console']
const WITH_BROKER: readonly Service[] = ['gateway', 'keys', 'catalog', 'tracking', 'webhook-dispatcher']
const OUTBOXES: readonly Service[] = ['keys', 'catalog', 'tracking']
const WATCHING: readonly Service[] = ['tracking', 'webhook-dispatcher']
const DURABLES = ['tracking-ingest', 'tracking-catalog', 'tracking-placements', 'webhook-dispatcher-lanes']
const STREAMS = ['SCANS', 'CATALOG', 'KEYS', 'EVENTS', 'PLACEMENTS', 'DEAD']
const CONNECTIONS = ['services', 'system', 'callout']
const WORKS = [
  'bucket-purge',
  'signing-key-refresh',
  'disconnects',
  'signing-key-rotation',
  'token-purge',
  'keys-census',
  'imports',
  'import-purge',
  'import-census',
  'partitions',
  'reader-census',
  'broker-watch',
  'webhook-reseal',
  'webhook-census',
]

const counter = (
  name: string,
  services: readonly Service[],
  labels: Metric['labels'],
  meaning: string,
  promise: string,
): Metric => ({ name, type: 'counter', services, labels, meaning, promise })
const gauge = (...of: Parameters<typeof counter>): Metric => ({ ...counter(...of), type: 'gauge' })
const histogram = (...of: Parameters<typeof counter>): Metric => ({ ...counter(...of), type: 'histogram' })

const everywhere: readonly Metric[] = [
  gauge(
    'build_info',
    ALL,
    { version: 'open', node: 'open' },
    'Always 1; what runs.',
    'a release is what it says',
  ),
  gauge(
    'readiness_check',
    ALL,
    { check: 'open' },
    '1 where what a service needs is there; the console needs nothing.',
    'requests reach only replicas that can serve them',
  ),
  histogram(
    'http_request_duration_seconds',
    ALL,
    { operation: 'open', method: 'open', status: 'open' },
    'Requests by operation of the route table; `none` is what matches no route.',
    'the API answers, and soon; tokens are issued; guessing is throttled (D9.1)',
  ),
  gauge(
    'timed_work_last_success_timestamp_seconds',
    WITH_BROKER,
    { work: WORKS },
    'When a background loop last succeeded; at first the time of the start.',
    'purges, rotation, partitions, sealing and the looks behind the gauges go on',
  ),
  gauge(
    'timed_work_interval_seconds',
    WITH_BROKER,
    { work: WORKS },
    'How often it is to succeed.',
    'the same',
  ),
  counter('timed_work_failures_total', WITH_BROKER, { work: WORKS }, 'Turns that failed.', 'the same'),
  gauge(
    'broker_connected',
    WITH_BROKER,
    { connection: CONNECTIONS },
    '1 while a connection to the broker is there. The keys service has three.',
    'services hear of each other',
  ),
  counter(
    'broker_reconnects_total',
    WITH_BROKER,
    { connection: CONNECTIONS },
    'Connections lost and made again.',
    'the same',
  ),
  counter(
    'broker_publish_failures_total',
    WITH_BROKER,
    { connection: CONNECTIONS, reason: ['disconnected', 'no_answer', 'refused'] },
    'Messages the broker did not confirm; they are published again.',
    'nothing is lost between services',
  ),
  gauge(
    'database_connections',
    WITH_BROKER,
    { pool: 'open', state: ['in_use', 'idle'] },
    'Connections to PostgreSQL.',
    'requests do not wait for a connection',
  ),
  gauge('database_connections_max', WITH_BROKER, { pool: 'open' }, 'As many may be opened.', 'the same'),
  gauge('database_waiting', WITH_BROKER, { pool: 'open' }, 'Statements that wait for one.', 'the same'),
  gauge(
    'outbox_age_seconds',
    OUTBOXES,
    {},
    'Age of the oldest change that waits to be published, as the replica that publishes last saw it.',
    'a change reaches the other services',
  ),
]

const messaging: readonly Metric[] = [
  counter(
    'consumer_messages_total',
    WATCHING,
    { durable: DURABLES, outcome: ['ack', 'nak', 'bury', 'return'] },
    'Messages settled: handled, to be tried again, given up, handed back at a stop.',
    'every message is handled',
  ),
  counter(
    'consumer_buried_total',
    WATCHING,
    { durable: DURABLES, reason: ['poison', 'retries_exhausted', 'never_settled'] },
    'Messages given up, kept among the dead letters.',
    'nothing is dropped silently',
  ),
  counter(
    'consumer_redelivered_total',
    WATCHING,
    { durable: DURABLES },
    'Deliveries that were not the first of their message.',
    'replicas do not die with work in hand',
  ),
  counter(
    'consumer_held_total',
    WATCHING,
    { durable: DURABLES },
    'Attempts ended by something that was away; the messages were held.',
    'an outage loses nothing',
  ),
  gauge(
    'consumer_lag_messages',
    WATCHING,
    { durable: DURABLES },
    'Not yet delivered, as last heard with a message.',
    'consumers keep up',
  ),
  gauge(
    'consumer_pending_messages',
    WATCHING,
    { durable: DURABLES },
    'Not yet delivered, as the broker says.',
    'consumers keep up',
  ),
  gauge(
    'consumer_ack_pending_messages',
    WATCHING,
    { durable: DURABLES },
    'Delivered and not settled.',
    'consumers keep up',
  ),
  gauge(
    'consumer_max_ack_pending_messages',
    WATCHING,
    { durable: DURABLES },
    'Bound of the former.',
    'the same',
  ),
  gauge(
    'consumer_oldest_unsettled_age_seconds',
    WATCHING,
    { durable: DURABLES },
    'Age of the oldest message not settled; of EVENTS the oldest movement not delivered.',
    'nothing waits for ever',
  ),
  gauge(
    'stream_messages',
    WATCHING,
    { stream: STREAMS },
    'Messages in a stream; in DEAD, the dead letters.',
    'the broker has room',
  ),
  gauge('stream_bytes', WATCHING, { stream: STREAMS }, 'Bytes in a stream.', 'the same'),
  gauge(
    'stream_max_bytes',
    WATCHING,
    { stream: ['SCANS', 'DEAD'] },
    'Bytes from which on the oldest messages are dropped.',
    'the same',
  ),
  gauge(
    'stream_oldest_message_age_seconds',
    WATCHING,
    { stream: STREAMS },
    'Age of the oldest message kept.',
    'scans wait for tracking up to 72 hours',
  ),
  gauge(
    'stream_replicas',
    WATCHING,
    { stream: STREAMS },
    'Copies a stream is to have.',
    'a broker may be lost',
  ),
  gauge('stream_replicas_current', WATCHING, { stream: STREAMS }, 'Copies that are up to date.', 'the same'),
]

const gateway: readonly Metric[] = [
  counter(
    'gateway_rate_limit_decisions_total',
    ['gateway'],
    { source: ['shared', 'memory', 'local'], outcome: ['taken', 'refused'] },
    'Tokens taken or refused; `local`: the database was away.',
    'one limit over all gateways (D9.9)',
  ),
  counter(
    'gateway_key_lookups_total',
    ['gateway'],
    { source: ['view', 'service'] },
    'Keys and members looked up in memory, or asked of keys.',
    'requests do not depend on keys',
  ),
  counter(
    'gateway_upstream_failures_total',
    ['gateway'],
    {
      upstream: ['catalog', 'tracking', 'keys', 'webhook-dispatcher', 'console'],
      reason: ['unreachable', 'timeout', 'rubbish'],
    },
    'Requests answered 503 in place of a service.',
    'the API answers (D2)',
  ),
  histogram(
    'gateway_revocation_delay_seconds',
    ['gateway'],
    {},
    'From the revocation of a key until this gateway refused it.',
    'a revocation binds within a second (D9.3)',
  ),
  gauge(
    'gateway_key_view_current',
    ['gateway'],
    {},
    '1 while the view of keys holds all that KEYS does.',
    'the same',
  ),
]

const keys: readonly Metric[] = [
  counter(
    'broker_logins_total',
    ['keys'],
    { client_type: ['nats', 'mqtt', 'websocket', 'unknown'], outcome: ['granted', 'refused', 'undecided'] },
    'Logins at the broker, by the callout’s answer.',
    'readers can connect; strangers cannot',
  ),
  histogram(
    'broker_login_duration_seconds',
    ['keys'],
    { outcome: ['granted', 'refused', 'undecided'] },
    'Time until a login was decided; the broker waits two seconds.',
    'the same',
  ),
  histogram(
    'revocation_disconnect_delay_seconds',
    ['keys'],
    {},
    'From a revocation until the connections of the key were ended.',
    'a revoked reader is disconnected',
  ),
  gauge(
    'revocation_oldest_pending_seconds',
    ['keys'],
    {},
    'Age of the oldest revocation not yet seen through; up to six seconds are usual.',
    'the same',
  ),
  gauge(
    'signing_key_age_seconds',
    ['keys'],
    {},
    'Age of the key that signs tokens.',
    'signing keys rotate (D9.2)',
  ),
  gauge(
    'signing_key_rotation_seconds',
    ['keys'],
    {},
    'Age at which it is replaced (SIGNING_KEY_DAYS).',
    'the same',
  ),
  gauge(
    'organizations',
    ['keys'],
    { subscription: ['open_ended', 'ends_within_14_days', 'ends_later', 'lapsed'] },
    'Organizations by subscription; a lapsed one gets no deliveries.',
    'deliveries follow the subscription',
  ),
]

const catalog: readonly Metric[] = [
  gauge(
    'imports',
    ['catalog'],
    { state: ['uploading', 'pending', 'running', 'done', 'cancelled', 'failed'] },
    'Imports by state, those kept for their report included.',
    'an import comes to its end',
  ),
  gauge(
    'import_oldest_waiting_seconds',
    ['catalog'],
    {},
    'Time since an unfinished import was last worked on, at most.',
    'the same',
  ),
  counter(
    'import_batches_total',
    ['catalog'],
    { outcome: ['done', 'failed'] },
    'Batches of rows; a failed one is tried again in smaller parts.',
    'the same',
  ),
]

const tracking: readonly Metric[] = [
  histogram(
    'ingest_delay_seconds',
    ['tracking'],
    {},
    'From the broker’s receipt until stored, of the oldest message of each batch.',
    'a scan is in report and history within a second (D8.9)',
  ),
  counter(
    'ingest_messages_total',
    ['tracking'],
    { promise: ['kept', 'late'] },
    'Reader messages stored within the second, or later.',
    'the same',
  ),
  counter(
    'ingest_reads_total',
    ['tracking'],
    { outcome: ['observed', 'thinned', 'unknown_tag', 'unplaced', 'error', 'clock_skewed'] },
    'Reads by what became of them; `thinned` is part of `observed`, `clock_skewed` beside any.',
    'every read is stored or counted (D8.6, D8.8)',
  ),
  counter('ingest_rows_total', ['tracking'], {}, 'History rows stored.', 'the same'),
  counter('ingest_movements_total', ['tracking'], {}, 'Movements announced.', 'a movement becomes an event'),
  gauge(
    'readers',
    ['tracking'],
    { kind: ['configured', 'discovered'], state: ['online', 'silent', 'never_heard'] },
    'Readers as their list tells it.',
    'silence is noticed',
  ),
  gauge(
    'readers_skewed',
    ['tracking'],
    {},
    'Readers of the last ten minutes more than 30 s off.',
    'times are right (D8.6)',
  ),
  gauge(
    'readers_with_problems',
    ['tracking'],
    {},
    'Readers that lately sent something unusable.',
    'the same',
  ),
  gauge(
    'unknown_tags',
    ['tracking'],
    {},
    'Tags on the lists of unknown tags.',
    'no read is lost unseen (D8.8)',
  ),
  gauge(
    'history_months_ahead',
    ['tracking'],
    {},
    'Coming months with a partition, without a gap.',
    'history has room',
  ),
  gauge(
    'catalog_projection_applied_seq',
    ['tracking'],
    { projection: ['view', 'tables'] },
    'Place in CATALOG up to which everything is applied.',
    'reports follow catalog within two seconds (D8.9)',
  ),
  gauge(
    'catalog_projection_head_seq',
    ['tracking'],
    { projection: ['view', 'tables'] },
    'Where CATALOG ends.',
    'the same',
  ),
  gauge(
    'catalog_projection_pending',
    ['tracking'],
    { projection: ['view', 'tables'] },
    'Changes still to apply.',
    'the same',
  ),
  gauge('live_connections', ['tracking'], {}, 'Open live streams.', 'the live feed is there'),
  counter(
    'live_slow_clients_total',
    ['tracking'],
    {},
    'Streams ended because their client did not keep up.',
    'one slow client costs the others nothing',
  ),
  counter('live_resets_total', ['tracking'], {}, 'Clients told to reload.', 'the live feed has no gaps'),
]

const webhooks: readonly Metric[] = [
  histogram(
    'webhook_delivery_delay_seconds',
    ['webhook-dispatcher'],
    {},
    'From the event’s receipt by the broker until its receiver had it, retries included.',
    'movements are told at once',
  ),
  histogram(
    'webhook_attempt_duration_seconds',
    ['webhook-dispatcher'],
    { outcome: ['delivered', 'failed'] },
    'Requests to receivers.',
    'three attempts (D11.3)',
  ),
  counter(
    'webhook_deliveries_total',
    ['webhook-dispatcher'],
    { outcome: ['delivered', 'already_delivered', 'dropped'] },
    'Deliveries that came to an end.',
    'each event comes to an end',
  ),
  counter(
    'webhook_dropped_total',
    ['webhook-dispatcher'],
    {
      reason: [
        'no_webhook',
        'disabled',
        'subscription_lapsed',
        'before_enabled',
        'secret_unreadable',
        'attempts_exhausted',
        'lane_full',
      ],
    },
    'Deliveries dropped.',
    'nothing is dropped silently',
  ),
  gauge(
    'webhook_lanes',
    ['webhook-dispatcher'],
    { what: ['lanes', 'waiting', 'waiting_bytes', 'running'] },
    'What the lanes hold.',
    'a hanging receiver delays nobody else (D11.6)',
  ),
  gauge(
    'webhook_requests',
    ['webhook-dispatcher'],
    { what: 'open', share: ['well', 'slow'] },
    'Requests under way and waiting, by share.',
    'the same',
  ),
  gauge(
    'webhooks',
    ['webhook-dispatcher'],
    { state: ['enabled', 'disabled'] },
    'Webhooks.',
    'deliveries can be switched off',
  ),
  gauge(
    'webhook_secrets_under_other_keys',
    ['webhook-dispatcher'],
    {},
    'Secrets not sealed under the first key.',
    'secrets are encrypted at rest (D11.1)',
  ),
]

/** Every metric of the services but those that Node and prom-client bring (`process_*`, `nodejs_*`). */
export const metrics: readonly Metric[] = [
  ...everywhere,
  ...messaging,
  ...gateway,
  ...keys,
  ...catalog,
  ...tracking,
  ...webhooks,
]

/** Those of Node that alerts and dashboards use. */
export const defaultMetrics: readonly string[] = [
  'process_resident_memory_bytes',
  'process_start_time_seconds',
  'process_cpu_seconds_total',
  'process_open_fds',
  'process_max_fds',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_heap_size_used_bytes',
  'nodejs_heap_size_total_bytes',
  'nodejs_external_memory_bytes',
  'nodejs_active_handles_total',
  'nodejs_gc_duration_seconds',
]

/** What Prometheus says of a target, and the metrics of other programs' exporters. */
export const foreignMetrics: readonly string[] = [
  'up',
  'ALERTS',
  'cnpg_pg_replication_lag',
  'pg_replication_lag_seconds',
  'kubelet_volume_stats_available_bytes',
  'kubelet_volume_stats_capacity_bytes',
  'node_filesystem_avail_bytes',
  'node_filesystem_size_bytes',
  'probe_ssl_earliest_cert_expiry',
]
