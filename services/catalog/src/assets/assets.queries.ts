import type { AssetCreate, AssetPatch } from '@whereabouts/contracts/assets'
import { sql } from 'kysely'
import type { AssetRow, Db, Tx } from '../db.ts'
import { assetKeyTaken, windowInverted } from '../errors.ts'
import { nextRevision } from '@whereabouts/db/revisions'
import { nextUpdate } from '../revisions.ts'
import { liveTags, type Tagged } from '../tags/live-tags.ts'
import { violatedConstraint } from '@whereabouts/db/constraint-violation'

export const assetColumns = [
  'asset.org_id', 'asset.id', 'asset.external_key', 'asset.name', 'asset.description', 'asset.type',
  'asset.metadata', 'asset.is_active', 'asset.valid_from', 'asset.valid_to', 'asset.created_at',
  'asset.updated_at', 'asset.deleted_at', 'asset.revision',
] as const // prettier-ignore

/** The columns of a `Tagged<AssetRow>`, made once: to build them for each request was a fifth of its work. */
export const shownAsset = sql`${sql.raw(assetColumns.join(', '))}, ${liveTags('asset')} as tags`

const live = (db: Db, orgId: number, id: number) =>
  db.selectFrom('asset').where('org_id', '=', orgId).where('id', '=', id).where('deleted_at', 'is', null)

/**
 * The live row with its tags, or undefined when it is missing, deleted, or another organization's: the three look the
 * same. In one statement: between two, the asset could be deleted and would be shown without its tags.
 */
export async function findAsset(db: Db, orgId: number, id: number): Promise<Tagged<AssetRow> | undefined> {
  const { rows } = await sql<Tagged<AssetRow>>`select ${shownAsset} from asset
    where org_id = ${orgId} and id = ${id} and deleted_at is null`.execute(db)
  return rows[0]
}

/** As `findAsset` without tags, and locked against any change until the transaction ends. */
export function lockAsset(tx: Tx, orgId: number, id: number): Promise<AssetRow | undefined> {
  return live(tx, orgId, id).select(assetColumns).forUpdate().executeTakeFirst()
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
    .catch((error: unknown) => refuseViolation(error, asset.external_key))
}

function refuseViolation(error: unknown, key = ''): never {
  const constraint = violatedConstraint(error)
  if (constraint === 'asset_live_key') throw assetKeyTaken(key)
  if (constraint === 'asset_window') throw windowInverted()
  throw error
}

type Writable = 'name' | 'description' | 'type' | 'metadata' | 'is_active' | 'valid_from' | 'valid_to'
export type AssetChanges = Pick<AssetPatch, Writable> & { external_key?: string }

/**
 * Call under `lockAsset`. `changes` may be empty: an accepted change advances `updated_at` regardless. A new key must
 * have come through `lockKeys`. Throws `assetKeyTaken` and `windowInverted`.
 */
export function updateAsset(tx: Tx, orgId: number, id: number, changes: AssetChanges): Promise<AssetRow> {
  const { metadata, ...given } = changes
  return tx
    .updateTable('asset')
    .set({
      ...given,
      ...(metadata !== undefined && { metadata: JSON.stringify(metadata) }),
      updated_at: nextUpdate,
      revision: nextRevision,
    })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(assetColumns)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => refuseViolation(error, changes.external_key))
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
