import type { AssetLocationRow } from '@whereabouts/contracts/resources/tracking/tracking'
import { sql } from 'kysely'
import type { Db } from '../../../db.ts'
import { countAll } from './count.sql.ts'
import { isAtMostByHome, isAtMostByLocation, isFiltered, type AssetLocationsFilter } from './filter.ts'
import { countMatching, isSelective, sortedPage, walkedPage, type PageStatement } from './pages.sql.ts'

/** `total`: rows on all pages. */
export type ReportPage = { rows: AssetLocationRow[]; total: number }

/** Up to this many filtered rows are sorted. For more, an index is walked in the requested order. */
const SORT_AT_MOST = 5_000

/**
 * One page of the scanned assets that are valid now, with their last location. Named and searched assets are sorted;
 * without filters an index is walked. Rows of other filters are counted first, because PostgreSQL's planner does not
 * know their number.
 */
export async function readAssetLocations(
  db: Db,
  orgId: number,
  filter: AssetLocationsFilter,
  sortAtMost = SORT_AT_MOST,
): Promise<ReportPage> {
  const counted = isFiltered(filter) && !isSelective(filter) ? await count(db, orgId, filter) : undefined
  if (counted !== undefined && counted <= filter.offset) return { rows: [], total: counted }
  if (isWalked(filter, counted === undefined || counted > sortAtMost)) {
    const total = counted === undefined ? countAll(orgId, filter) : sql`${counted}::bigint`
    const page = await readPage(db, walkedPage(orgId, filter, total))
    // A walk by location leaves out rows without a location key, which come last.
    if (page && page.rows.length === Math.min(filter.limit, page.total - filter.offset)) return page
  }
  const page = await readPage(db, sortedPage(orgId, filter))
  return page ?? { rows: [], total: filter.offset === 0 ? 0 : await count(db, orgId, filter) }
}

const isByLocation = ({ sort }: AssetLocationsFilter): boolean => sort[0]?.field === 'location_external_key'

function isWalked(filter: AssetLocationsFilter, isMany: boolean): boolean {
  const { sort, notSeenSince } = filter
  if (isSelective(filter)) return false
  if (isByLocation(filter))
    return isMany && sort.length === 1 && (isAtMostByLocation(filter) || isAtMostByHome(filter))
  // One index has both these rows and their order.
  return isMany || (notSeenSince !== undefined && sort[0]?.field === 'asset_last_seen')
}

/** Undefined past the last row, because then no row has the total. */
export async function readPage(db: Db, statement: PageStatement): Promise<ReportPage | undefined> {
  const { rows } = await statement.execute(db)
  if (!rows[0]) return undefined
  const { total } = rows[0]
  return { rows: rows.map(({ total: _total, ...row }) => row), total }
}

async function count(db: Db, orgId: number, filter: AssetLocationsFilter): Promise<number> {
  const total = isFiltered(filter) ? countMatching(orgId, filter) : countAll(orgId, filter)
  const { rows } = await sql<{ total: number }>`select ${total} as total`.execute(db)
  return rows[0]?.total ?? 0
}
