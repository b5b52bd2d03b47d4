import { Counter, type Registry } from '@whereabouts/service-kit/metrics'
import type { Resolved } from './resolve.ts'
import type { Stored } from './store.ts'

export type IngestMetrics = { resolved(batch: Resolved, fresh: number): void; stored(batch: Stored): void }

/** Reads by what became of them, rows and movements. */
export function ingestMetrics(registry: Registry): IngestMetrics {
  const reads = new Counter({
    name: 'ingest_reads_total',
    help: 'Reads by outcome: observed (asset and place known), of these thinned (its minute has a row); unknown_tag, unplaced, either or both; error (not a read that could be used); clock_skewed, beside any of these.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const rows = new Counter({ name: 'ingest_rows_total', help: 'History rows stored.', registers: [registry] })
  const moves = new Counter({
    name: 'ingest_movements_total',
    help: 'Movements announced.',
    registers: [registry],
  })
  return {
    resolved({ observations, news }, fresh) {
      reads.inc({ outcome: 'observed' }, observations.length)
      reads.inc({ outcome: 'thinned' }, observations.length - fresh)
      for (const { news: counts } of news) {
        reads.inc({ outcome: 'unknown_tag' }, counts.reads_unknown_tag ?? 0)
        reads.inc({ outcome: 'unplaced' }, counts.reads_unplaced ?? 0)
        reads.inc({ outcome: 'clock_skewed' }, counts.reads_clock_skewed ?? 0)
        reads.inc({ outcome: 'error' }, counts.read_errors ?? 0)
      }
    },
    stored(batch) {
      rows.inc(batch.rows)
      moves.inc(batch.movements)
    },
  }
}
