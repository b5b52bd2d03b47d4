import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Written by test/operator/metrics.test.ts from what running services expose. */
export const METRICS_FILE = join(import.meta.dirname, 'metrics.json')

export type Metric = {
  name: string
  type: string
  help: string
  services: string[]
  /** Label → its values; `open` where the code bounds the values but a list would not help. `service` is left out. */
  labels: Record<string, string[] | 'open'>
}

/** Every metric of the services, with those of Node and prom-client (`process_*`, `nodejs_*`). */
export const readMetrics = (): Metric[] => JSON.parse(readFileSync(METRICS_FILE, 'utf8'))

export const isOfNode = (name: string): boolean => /^(process|nodejs)_/.test(name)

/** Metrics of Prometheus itself and of other programs' exporters that alerts and dashboards use. */
export const foreignMetrics: readonly string[] = [
  'up',
  'ALERTS',
  'cnpg_pg_replication_lag',
  'barman_cloud_cloudnative_pg_io_last_available_backup_timestamp',
  'cnpg_collector_last_available_backup_timestamp',
  'backup_completed_timestamp_seconds',
  'cnpg_pg_stat_archiver_last_failed_time',
  'cnpg_pg_stat_archiver_last_archived_time',
  'cnpg_collector_pg_wal_archive_status',
  'pg_replication_lag_seconds',
  'kubelet_volume_stats_available_bytes',
  'kubelet_volume_stats_capacity_bytes',
  'node_filesystem_avail_bytes',
  'node_filesystem_size_bytes',
  'probe_ssl_earliest_cert_expiry',
]
