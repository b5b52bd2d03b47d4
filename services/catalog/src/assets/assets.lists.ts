import type { AssetListQuery } from '@whereabouts/contracts/assets'
import { anyOf } from '@whereabouts/db/sql-conditions'
import { sql } from 'kysely'
import { assetColumns, type AssetRow, type Db } from '../db.ts'
import { listConditions } from '../lists/conditions.ts'
import { filtered } from '../lists/filtered.ts'
import { readPage, type Page } from '../lists/page.ts'

const columns = sql.raw(assetColumns.join(', '))

/** One page of the valid rows that match, with their live tags and the total. `among`: only rows with these ids. */
export function listAssets(
  db: Db,
  orgId: number,
  query: AssetListQuery,
  among?: readonly number[],
): Promise<Page<AssetRow>> {
  const { q, sort } = query
  const conditions = [...assetConditions(query), ...(among === undefined ? [] : [hasIdOf(among)])]
  return readPage(
    db,
    orgId,
    { table: 'asset', columns },
    filtered(orgId, {
      table: 'asset',
      conditions,
      q,
      sort,
      dependsOnValues: among !== undefined,
    }),
    query,
  )
}

type Filters = Omit<AssetListQuery, 'limit' | 'offset' | 'q' | 'sort'>

/** The filters of the list, except `q`. */
export const assetConditions = (query: Filters & { window?: string | undefined }) => [
  ...listConditions('asset', query),
  ...(query.type === undefined ? [] : [anyOf('asset.type', query.type, 'text')]),
]

/**
 * A literal, which PostgreSQL turns into a hash table. The driver would need longer to encode a list than the
 * database to read every row.
 */
const hasIdOf = (ids: readonly number[]) => sql<boolean>`asset.id = any(${`{${ids.join(',')}}`}::bigint[])`
