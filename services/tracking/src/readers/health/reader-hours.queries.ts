import type { ReaderHour as ReaderHourView } from '@whereabouts/contracts/resources/tracking/readers'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import { hourTime } from '../../sql-times.ts'
import { HOUR_MS, OTHER_ANTENNAS, WHOLE_READER, type ReaderHours } from './reader-hours.ts'

type Entry = { org_id: number; reader_key: string; hours: ReaderHours }

/**
 * Adds the entries to their rows, so that replicas add up. They are statistics: a crash loses at most the last second,
 * and a redelivery counts twice. Sorted by key, so that two replicas lock the rows in one order.
 */
export async function addReaderHours(db: Db, entries: readonly Entry[]): Promise<void> {
  const readers = entries.map(({ org_id, reader_key, hours }) => ({
    org_id,
    reader_key,
    hours: [...hours.values()],
  }))
  await sql`
    insert into reader_hour as h (org_id, reader_key, hour, antenna, messages, problems, reads, rssi_sum, rssi_count,
      clock_offset_ms)
    select r.org_id, r.reader_key, ${hourTime('n.hour')}, n.antenna, n.messages, n.problems, n.reads, n.rssi_sum,
      n.rssi_count, n.clock_offset_ms
    from jsonb_to_recordset(${JSON.stringify(readers)}::jsonb) as r (org_id bigint, reader_key text, hours jsonb)
    cross join lateral jsonb_to_recordset(r.hours) as n (hour int, antenna int, messages bigint, problems bigint,
      reads bigint, rssi_sum float8, rssi_count bigint, clock_offset_ms bigint)
    order by r.org_id, r.reader_key, n.hour, n.antenna
    on conflict (org_id, reader_key, hour, antenna) do update set
      messages = h.messages + excluded.messages, problems = h.problems + excluded.problems,
      reads = h.reads + excluded.reads, rssi_sum = h.rssi_sum + excluded.rssi_sum,
      rssi_count = h.rssi_count + excluded.rssi_count,
      clock_offset_ms = case when abs(excluded.clock_offset_ms) > coalesce(abs(h.clock_offset_ms), -1)
        then excluded.clock_offset_ms else h.clock_offset_ms end`.execute(db)
}

const SHOWN_HOURS = 24

/** Reads in each of the last 24 hours of UTC, oldest first, by reader. The current hour is the last one. */
export async function readsByHour(
  db: Db,
  orgId: number,
  readerKeys: readonly string[],
  nowMs: number,
): Promise<(readerKey: string) => number[]> {
  const first = Math.floor(nowMs / HOUR_MS) - SHOWN_HOURS + 1
  const { rows } = await sql<{ reader_key: string; at: number; reads: number }>`
    select reader_key, (extract(epoch from hour) / 3600)::int - ${first}::int as at, reads from reader_hour
    where org_id = ${orgId} and reader_key = any(${readerKeys}::text[]) and antenna = ${WHOLE_READER}
      and hour between ${timeOf(first)} and ${timeOf(first + SHOWN_HOURS - 1)}`.execute(db)
  const byReader = new Map<string, number[]>()
  for (const { reader_key: key, at, reads } of rows) {
    const hours = byReader.get(key) ?? noReads()
    hours[at] = reads
    byReader.set(key, hours)
  }
  return (key) => byReader.get(key) ?? noReads()
}

const noReads = () => Array.from({ length: SHOWN_HOURS }, () => 0)
const timeOf = (hour: number) => sql`${new Date(hour * HOUR_MS).toISOString()}::timestamptz`

type Window = { fromMs: number; toMs: number }
type Row = Omit<ReaderHourView, 'antennas'> & { antenna: number }

/** The hours that overlap the window and have a message, oldest first. */
export async function listReaderHours(
  db: Db,
  orgId: number,
  readerKey: string,
  { fromMs, toMs }: Window,
): Promise<ReaderHourView[]> {
  const { rows } = await sql<Row>`
    select hour, antenna, messages, problems, reads, clock_offset_ms,
           round((rssi_sum / nullif(rssi_count, 0))::numeric, 1)::float8 as mean_rssi_dbm
    from reader_hour
    where org_id = ${orgId} and reader_key = ${readerKey} and hour >= ${timeOf(Math.floor(fromMs / HOUR_MS))}
      and hour < ${new Date(toMs).toISOString()}::timestamptz
    order by hour, antenna = ${WHOLE_READER} desc, antenna = ${OTHER_ANTENNAS}, antenna`.execute(db)
  const hours: ReaderHourView[] = []
  for (const { antenna, ...row } of rows) {
    if (antenna === WHOLE_READER) hours.push({ ...row, antennas: [] })
    else
      hours.at(-1)?.antennas.push({
        antenna: antenna === OTHER_ANTENNAS ? null : antenna,
        reads: row.reads,
        mean_rssi_dbm: row.mean_rssi_dbm,
      })
  }
  return hours
}
