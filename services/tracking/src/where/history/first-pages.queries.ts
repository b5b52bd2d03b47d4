import { batchCallsByKey } from '@whereabouts/db/tenant/batch-calls'
import { fixedPlan, type TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { sql } from 'kysely'
import type { Tables } from '../../db.ts'
import { MINUTES_SO_FAR, microsecondsOf, type ReadPage } from './page.queries.ts'

/** Pages that share a statement, and how many such statements of one organization run at the same time. */
const SHARED = { atMost: 16, atOnce: 2 }

type Row = { instants: string; locations: string; total: number | null }

/**
 * Reads what `readPage` reads of the first page from the newest, without a range. Reads of one organization that arrive
 * together, or while others run, share a statement. Each statement starts after its reads have begun, so that sharing
 * makes no answer older. A page comes as two arrays in text form, because fifty rows cost twice as much in both processes.
 */
export const firstPageReader = (db: Pick<TenantDatabase<Tables>, 'forOrg'>) =>
  batchCallsByKey<number, { assetId: number; limit: number }, ReadPage>(async (orgId, wanted) => {
    const ofAsset = sql`s.org_id = ${orgId} and s.asset_id = wanted.asset_id and ${MINUTES_SO_FAR}`
    const { rows } = await sql<Row>`${fixedPlan}
      select page.instants, page.locations, page.total
      from unnest(${wanted.map(({ assetId }) => assetId)}::bigint[], ${wanted.map(({ limit }) => limit)}::bigint[])
        with ordinality as wanted (asset_id, size, place)
      cross join lateral (
        select coalesce(array_agg(${microsecondsOf('read')} order by read.minute desc)::text, '{}') as instants,
               coalesce(array_agg(read.location_id order by read.minute desc)::text, '{}') as locations,
               case when count(read.minute) >= wanted.size
                 then (select count(s.minute) from scan s where ${ofAsset}) end as total
        from (select s.minute, s.observed_at, s.location_id from scan s where ${ofAsset}
          order by s.minute desc limit wanted.size + 1) as read
        offset 0) as page
      order by wanted.place`.execute(db.forOrg(orgId))
    return rows.map((row, i) => toPage(row, wanted[i]?.limit))
  }, SHARED)

/** Of the rows, the one after the page is needed for the last duration alone. */
function toPage({ instants, locations, total }: Row, limit: number | undefined): ReadPage {
  const places = valuesOf(locations)
  const read = valuesOf<number>(instants).map((at, i) => ({ at, location_id: places[i] ?? null }))
  const entries = read.slice(0, limit)
  return { entries, before: read[entries.length], total: total ?? entries.length }
}

/** Of a `bigint[]` in text form. */
const valuesOf = <T = number | null>(text: string) =>
  JSON.parse(`[${text.slice(1, -1).replaceAll('NULL', 'null')}]`) as T[]
