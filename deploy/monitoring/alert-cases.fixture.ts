import { durableNames } from '@whereabouts/messaging/connect/topology'
/**
 * Series as promtool writes them, one value a minute: `0+60x130` grows by 60, `1x130` stays. A case changes
 * some series of a healthy system.
 */
export type Series = Readonly<Record<string, string>>

/** The series of a failure, and every alert that fires after 130 minutes of it. */
export type AlertCase = { failure: string; series: Series; fires: readonly string[] }

const SERVICES = ['gateway', 'keys', 'catalog', 'tracking', 'webhook-dispatcher', 'console']
const each = (names: readonly string[], make: (name: string) => Series): Series =>
  Object.assign({}, ...names.map(make)) as Series

const REQUESTS =
  'http_request_duration_seconds_count{service="gateway",operation="listAssets",method="GET",status="200"}'
const FAST =
  'http_request_duration_seconds_bucket{service="gateway",operation="listAssets",method="GET",status="200",le="0.25"}'
const SERVER_ERRORS =
  'http_request_duration_seconds_count{service="gateway",operation="listAssets",method="GET",status="503"}'
const THROTTLED =
  'http_request_duration_seconds_count{service="keys",operation="logIn",method="POST",status="429"}'
const logins = (outcome: string) => `broker_logins_total{client_type="mqtt",outcome="${outcome}"}`
const attempts = (outcome: string) => `webhook_attempt_duration_seconds_count{outcome="${outcome}"}`
const deadLettered = (durable: string, reason: string) =>
  `consumer_buried_total{durable="${durable}",reason="${reason}"}`
const oldest = (durable: string) => `consumer_oldest_unsettled_age_seconds{durable="${durable}"}`
const delayed = (le: string) => `webhook_delivery_delay_seconds_bucket{le="${le}"}`
const POOL = 'service="catalog",pool="catalog"'
const WORK = 'service="tracking",work="partitions"'
const CANARY = 'service="tracking",work="canary"'
const ONLINE = 'readers{kind="configured",state="online"}'

