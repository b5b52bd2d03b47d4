import type { Board } from '../grafana.ts'
import { R, percentiles } from './queries.ts'

export const ingest: Board = {
  uid: 'whereabouts-ingest',
  title: 'Ingest and readers',
  rows: {
    Scans: [
      {
        title: 'Delay until stored',
        description: 'For the oldest message of each batch, the worst case.',
        unit: 's',
        queries: percentiles('ingest_delay_seconds'),
      },
      {
        title: 'Messages in time and late',
        description: 'Stored within a second, or later.',
        unit: 'short',
        queries: [[`sum by (promise) (rate(ingest_messages_total${R}))`, '{{promise}}']],
      },
      {
        title: 'Reads by outcome',
        description: 'Thinned reads are observed reads whose minute already had a row.',
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
        title: 'Newest canary that was stored',
        description: 'Its age. Each replica of tracking sends one a minute the way of a read.',
        unit: 's',
        alert: 'ReadsNotStored',
        queries: [['min(canary_age_seconds)', 'age']],
      },
      {
        title: 'SCANS',
        description:
          'Bytes kept, before compression, and the limit at which the oldest are deleted. A full stream is normal once its messages are stored.',
        unit: 'bytes',
        queries: [
          ['max(stream_bytes{stream="SCANS"})', 'bytes'],
          ['max(stream_max_bytes{stream="SCANS"})', 'bound'],
        ],
      },
      {
        title: 'Floods',
        description: 'Messages moved to OVERFLOW, and messages dropped above the rate of their keys.',
        unit: 'short',
        queries: [
          [`sum(rate(ingest_messages_overflowed_total${R}))`, 'moved'],
          [`sum by (source) (rate(ingest_messages_over_rate_total${R}))`, 'dropped {{source}}'],
        ],
      },
      {
        title: 'Dead letters',
        description: 'New dead letters in the last hour.',
        unit: 'short',
        queries: [
          ['sum by (durable, reason) (increase(consumer_buried_total[1h]))', '{{durable}} {{reason}}'],
        ],
      },
      {
        title: 'Catalog changes pending',
        description: 'Changes that tracking has not applied yet.',
        unit: 'short',
        alert: 'CatalogProjectionBehind',
        queries: [['max by (projection) (catalog_projection_pending)', '{{projection}}']],
      },
    ],
    Readers: [
      {
        title: 'Readers by state',
        description: 'Configured and discovered readers.',
        unit: 'short',
        queries: [['max by (kind, state) (readers)', '{{kind}} {{state}}']],
      },
      {
        title: 'Readers with problems',
        description: 'Clocks more than 30 s off, or unusable messages, in the last ten minutes.',
        unit: 'short',
        queries: [
          ['max(readers_skewed)', 'clock'],
          ['max(readers_with_problems)', 'unusable messages'],
        ],
      },
      {
        title: 'Logins',
        description: 'Undecided logins are not answered: the readers wait and retry.',
        unit: 'short',
        queries: [
          [`sum by (client_type, outcome) (rate(broker_logins_total${R}))`, '{{client_type}} {{outcome}}'],
        ],
      },
      {
        title: 'Time to decide a login',
        description: 'The broker waits 35 seconds.',
        unit: 's',
        queries: percentiles('broker_login_duration_seconds'),
      },
      {
        title: 'Unknown tags',
        description: 'Over all organizations.',
        unit: 'short',
        queries: [['max(unknown_tags)', 'tags']],
      },
      {
        title: 'Days of history ahead',
        description: 'Coming days with a partition.',
        unit: 'short',
        alert: 'HistoryDaysMissing',
        queries: [['max(history_days_ahead)', 'days']],
      },
      {
        title: 'Days of history that wait to be packed',
        description: 'After an upgrade with older history they become fewer, day by day.',
        unit: 'short',
        alert: 'HistoryNotPacked',
        queries: [['max(history_days_waiting)', 'days']],
      },
    ],
  },
}
