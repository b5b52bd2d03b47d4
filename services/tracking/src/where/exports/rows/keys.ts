import { anyOf } from '@whereabouts/db/sql-conditions'
import type { CatalogView } from '../../../catalog/catalog-view.ts'
import type { Db } from '../../../db.ts'
import { findLocationKeys } from '../../history/page.queries.ts'

type Ids = readonly (number | null)[]
type Keys = (string | null)[]

/** The keys of assets, also of deleted ones, as history has rows of them. Null for an asset that no state has named yet. */
export async function assetKeysOf(db: Db, view: CatalogView, orgId: number, ids: Ids): Promise<Keys> {
  const unknown = unknownOf(ids, (id) => view.asset(orgId, id))
  const stored = unknown.length > 0 ? await findAssetKeys(db, orgId, unknown) : undefined
  return ids.map((id) => (id === null ? null : (view.asset(orgId, id)?.key ?? stored?.get(id) ?? null)))
}

/** The keys of locations; null for deleted ones (D8.3). */
export async function locationKeysOf(db: Db, view: CatalogView, orgId: number, ids: Ids): Promise<Keys> {
  const unknown = unknownOf(ids, (id) => view.location(orgId, id))
  const stored = unknown.length > 0 ? await findLocationKeys(db, orgId, unknown) : undefined
  return ids.map((id) => {
    if (id === null) return null
    const known = view.location(orgId, id)
    return known ? (known.deleted ? null : known.key) : (stored?.get(id) ?? null)
  })
}

const unknownOf = (ids: Ids, find: (id: number) => unknown): number[] => [
  ...new Set(ids.filter((id) => id !== null && find(id) === undefined) as number[]),
]

async function findAssetKeys(db: Db, orgId: number, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom('asset')
    .select(['id', 'external_key'])
    .where('org_id', '=', orgId)
    .where(anyOf('id', ids, 'bigint'))
    .execute()
  return new Map(rows.map((row) => [row.id, row.external_key]))
}
