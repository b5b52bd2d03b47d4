import { batchCallsByKey } from '@whereabouts/db/tenant/batch-calls'
import { fixedPlan, type TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { sql } from 'kysely'
import type { Tables } from '../../db.ts'
import { PACKED_UNTIL, PACKED_UNTIL_DAY } from '../../positions/packed/packing-state.queries.ts'
import { MINUTES_SO_FAR, microsecondsIn, readPage, seen, type ReadPage } from './page.queries.ts'

/** Pages that share a statement, and how many such statements of one organization run at the same time. */
const SHARED = { atMost: 16, atOnce: 2 }

type Row = { instants: string; locations: string; total: number | null; packed: number }

/**
 * Reads what `readPage` reads of the first page from the newest, without a range: in one statement, unless packed rows belong to it. Reads of one organization that arrive
 * together, or while others run, share a statement. Each statement starts after its reads have begun, so that sharing
 * makes no answer older. A page comes as two arrays in text form, because fifty rows cost twice as much in both processes.
 */
export const firstPageReader = (db: Pick<TenantDatabase<Tables>, 'forOrg'>) =>
  batchCallsByKey<number, { assetId: number; limit: number }, ReadPage>(async (orgId, wanted) => {
    const ofAsset = sql`s.org_id = ${orgId} and s.asset_id = wanted.asset_id and ${MINUTES_SO_FAR}
      and s.minute >= ${PACKED_UNTIL}`
    const { rows } = await sql<Row>`${fixedPlan}
      select page.instants, page.locations, page.total, coalesce(page.packed, 0)::int as packed
      from unnest(${wanted.map(({ assetId }) => assetId)}::bigint[], ${wanted.map(({ limit }) => limit)}::bigint[])
        with ordinality as wanted (asset_id, size, place)
      cross join lateral (
        select coalesce(array_agg(${microsecondsIn('read.observed_at')} order by read.minute desc)::text, '{}') as instants,
               coalesce(array_agg(read.location_id order by read.minute desc)::text, '{}') as locations,
               case when count(read.minute) >= wanted.size
                 then (select count(s.minute) from scan s where ${ofAsset}) end as total,
               (select sum(d.n) from day_packed d where d.org_id = ${orgId} and d.asset_id = wanted.asset_id
                  and d.day < ${PACKED_UNTIL_DAY}) as packed
        from (select s.minute, s.observed_at, s.location_id from scan s where ${ofAsset}
          order by s.minute desc limit wanted.size + 1) as read
        offset 0) as page
      order by wanted.place`.execute(db.forOrg(orgId))
    const withOlder = async (row: Row, one: { assetId: number; limit: number }): Promise<ReadPage> => {
      const found = toPage(row, one.limit)
      if (found) return found
      const asset = { db: db.forOrg(orgId), orgId, assetId: one.assetId }
      return readPage(asset, {}, { limit: one.limit, offset: 0, descending: true }, seen)
    }
    return Promise.all(wanted.flatMap((one, i) => (rows[i] ? [withOlder(rows[i], one)] : [])))
  }, SHARED)

/** Of the rows, the one after the page is needed for the last duration alone. Undefined if packed rows belong to the page. */
function toPage({ instants, locations, total, packed }: Row, limit: number): ReadPage | undefined {
  const places = valuesOf(locations)
  const read = valuesOf<number>(instants).map((at, i) => ({ at, location_id: places[i] ?? null }))
  if (packed > 0 && read.length <= limit) return undefined
  const entries = read.slice(0, limit)
  return { entries, before: read[entries.length], total: (total ?? entries.length) + packed }
}

/** Of a `bigint[]` in text form. */
const valuesOf = <T = number | null>(text: string) =>
  JSON.parse(`[${text.slice(1, -1).replaceAll('NULL', 'null')}]`) as T[]
