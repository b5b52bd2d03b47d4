import type { AssetCreate, AssetListQuery } from '@whereabouts/contracts/assets'
import { sql } from 'kysely'
import type { AssetRow, Db, Tx } from '../db.ts'
import { assetKeyTaken, windowInverted } from '../errors.ts'
import { anyOf, containing, effectiveNow, pageOf } from '../lists/conditions.ts'
import { nextRevision } from '../tags/tags.queries.ts'
import { violatedConstraint } from '../violations.ts'

export const assetColumns = [
  'asset.org_id', 'asset.id', 'asset.external_key', 'asset.name', 'asset.description', 'asset.type',
  'asset.metadata', 'asset.is_active', 'asset.valid_from', 'asset.valid_to', 'asset.created_at',
  'asset.updated_at', 'asset.deleted_at', 'asset.revision',
] as const // prettier-ignore

const live = (db: Db, orgId: number, id: number) =>
  db.selectFrom('asset').where('org_id', '=', orgId).where('id', '=', id).where('deleted_at', 'is', null)

/** The live row, or undefined when it is missing, deleted, or another organization's: the three look the same. */
export function findAsset(db: Db, orgId: number, id: number): Promise<AssetRow | undefined> {
  return live(db, orgId, id).select(assetColumns).executeTakeFirst()
}

/** As `findAsset`, and locked against any change until the transaction ends. */
export function lockAsset(tx: Tx, orgId: number, id: number): Promise<AssetRow | undefined> {
  return live(tx, orgId, id).select(assetColumns).forUpdate().executeTakeFirst()
}

/** Whether the asset is live; if so it stays live until the transaction ends. Any number may pin at a time. */
export async function pinAsset(tx: Tx, orgId: number, id: number): Promise<boolean> {
  return (await live(tx, orgId, id).select('id').forShare().executeTakeFirst()) !== undefined
}

type NewAsset = Omit<AssetCreate, 'external_key' | 'tags' | 'location_id' | 'location_external_key'> & {
  external_key: string
}

/** Throws `assetKeyTaken` and `windowInverted`; what is left out gets its default. */
export async function insertAsset(tx: Tx, orgId: number, asset: NewAsset): Promise<AssetRow> {
  const { metadata, ...given } = asset
  return tx
    .insertInto('asset')
    .values({
      org_id: orgId,
      ...given,
      ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
    })
    .returning(assetColumns)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => {
      const constraint = violatedConstraint(error)
      if (constraint === 'asset_live_key') throw assetKeyTaken(asset.external_key)
      if (constraint === 'asset_window') throw windowInverted()
      throw error
    })
}

/** Call under `lockAsset`. */
export function deleteAsset(tx: Tx, orgId: number, id: number): Promise<AssetRow> {
  return tx
    .updateTable('asset')
    .set({ deleted_at: sql<string>`greatest(clock_timestamp(), updated_at)`, revision: nextRevision })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(assetColumns)
    .executeTakeFirstOrThrow()
}

/** One page of the effective rows that match, and how many match in all. */
export async function listAssets(
  db: Db,
  orgId: number,
  query: AssetListQuery,
): Promise<{ rows: AssetRow[]; total: number }> {
  const matching = assetsMatching(db, orgId, query)
  const count = matching.select((eb) => eb.fn.countAll<number>().as('total'))
  const { total } = await count.executeTakeFirstOrThrow()
  const { limit, offset } = pageOf(query)
  if (offset >= total) return { rows: [], total }
  const sort = query.sort ?? [{ field: 'external_key', descending: false }]
  const rows = await sort
    .reduce(
      (sorted, { field, descending }) => sorted.orderBy(`asset.${field}`, descending ? 'desc' : 'asc'),
      matching.select(assetColumns),
    )
    .orderBy('asset.id')
    .limit(limit)
    .offset(offset)
    .execute()
  return { rows, total }
}

function assetsMatching(db: Db, orgId: number, query: AssetListQuery) {
  const { external_key, is_active, type, include_deleted, q } = query
  return db
    .selectFrom('asset')
    .where('asset.org_id', '=', orgId)
    .where(effectiveNow('asset'))
    .$if(include_deleted !== true, (rows) => rows.where('asset.deleted_at', 'is', null))
    .$if(external_key !== undefined, (rows) =>
      rows.where(anyOf('asset.external_key', external_key ?? [], 'text')),
    )
    .$if(type !== undefined, (rows) => rows.where(anyOf('asset.type', type ?? [], 'text')))
    .$if(is_active !== undefined, (rows) => rows.where('asset.is_active', '=', is_active === true))
    .$if(q !== undefined, (rows) => rows.where(containing('asset', orgId, q ?? '')))
}
