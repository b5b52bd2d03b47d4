import type { AssetLocationRow } from '@whereabouts/contracts/tracking'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import type { Sql } from '../conditions.sql.ts'
import {
  BOUNDS,
  chooseCount,
  choosePage,
  chooseCountedPage,
  type CountStrategy,
  type PageStrategy,
} from './choose-strategy.rules.ts'
import { countAtLocations } from './count-at-locations.sql.ts'
import { countCandidates } from './count-candidates.sql.ts'
import { countFound } from './count-found.sql.ts'
import { countUnseen } from './count-unseen.sql.ts'
import { countScanned } from './count-scanned.sql.ts'
import type { AssetLocationsFilter } from './filter.ts'
import { pageByAssetKey } from './page-by-asset-key.sql.ts'
import { countedPageByLastSeen, pageByLastSeen } from './page-by-last-seen.sql.ts'
import { pageByLocationCounts } from './page-by-location-counts.sql.ts'
import { pageByLocation } from './page-by-location.sql.ts'
import { pageFromCandidates } from './page-from-candidates.sql.ts'
import type { PageStatement } from './rows-of-page.sql.ts'

/** `strategy`: how the page was read. */
export type ReportPage = { rows: AssetLocationRow[]; total: number; strategy: PageStrategy }

type Counted = { total: number; foundIds?: string[] | null }

const counts: Record<CountStrategy, (orgId: number, filter: AssetLocationsFilter, idsAtMost: number) => Sql> =
  {
    candidates: countCandidates,
    unseen: countUnseen,
    found: countFound,
    at_locations: countAtLocations,
    scanned: countScanned,
  }

type Page = (orgId: number, filter: AssetLocationsFilter, total: number) => PageStatement

const pages: Record<Exclude<PageStrategy, 'empty' | 'by_location_counts'>, Page> = {
  from_candidates: pageFromCandidates,
  by_last_seen: pageByLastSeen,
  by_asset_key: pageByAssetKey,
  by_location: pageByLocation,
}

const countedPages = { by_last_seen: countedPageByLastSeen, by_location_counts: pageByLocationCounts }

/** One page of the scanned assets that are valid now, with their last location, and the number of rows on all pages. */
export async function readAssetLocations(
  db: Db,
  orgId: number,
  filter: AssetLocationsFilter,
  bounds = BOUNDS,
): Promise<ReportPage> {
  const counted = chooseCountedPage(filter, bounds)
  if (counted) {
    const page = await readCountedPage(db, orgId, filter, counted)
    if (page) return page
  }
  const { total, foundIds } = await readCount(
    db,
    counts[chooseCount(filter)](orgId, filter, bounds.sortAtMost),
  )
  const narrowed = foundIds ? { ...filter, q: undefined, assetIds: foundIds.map(Number) } : filter
  const strategy = choosePage(narrowed, total, bounds)
  if (strategy === 'empty') return { rows: [], total, strategy }
  if (strategy !== 'by_location_counts') {
    const { rows } = await pages[strategy](orgId, narrowed, total).execute(db)
    const hasRowsWithoutKey =
      strategy === 'by_location' && rows.length < Math.min(filter.limit, total - filter.offset)
    if (!hasRowsWithoutKey) return { rows, total, strategy }
  }
  const page = await readCountedPage(db, orgId, narrowed, 'by_location_counts')
  return page ?? { rows: [], total, strategy: 'by_location_counts' }
}

/** Undefined past the last row, because then no row has the total. */
async function readCountedPage(
  db: Db,
  orgId: number,
  filter: AssetLocationsFilter,
  strategy: keyof typeof countedPages,
): Promise<ReportPage | undefined> {
  const { rows } = await countedPages[strategy](orgId, filter).execute(db)
  if (!rows[0]) return undefined
  const { total } = rows[0]
  return { rows: rows.map(({ total: _total, ...row }) => row), total, strategy }
}

async function readCount(db: Db, statement: Sql): Promise<Counted> {
  const { rows } = await sql<Counted>`${statement}`.execute(db)
  return rows[0] ?? { total: 0 }
}
