import type { AssetListQuery } from '@whereabouts/contracts/assets'
import type { AssetRow, Db } from '../db.ts'
import { anyOf, listConditions } from '../lists/conditions.ts'
import { filtered } from '../lists/filtered.ts'
import { readPage, type Page } from '../lists/page.ts'
import { assetColumns } from './assets.queries.ts'

/** One page of the effective rows that match, with their live tags, and how many match in all. */
export function listAssets(db: Db, orgId: number, query: AssetListQuery): Promise<Page<AssetRow>> {
  const { type, q, sort } = query
  const conditions = [
    ...listConditions('asset', query),
    ...(type === undefined ? [] : [anyOf('asset.type', type, 'text')]),
  ]
  const view = { table: 'asset', columns: assetColumns } as const
  return readPage(db, orgId, view, filtered(orgId, { table: 'asset', conditions, q, sort }), query)
}
