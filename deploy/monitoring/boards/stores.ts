import { accountOf, streamNames, streams } from '@whereabouts/messaging/connect/topology'
import type { Board } from '../grafana.ts'
import { R } from './queries.ts'

/** Streams that drop messages by age. */
const AGING = streamNames.filter((name) => accountOf(name) === 'APP' && 'maxAgeMs' in streams[name])

export const stores: Board = {
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
        description: 'Often above 0: the pool is too small, or statements are too slow.',
        unit: 'short',
        queries: [['sum by (service, pool) (database_waiting)', '{{service}} {{pool}}']],
      },
      {
        title: 'Database reachable',
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
        description: 'Age of the oldest unpublished change.',
        unit: 's',
        alert: 'OutboxStuck',
        queries: [['max by (service) (outbox_age_seconds)', '{{service}}']],
      },
      {
        title: 'Imports',
        description: 'Unfinished imports.',
        unit: 'short',
        queries: [
          ['max by (state) (imports{state=~"uploading|pending|running"})', '{{state}}'],
          [`sum by (outcome) (rate(import_batches_total${R}))`, 'batches {{outcome}}'],
        ],
      },
      {
        title: 'Longest wait of an import',
        description: 'Time since its last progress.',
        unit: 's',
        alert: 'ImportsStuck',
        queries: [['max(import_oldest_waiting_seconds)', 'wait']],
      },
      {
        title: 'Background work overdue',
        description: 'Time since the last success in intervals of that job. 1 is on time.',
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
        description: 'Published but not confirmed. They are published again.',
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
        description:
          'Before compression, as the limits count them; one copy. Streams of reader messages take less on disk.',
        unit: 'bytes',
        queries: [['max by (stream) (stream_bytes)', '{{stream}}']],
      },
      {
        title: 'Copies of streams',
        description: 'Missing copies. 0 is good.',
        unit: 'short',
        queries: [
          ['max by (stream) (stream_replicas) - max by (stream) (stream_replicas_current)', '{{stream}}'],
        ],
      },
      {
        title: 'Age of the oldest message kept',
        description: 'SCANS keeps up to 72 hours.',
        unit: 's',
        queries: [
          [`max by (stream) (stream_oldest_message_age_seconds{stream=~"${AGING.join('|')}"})`, '{{stream}}'],
        ],
      },
      {
        title: 'Unsettled messages',
        description: 'Delivered and not settled, as a share of the limit.',
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
        description: 'By outcome. Redelivered: not the first delivery of the message.',
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
