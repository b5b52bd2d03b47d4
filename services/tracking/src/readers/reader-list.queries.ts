import type { SortField } from '@whereabouts/contracts/query'
import type { ReadersQuery, ReaderView } from '@whereabouts/contracts/readers'
import { sql, type RawBuilder } from 'kysely'
import type { Db } from '../db.ts'
import type { DeviceReports } from './device-reports.ts'
import { COUNTS } from './reader-health.queries.ts'
import { readsPerMinute } from './recent-reads.ts'

export type ReaderListRow = Omit<ReaderView, 'health' | 'configured'> &
  Omit<ReaderView['health'], 'device'> & { device: DeviceReports | null; total: number }

/** A filter of the list, on its columns. */
type Condition = RawBuilder<unknown>

/**
 * A reader `h` is silent after three usual pauses, at least two minutes; after five minutes while its usual pause is
 * unknown.
 */
export const silence = sql.raw(
  `greatest(120000, 3 * coalesce(h.usual_pause_ms, 100000)) * interval '1 millisecond'`,
)

/** Configured readers and discovered ones, each with its health; zeros for one that was never heard. */
export async function listReaders(
  db: Db,
  orgId: number,
  query: ReadersQuery,
  nowMs: number,
): Promise<{ rows: ReaderListRow[]; total: number }> {
  const where = conditions(query)
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
): Promise<ReaderListRow | undefined> {
  return (await selectReaders(db, orgId, { where: [sql`id = ${id}`], nowMs, limit: 1, offset: 0 }))[0]
}

type Slice = {
  where: readonly Condition[]
  sort?: readonly SortField<keyof typeof sortable>[] | undefined
  nowMs: number
  limit: number
  offset: number
}

const pageOf = ({ limit, offset }: ReadersQuery) => ({ limit, offset })
const counts = sql.raw(COUNTS.map((count) => `coalesce(h.${count}, 0) as ${count}`).join(', '))

/** Reads all readers of the organization, because there are few. */
async function selectReaders(
  db: Db,
  orgId: number,
  { where, sort = [], nowMs, limit, offset }: Slice,
): Promise<ReaderListRow[]> {
  const { rows } = await sql<ReaderListRow>`
    select *, count(*) over () as total from (
      select r.id, coalesce(r.reader_key, h.reader_key) as reader_key, r.name, r.format, r.timezone, r.mapping,
             r.created_at, h.last_seen_at, h.identity, h.last_problem, h.last_problem_at, h.clock_offset_ms, h.device,
             ${counts}, coalesce(${readsPerMinute('h', nowMs)}, 0) as reads_per_minute,
             case when h.last_seen_at is null then 'never_heard'
               when h.last_seen_at > ${new Date(nowMs).toISOString()}::timestamptz - ${silence} then 'online'
               else 'silent' end as status
      from (select * from reader where org_id = ${orgId}) r
      full join (select * from reader_health where org_id = ${orgId}) h on h.reader_key = r.reader_key) readers
    where ${sql.join([sql`true`, ...where], sql` and `)}
    order by ${sql.join([...sort.map(toOrder), sql`reader_key`])} limit ${limit} offset ${offset}`.execute(db)
  return rows
}

function conditions({ configured, status, q }: ReadersQuery): Condition[] {
  const part = q?.toLowerCase()
  return [
    ...(configured === undefined ? [] : [sql`(id is not null) = ${configured}`]),
    ...(status === undefined ? [] : [sql`status = any(${status}::text[])`]),
    ...(part === undefined
      ? []
      : [sql`position(${part} in lower(concat_ws(chr(31), reader_key, name, identity))) > 0`]),
  ]
}

const sortable = {
  reader_key: 'reader_key',
  name: 'name',
  last_seen_at: 'last_seen_at',
  reads_per_minute: 'reads_per_minute',
} as const

/** A reader without the value comes last in both directions. */
const toOrder = ({ field, descending }: SortField<keyof typeof sortable>) =>
  sql.raw(`${sortable[field]} ${descending ? 'desc' : 'asc'} nulls last`)