/** A healthy system under load. */
export const healthy: Series = {
  ...each(SERVICES, (service) => ({
    [`build_info{service="${service}"}`]: '1x130',
    [`readiness_check{service="${service}",check="database"}`]: '1x130',
    [`process_start_time_seconds{service="${service}"}`]: '1000x130',
    [`process_resident_memory_bytes{service="${service}"}`]: '200000000x130',
    [`nodejs_eventloop_lag_p99_seconds{service="${service}"}`]: '0.012x130',
    [`broker_connected{service="${service}",connection="services"}`]: '1x130',
    [`broker_reconnects_total{service="${service}",connection="services"}`]: '0x130',
    [`broker_publish_failures_total{service="${service}",connection="services",reason="refused"}`]: '0x130',
    [`outbox_age_seconds{service="${service}"}`]: '0.1x130',
  })),
  ...each(durableNames, (durable) => ({
    [`consumer_messages_total{durable="${durable}",outcome="ack"}`]: '0+600x130',
    [deadLettered(durable, 'poison')]: '0x130',
    [deadLettered(durable, 'retries_exhausted')]: '0x130',
    [`consumer_held_total{durable="${durable}"}`]: '0x130',
    [`consumer_redelivered_total{durable="${durable}"}`]: '0+1x130',
    [`consumer_pending_messages{durable="${durable}"}`]: '3x130',
    [`consumer_ack_pending_messages{durable="${durable}"}`]: '100x130',
    [`consumer_max_ack_pending_messages{durable="${durable}"}`]: '10000x130',
    [oldest(durable)]: '0.2x130',
  })),
  [REQUESTS]: '0+6000x130',
  [FAST]: '0+5990x130',
  [SERVER_ERRORS]: '0x130',
  [THROTTLED]: '0+1x130',
  'gateway_rate_limit_decisions_total{source="local",outcome="taken"}': '0x130',
  'gateway_upstream_failures_total{upstream="catalog",reason="timeout"}': '0x130',
  gateway_revocation_delay_seconds_count: '0+2x130',
  'gateway_revocation_delay_seconds_bucket{le="1"}': '0+2x130',
  gateway_key_view_current: '1x130',
  revocation_oldest_pending_seconds: '4x130',
  [logins('granted')]: '0+60x130',
  [logins('refused')]: '0+2x130',
  [logins('undecided')]: '0x130',
  reader_accounts: '1000x130',
  reader_accounts_used: '40x130',
  reader_suspensions_total: '0+0.03x130',
  'stream_bytes{stream="$MQTT_sess"}': '1000000x130',
  'stream_max_bytes{stream="$MQTT_sess"}': '67108864x130',
  'mails_total{outcome="sent"}': '0+2x130',
  'mails_total{outcome="failed"}': '0+0.1x130',
  signing_key_age_seconds: '2500000x130',
  signing_key_rotation_seconds: '7776000x130',
  'ingest_messages_total{promise="kept"}': '0+6000x130',
  'ingest_messages_total{promise="late"}': '0+1x130',
  'stream_oldest_message_age_seconds{stream="SCANS"}': '259000x130',
  'stream_bytes{stream="$MQTT_msgs"}': '1000x130',
  'stream_max_bytes{stream="$MQTT_msgs"}': '1073741824x130',
  ingest_organizations_with_unusable_messages: '0x130',
  broker_certificate_expiry_timestamp_seconds: '9000000x130',
  'stream_bytes{stream="OVERFLOW"}': '1000x130',
  'stream_max_bytes{stream="OVERFLOW"}': '1000000000x130',
  'stream_replicas{stream="SCANS"}': '3x130',
  'stream_replicas_current{stream="SCANS"}': '3x130',
  [ONLINE]: '100x130',
  'readers{kind="configured",state="silent"}': '10x130',
  readers_skewed: '1x130',
  history_days_ahead: '7x130',
  history_days_waiting: '0x130',
  'catalog_projection_pending{projection="view"}': '0x130',
  'catalog_projection_pending{projection="tables"}': '2x130',
  [attempts('delivered')]: '0+600x130',
  [attempts('failed')]: '0+30x130',
  [delayed('1')]: '0+600x130',
  [delayed('10')]: '0+600x130',
  [delayed('30')]: '0+600x130',
  [delayed('+Inf')]: '0+600x130',
  webhook_endpoints_behind: '0x130',
  'webhook_dropped_total{reason="secret_unreadable"}': '0x130',
  'webhooks{state="enabled"}': '50x130',
  webhook_secrets_under_other_keys: '0x130',
  [`timed_work_last_success_timestamp_seconds{${WORK}}`]: '0+60x130',
  [`timed_work_interval_seconds{${WORK}}`]: '60x130',
  [`timed_work_last_success_timestamp_seconds{${CANARY}}`]: '0+60x130',
  [`timed_work_interval_seconds{${CANARY}}`]: '60x130',
  canary_age_seconds: '40x130',
  import_oldest_waiting_seconds: '0x130',
  'import_batches_total{outcome="done"}': '0+60x130',
  'import_batches_total{outcome="failed"}': '0+1x130',
  [`database_waiting{${POOL}}`]: '0x130',
  [`database_connections{${POOL},state="in_use"}`]: '3x130',
  [`database_connections_max{${POOL}}`]: '10x130',
  'cnpg_pg_replication_lag{pod="postgres-2"}': '0.1x130',
  'kubelet_volume_stats_available_bytes{persistentvolumeclaim="postgres-1"}': '60x130',
  'kubelet_volume_stats_capacity_bytes{persistentvolumeclaim="postgres-1"}': '100x130',
  'barman_cloud_cloudnative_pg_io_last_available_backup_timestamp{namespace="whereabouts"}': '0+60x130',
  'backup_completed_timestamp_seconds{instance="node-exporter:9100"}': '0+60x130',
  'cnpg_pg_stat_archiver_last_archived_time{namespace="whereabouts"}': '0+60x130',
  'cnpg_pg_stat_archiver_last_failed_time{namespace="whereabouts"}': '-1x130',
  'cnpg_collector_pg_wal_archive_status{namespace="whereabouts",value="ready"}': '1x130',
  'probe_ssl_earliest_cert_expiry{instance="https://api"}': '9000000x130',
}

