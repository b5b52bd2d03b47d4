import { counter, gauge, histogram, type Registry } from '@whereabouts/service-kit/observe/metrics'
import type { Resolved } from './places/resolve.ts'
import type { StoredParts } from './rows/store-in-parts.ts'
import { UnusableMessages } from './reads/unusable-messages.ts'

export type IngestMetrics = {
  /** `fresh`: observed reads that became a row. `outvoted`: those that were set aside. */
  resolved(batch: Resolved, of: { fresh: number; outvoted: number }): void
  stored(batch: StoredParts): void
  /** Counts messages whose reads are stored or need no row. */
  finished(messages: readonly { receivedAtMs: number }[]): void
  /** A message dropped because its organization sends more than its keys may. */
  overRate(source: 'scans' | 'mqtt_copies'): void
  /** An unusable message, which becomes a dead letter. */
  unusable(orgId: number): void
  /** Messages moved to OVERFLOW. */
  overflowed(count: number): void
}

/** An accepted scan is in report and history within a second (D8.9). */
const PROMISED_MS = 1_000

const OUTCOMES = [
  'observed',
  'thinned',
  'outvoted',
  'too_weak',
  'unknown_tag',
  'unplaced',
  'error',
  'clock_skewed',
  'late',
]

/** Counts reads by outcome, rows and movements, and measures the delay. Each once per batch. */
export function ingestMetrics(registry: Registry): IngestMetrics {
  const reads = counter(
    registry,
    'ingest_reads_total',
    'Reads by outcome: observed (asset and location known), of these thinned (no new row) or outvoted; too_weak; unknown_tag, unplaced or both; error (unusable read); clock_skewed and late (more than a day old, from a right clock), in addition to any of these.',
    { outcome: OUTCOMES },
  )
  const rows = counter(registry, 'ingest_rows_total', 'History rows stored.')
  const moves = counter(registry, 'ingest_movements_total', 'Movements announced.')
  return {
    ...delayMetrics(registry),
    ...shareMetrics(registry),
    unusable: unusableMetric(registry),
    resolved({ observed, activity: ofReaders }, { fresh, outvoted }) {
      reads.inc({ outcome: 'observed' }, observed)
      reads.inc({ outcome: 'thinned' }, observed - fresh)
      reads.inc({ outcome: 'outvoted' }, outvoted)
      for (const { activity: counts } of ofReaders) {
        reads.inc({ outcome: 'unknown_tag' }, counts.reads_unknown_tag ?? 0)
        reads.inc({ outcome: 'unplaced' }, counts.reads_unplaced ?? 0)
        reads.inc({ outcome: 'too_weak' }, counts.reads_too_weak ?? 0)
        reads.inc({ outcome: 'clock_skewed' }, counts.reads_clock_skewed ?? 0)
        reads.inc({ outcome: 'late' }, counts.reads_late ?? 0)
        reads.inc({ outcome: 'error' }, counts.read_errors ?? 0)
      }
    },
    stored(batch) {
      rows.inc(batch.rows)
      moves.inc(batch.movements)
    },
  }
}

function unusableMetric(registry: Registry): IngestMetrics['unusable'] {
  const messages = new UnusableMessages()
  gauge(
    registry,
    'ingest_organizations_with_unusable_messages',
    'Organizations of which more than a hundred messages became dead letters in the last hour, in this process.',
    () => messages.organizations(),
  )
  return (orgId) => messages.note(orgId)
}

function shareMetrics(registry: Registry): Pick<IngestMetrics, 'overRate' | 'overflowed'> {
  const dropped = counter(
    registry,
    'ingest_messages_over_rate_total',
    'Reader messages dropped because their organization sends more a second than its keys may.',
    { source: ['scans', 'mqtt_copies'] },
  )
  const moved = counter(
    registry,
    'ingest_messages_overflowed_total',
    'Reader messages moved to OVERFLOW, because their organization held more than its share.',
  )
  return { overRate: (source) => dropped.inc({ source }), overflowed: (count) => moved.inc(count) }
}

function delayMetrics(registry: Registry): Pick<IngestMetrics, 'finished'> {
  const delays = histogram(
    registry,
    'ingest_delay_seconds',
    'Time from when the broker received a reader message until it was stored, for the oldest message of each batch.',
    [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1_800],
  )
  const messages = counter(
    registry,
    'ingest_messages_total',
    'Reader messages stored, by whether they kept the promise of one second.',
    { promise: ['kept', 'late'] },
  )
  return {
    finished(batch) {
      const now = Date.now()
      let [oldest, late] = [now, 0]
      for (const { receivedAtMs } of batch) {
        if (receivedAtMs < oldest) oldest = receivedAtMs
        if (now - receivedAtMs > PROMISED_MS) late += 1
      }
      delays.observe((now - oldest) / 1_000)
      messages.inc({ promise: 'late' }, late)
      messages.inc({ promise: 'kept' }, batch.length - late)
    },
  }
}
