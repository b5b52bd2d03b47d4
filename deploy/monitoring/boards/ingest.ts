import type { Board } from '../grafana.ts'
import { R, percentiles } from './queries.ts'

export const ingest: Board = {
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
        title: 'Floods',
        description: 'Messages moved to OVERFLOW, and messages dropped beyond the rate of their keys.',
        unit: 'short',
        queries: [
          [`sum(rate(ingest_messages_overflowed_total${R}))`, 'moved'],
          [`sum by (source) (rate(ingest_messages_over_rate_total${R}))`, 'dropped {{source}}'],
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