export const alertCases: readonly AlertCase[] = [
  {
    failure: 'one request in twenty is answered 503',
    series: { [SERVER_ERRORS]: '0+300x130' },
    fires: ['ApiErrorBudgetBurnsFast', 'ApiErrorBudgetBurnsSlowly'],
  },
  {
    failure: 'one request in 250 is answered 503',
    series: { [SERVER_ERRORS]: '0+24x130' },
    fires: ['ApiErrorBudgetBurnsSlowly'],
  },
  {
    failure: 'a third of the reads are slow',
    series: { [FAST]: '0+4000x130' },
    fires: ['ApiLatencyBudgetBurnsFast', 'ApiLatencyBudgetBurnsSlowly'],
  },
  {
    failure: 'nearly all reader accounts are used',
    series: { reader_accounts_used: '801x130' },
    fires: ['ReaderAccountsRunOut'],
  },
  {
    failure: 'a key floods the broker after each suspension',
    series: { reader_suspensions_total: '0+0.2x130' },
    fires: ['ReadersSuspended'],
  },
  {
    failure: 'sessions of MQTT readers fill their store',
    series: { 'stream_bytes{stream="$MQTT_sess"}': '60000000x130' },
    fires: ['MqttStoreFills'],
  },
  {
    failure: 'one read in twenty is slow',
    series: { [FAST]: '0+5700x130' },
    fires: ['ApiLatencyBudgetBurnsSlowly'],
  },
  {
    failure: 'no process of catalog is scraped',
    series: { 'build_info{service="catalog"}': '1x30 stale' },
    fires: ['ServiceMissing'],
  },
  {
    failure: 'catalog has lost its database',
    series: { 'readiness_check{service="catalog",check="database"}': '1x60 0x69' },
    fires: ['ServiceUnready', 'ReplicaUnready'],
  },
  {
    failure: 'one of two replicas has lost its database',
    series: { 'readiness_check{service="catalog",check="database",instance="b"}': '1x60 0x69' },
    fires: ['ReplicaUnready'],
  },
  {
    failure: 'the gateway has lost its database',
    series: { 'gateway_rate_limit_decisions_total{source="local",outcome="taken"}': '0+600x130' },
    fires: ['RateLimitLocal'],
  },
  {
    failure: 'catalog answers too late',
    series: { 'gateway_upstream_failures_total{upstream="catalog",reason="timeout"}': '0+60x130' },
    fires: ['UpstreamFailing'],
  },
  {
    failure: 'a gateway applies revocations late',
    series: { 'gateway_revocation_delay_seconds_bucket{le="1"}': '0+1x130' },
    fires: ['RevocationSlow'],
  },
  {
    failure: 'connections cannot be closed',
    series: { revocation_oldest_pending_seconds: '0+60x130' },
    fires: ['ConnectionsOutliveRevocation'],
  },
  {
    failure: 'a gateway does not follow KEYS',
    series: { gateway_key_view_current: '1x60 0x69' },
    fires: ['KeyViewStale'],
  },
  {
    failure: 'logins are not decided in time',
    series: { [logins('undecided')]: '0+10x130' },
    fires: ['LoginsUndecided'],
  },
  {
    failure: 'an attacker tries secrets of readers',
    series: { [logins('refused')]: '0+600x130' },
    fires: ['LoginsRefused'],
  },
  {
    failure: 'an attacker tries passwords',
    series: { [THROTTLED]: '0+120x130' },
    fires: ['AuthenticationThrottled'],
  },
  {
    failure: 'the mail server refuses the password',
    series: { 'mails_total{outcome="failed"}': '0+4x130' },
    fires: ['MailsNotSent'],
  },
  {
    failure: 'the signing key is four months old',
    series: { signing_key_age_seconds: '10000000x130' },
    fires: ['SigningKeyTooOld'],
  },
  {
    failure: 'one scan in twenty is late',
    series: { 'ingest_messages_total{promise="late"}': '0+300x130' },
    fires: ['ScanDelayBudgetBurnsFast', 'ScanDelayBudgetBurnsSlowly'],
  },
  {
    failure: 'one scan in 250 is late',
    series: { 'ingest_messages_total{promise="late"}': '0+24x130' },
    fires: ['ScanDelayBudgetBurnsSlowly'],
  },
  {
    failure: 'the broker stores no read, in good health',
    series: {
      [`timed_work_last_success_timestamp_seconds{${CANARY}}`]: '0x130',
      canary_age_seconds: '0+60x130',
    },
    fires: ['ReadsNotStored', 'ScansRefused', 'TimedWorkFailing'],
  },
  {
    failure: 'the broker takes reads, and none gets through ingest',
    series: { canary_age_seconds: '0+60x130' },
    fires: ['ReadsNotStored'],
  },
  {
    failure: 'no scan is stored',
    series: { [oldest('tracking-ingest')]: '0+60x130' },
    fires: ['IngestBehind'],
  },
  {
    failure: 'no scan is stored, and the stream keeps only an hour',
    series: {
      [oldest('tracking-ingest')]: '0+60x130',
      'stream_oldest_message_age_seconds{stream="SCANS"}': '3600x130',
    },
    fires: ['IngestBehind', 'ScansAboutToBeLost'],
  },
  {
    failure: 'an organization floods, and OVERFLOW fills',
    series: { 'stream_bytes{stream="OVERFLOW"}': '0+10000000x130' },
    fires: ['OverflowFilling'],
  },
  { failure: 'a site lost its network', series: { [ONLINE]: '100x119 30x10' }, fires: ['ReadersDroppedOff'] },
  {
    failure: 'the clock of the broker is off',
    series: { readers_skewed: '60x130' },
    fires: ['ReaderClocksOff'],
  },
  {
    failure: 'a device sends another format than its topic says',
    series: { [deadLettered('tracking-ingest', 'poison')]: '0+300x130' },
    fires: ['ReaderMessagesUnusable'],
  },
  {
    failure: 'partitions are not created',
    series: { history_days_ahead: '0x130' },
    fires: ['HistoryDaysMissing'],
  },
  {
    failure: 'history is not packed',
    series: { history_days_waiting: '3x130' },
    fires: ['HistoryNotPacked'],
  },
  { failure: 'a year of history is being packed', series: { history_days_waiting: '360-1x130' }, fires: [] },
  {
    failure: 'the tables of tracking do not follow catalog',
    series: { 'catalog_projection_pending{projection="tables"}': '0+100x130' },
    fires: ['CatalogProjectionBehind'],
  },
  {
    failure: 'most deliveries wait',
    series: { [delayed('1')]: '0+100x130', [delayed('10')]: '0+200x130' },
    fires: ['WebhookDeliveriesSlow'],
  },
  {
    failure: 'no dispatcher delivers',
    series: { webhook_endpoints_behind: '40x130' },
    fires: ['WebhookDeliveriesNotTaken'],
  },
  {
    failure: 'no dispatcher records events',
    series: { 'consumer_oldest_unsettled_age_seconds{durable="webhook-dispatcher-events"}': '0+60x130' },
    fires: ['EventsNotRecorded'],
  },
  {
    failure: 'outgoing requests are blocked',
    series: { [attempts('delivered')]: '0x130', [attempts('failed')]: '0+600x130' },
    fires: ['WebhookAttemptsFailing', 'WebhookAttemptsFailingOften'],
  },
  {
    failure: 'the endpoint of a large customer is down',
    series: { [attempts('delivered')]: '0+300x130', [attempts('failed')]: '0+900x130' },
    fires: ['WebhookAttemptsFailingOften'],
  },
  {
    failure: 'a key was removed too early',
    series: { 'webhook_dropped_total{reason="secret_unreadable"}': '0+10x130' },
    fires: ['WebhookSecretUnreadable'],
  },
  {
    failure: 'secrets stay under an old key',
    series: { webhook_secrets_under_other_keys: '7x130' },
    fires: ['WebhookResealStalled'],
  },
  {
    failure: 'a message between services fails on every retry',
    series: { [deadLettered('tracking-catalog', 'retries_exhausted')]: '0+1x130' },
    fires: ['MessagesBuried'],
  },
  {
    failure: 'a service publishes what another cannot read',
    series: { [deadLettered('webhook-dispatcher-events', 'poison')]: '0+1x130' },
    fires: ['MessagesBuried'],
  },
  {
    failure: 'states in KEYS were unreadable and have been replaced since',
    series: {
      'unreadable_states_total{service="gateway",stream="KEYS"}': '0+1x130',
      'unreadable_states{service="gateway",stream="KEYS"}': '0x130',
    },
    fires: ['StatesUnreadable'],
  },
  {
    failure: 'a state in CATALOG stays unreadable',
    series: {
      'unreadable_states_total{service="tracking",stream="CATALOG"}': '1x130',
      'unreadable_states{service="tracking",stream="CATALOG"}': '1x130',
    },
    fires: ['StatesUnreadable'],
  },
  {
    failure: 'the projection waits for the database',
    series: { 'consumer_held_total{durable="tracking-catalog"}': '0+10x130' },
    fires: ['ConsumerHeld'],
  },
  {
    failure: 'replicas crash while they handle messages',
    series: { 'consumer_redelivered_total{durable="tracking-ingest"}': '0+100x130' },
    fires: ['RedeliveriesHigh'],
  },
  {
    failure: 'all that the recorder took waits for the database',
    series: { 'consumer_ack_pending_messages{durable="webhook-dispatcher-events"}': '4950x130' },
    fires: ['AckPendingNearLimit'],
  },
  {
    failure: 'the outbox of catalog is not published',
    series: { 'outbox_age_seconds{service="catalog"}': '0+60x130' },
    fires: ['OutboxStuck'],
  },
  {
    failure: 'a loop keeps failing',
    series: { [`timed_work_last_success_timestamp_seconds{${WORK}}`]: '0x130' },
    fires: ['TimedWorkFailing'],
  },
  {
    failure: 'imports make no progress',
    series: { import_oldest_waiting_seconds: '0+60x130' },
    fires: ['ImportsStuck'],
  },
  {
    failure: 'every batch fails',
    series: { 'import_batches_total{outcome="failed"}': '0+120x130' },
    fires: ['ImportBatchesFailing'],
  },
  {
    failure: 'more statements than connections',
    series: {
      [`database_waiting{${POOL}}`]: '4x130',
      [`database_connections{${POOL},state="in_use"}`]: '10x130',
    },
    fires: ['DatabasePoolExhausted'],
  },
  {
    failure: 'a service has lost the broker',
    series: { 'broker_connected{service="catalog",connection="services"}': '1x60 0x69' },
    fires: ['BrokerDisconnected'],
  },
  {
    failure: 'the connection to the broker breaks every few minutes',
    series: { 'broker_reconnects_total{service="catalog",connection="services"}': '0+1x130' },
    fires: ['BrokerFlapping'],
  },
  {
    failure: 'the broker refuses what is published',
    series: {
      'broker_publish_failures_total{service="catalog",connection="services",reason="refused"}': '0+10x130',
    },
    fires: ['PublishFailing'],
  },
  {
    failure: 'one of three brokers is gone',
    series: { 'stream_replicas_current{stream="SCANS"}': '3x60 2x69' },
    fires: ['StreamReplicaMissing'],
  },
  {
    failure: 'a process blocks its event loop',
    series: { 'nodejs_eventloop_lag_p99_seconds{service="tracking"}': '0.4x130' },
    fires: ['EventLoopBlocked'],
  },
  {
    failure: 'the memory of a process grows',
    series: { 'process_resident_memory_bytes{service="tracking"}': '1000000000+10000000x130' },
    fires: ['MemoryHigh'],
  },
  {
    failure: 'a service crashes every few minutes',
    series: { 'process_start_time_seconds{service="tracking"}': '1000+300x130' },
    fires: ['ServiceRestarts'],
  },
  {
    failure: 'a replica of the database is behind',
    series: { 'cnpg_pg_replication_lag{pod="postgres-2"}': '0+60x130' },
    fires: ['PostgresReplicationLag'],
  },
  {
    failure: 'a volume is nearly full',
    series: { 'kubelet_volume_stats_available_bytes{persistentvolumeclaim="postgres-1"}': '5x130' },
    fires: ['VolumeFillingUp'],
  },
  {
    failure: 'one organization of many sends messages that cannot be read',
    series: { ingest_organizations_with_unusable_messages: '1x130' },
    fires: ['OrganizationMessagesUnusable'],
  },
  {
    failure: 'tracking takes no reads over MQTT',
    series: { 'stream_bytes{stream="$MQTT_msgs"}': '600000000x130' },
    fires: ['MqttReadsAboutToBeLost'],
  },
  {
    failure: 'a broker serves an old certificate',
    series: { broker_certificate_expiry_timestamp_seconds: '100000x130' },
    fires: ['BrokerCertificateExpires'],
  },
  {
    failure: 'the last backup is two days old',
    series: {
      'barman_cloud_cloudnative_pg_io_last_available_backup_timestamp{namespace="whereabouts"}':
        '-172800x130',
    },
    fires: ['BackupTooOld'],
  },
  {
    failure: 'the last dump of a single machine is two days old',
    series: { 'backup_completed_timestamp_seconds{instance="node-exporter:9100"}': '-172800x130' },
    fires: ['BackupTooOld'],
  },
  {
    failure: 'the archive refuses the write-ahead log',
    series: {
      'cnpg_pg_stat_archiver_last_archived_time{namespace="whereabouts"}': '0x130',
      'cnpg_pg_stat_archiver_last_failed_time{namespace="whereabouts"}': '0+60x130',
    },
    fires: ['WalArchiveFails'],
  },
  {
    failure: 'the write-ahead log waits for the archive',
    series: { 'cnpg_collector_pg_wal_archive_status{namespace="whereabouts",value="ready"}': '500x130' },
    fires: ['WalArchiveFails'],
  },
  {
    failure: 'the certificate was not renewed',
    series: { 'probe_ssl_earliest_cert_expiry{instance="https://api"}': '100000x130' },
    fires: ['CertificateExpires'],
  },
]
