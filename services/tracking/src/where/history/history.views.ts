import type { HistoryRow } from '@whereabouts/contracts/resources/tracking/tracking'
import type { Entry, ReadPage } from './page.queries.ts'

const MICROSECONDS = 1_000_000

/** The rows of a reply. `keyOf` is null for a deleted location, which keeps its id (D8.3). */
export function toHistoryRows(
  { entries, before }: Pick<ReadPage, 'entries' | 'before'>,
  descending: boolean,
  keyOf: (locationId: number) => string | null,
): HistoryRow[] {
  const older = (i: number): Entry | undefined => entries[descending ? i + 1 : i - 1] ?? before
  return entries.map((entry, i) => ({
    event_observed_at: new Date(Math.floor(entry.at / 1_000)).toISOString(),
    location_id: entry.location_id,
    location_external_key: entry.location_id === null ? null : keyOf(entry.location_id),
    duration_seconds: secondsBetween(older(i), entry),
  }))
}

/** Whole seconds, exact to the microsecond: a double holds both instants and their difference. */
const secondsBetween = (before: Entry | undefined, { at }: Entry) =>
  before === undefined ? null : Math.floor((at - before.at) / MICROSECONDS)
