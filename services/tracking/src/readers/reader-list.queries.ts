import type { SortField } from '@whereabouts/contracts/rules/query'
import type {
  ListedReader,
  ReadersQuery,
  ReaderView,
} from '@whereabouts/contracts/resources/tracking/readers'
import { hasText } from '@whereabouts/db/sql-conditions'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../db.ts'
import type { DeviceReports } from './health/device-reports.ts'
import { COUNTS } from './health/health-entry.ts'
import { readsByHour } from './health/reader-hours.queries.ts'
import type { Identities } from './health/reader-identities.ts'
import { clockState, lastHour, severity, statusAt } from './health/reader-status.queries.ts'
import { readsPerMinute } from './health/recent-reads.ts'

export type ReaderListRow = Omit<ListedReader, 'health' | 'configured'> &
  Omit<ReaderView['health'], 'device' | 'replaced' | 'two_devices'> & {
    device: DeviceReports | null
    identities: Identities | null
    total: number
  }

export type ReaderDetailRow = ReaderListRow & Pick<ReaderView, 'mapping'>

/** A filter of the list, on its columns. */
type Condition = RawBuilder<unknown>

/** Configured readers and discovered ones, each with its health; zeros for one that was never heard. */
export async function listReaders(
  db: Db,
  orgId: number,
  query: ReadersQuery,
  nowMs: number,
): Promise<{ rows: ReaderListRow[]; total: number }> {
  const where = conditions(orgId, query)
  const rows = await selectReaders(db, orgId, { where, sort: query.sort, nowMs, ...pageOf(query) })
  if (rows.length > 0 || query.offset === 0) return { rows, total: rows[0]?.total ?? 0 }
  // Past the end, no row has the total.
  const [first] = await selectReaders(db, orgId, { where, nowMs, limit: 1, offset: 0 })
  return { rows: [], total: first?.total ?? 0 }
}

/** A configured reader with its health. */
export async function findListedReader(
  db: Db,
  orgId: number,
  id: number,
  nowMs: number,
): Promise<ReaderDetailRow | undefined> {
  const slice = { where: [sql`id = ${id}`], nowMs, limit: 1, offset: 0, more: sql`r.mapping,` }
  return (await selectReaders<ReaderDetailRow>(db, orgId, slice))[0]
}

type Slice = {
  where: readonly Condition[]
  sort?: readonly SortField<keyof typeof sortable>[] | undefined
  nowMs: number
  limit: number
  offset: number
  /** Columns that the list leaves out. */
  more?: RawBuilder<unknown>
}

const pageOf = ({ limit, offset }: ReadersQuery) => ({ limit, offset })
const counts = sql.raw(COUNTS.map((count) => `coalesce(h.${count}, 0) as ${count}`).join(', '))

/** Reads all readers of the organization, because there are few. */
async function selectReaders<Row extends ReaderListRow>(
  db: Db,
  orgId: number,
  { where, sort = [], nowMs, limit, offset, more = sql`` }: Slice,
): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select *, count(*) over () as total, ${places} as location_ids from (
      select r.id, coalesce(r.reader_key, h.reader_key) as reader_key, r.name, r.format, r.timezone,
             ${more} coalesce(r.time_source, 'reader') as time_source, h.identities, ${clockState} as clock,
             r.created_at, h.last_seen_at, h.identity, h.last_problem, h.last_problem_at, h.last_problem_message,
             h.clock_offset_ms, h.device, ${counts}, coalesce(${readsPerMinute('h', nowMs)}, 0) as reads_per_minute,
             l.messages as messages_last_hour, l.problems as problems_last_hour, l.reads as reads_last_hour,
             ${statusAt(nowMs)} as status
      from (select * from reader where org_id = ${orgId}) r
      full join (select * from reader_health where org_id = ${orgId}) h on h.reader_key = r.reader_key
      cross join lateral (${lastHour(orgId, nowMs)}) l) readers
    where ${sql.join([sql`true`, ...where], sql` and `)}
    order by ${sql.join([...sort.map(toOrder), sql`reader_key`])} limit ${limit} offset ${offset}`.execute(db)
  if (rows.length === 0) return []
  const keys = rows.map(({ reader_key }) => reader_key)
  const readsOf = await readsByHour(db, orgId, keys, nowMs)
  return rows.map((row) => Object.assign(row, { reads_by_hour: readsOf(row.reader_key) }))
}

/** The locations that its antennas stand for. */
const places = sql`coalesce((
  select jsonb_agg(distinct p.location_id) from scan_point p
  where p.reader_id = readers.id and p.location_id is not null), '[]')`

function conditions(
  orgId: number,
  { configured, status, q, location_id: locationIds }: ReadersQuery,
): Condition[] {
  return [
    ...(configured === undefined ? [] : [sql`(id is not null) = ${configured}`]),
    ...(status === undefined ? [] : [sql`status = any(${status}::text[])`]),
    ...(locationIds === undefined
      ? []
      : [
          sql`exists (select from scan_point p
            where p.org_id = ${orgId} and p.reader_id = readers.id and p.location_id = any(${locationIds}::bigint[]))`,
        ]),
    ...(q === undefined ? [] : [hasText(q, ['reader_key', 'name', 'identity'])]),
  ]
}

const sortable = {
  reader_key: 'reader_key',
  name: 'name',
  last_seen_at: 'last_seen_at',
  reads_per_minute: 'reads_per_minute',
  severity,
} as const

/** A reader without the value comes last in both directions. */
const toOrder = ({ field, descending }: SortField<keyof typeof sortable>) =>
  sql.raw(`${sortable[field]} ${descending ? 'desc' : 'asc'} nulls last`)
