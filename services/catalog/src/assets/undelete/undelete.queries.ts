import type { Holder } from '@whereabouts/contracts/resources/catalog/restore'
import { violatedConstraint } from '@whereabouts/db/connect/constraint-violation'
import { nextRevision } from '@whereabouts/db/outbox/revisions'
import { sql } from 'kysely'
import { locationColumns, type AssetWithHome, type Db, type LocationRow, type Tx } from '../../db.ts'
import { keyNeeded } from '../../errors.ts'
import type { KeyedTable } from '../../tags/external-keys/minted-keys.ts'
import { assetColumnsWithTags, columnsWithHome } from '../assets.queries.ts'
import { locationColumnsWithTags, type LocationWithParent } from '../../locations/locations.queries.ts'
import type { Tagged } from '../../tags/live-tags.ts'
import { nextUpdate } from '../../changes/transactions/next-update.ts'

/** The asset, deleted or not, with its live tags. */
export async function findAnyAsset(
  db: Db,
  orgId: number,
  id: number,
): Promise<Tagged<AssetWithHome> | undefined> {
  const { rows } = await sql<Tagged<AssetWithHome>>`select ${assetColumnsWithTags} from asset
    where org_id = ${orgId} and id = ${id}`.execute(db)
  return rows[0]
}

/** The location, deleted or not, with its live tags. */
export async function findAnyLocation(
  db: Db,
  orgId: number,
  id: number,
): Promise<Tagged<LocationWithParent> | undefined> {
  const { rows } = await sql<Tagged<LocationWithParent>>`select ${locationColumnsWithTags} from location
    where org_id = ${orgId} and id = ${id}`.execute(db)
  return rows[0]
}

type Lockable = { id: number; external_key: string; deleted_at: string | null; parent_id: number | null }

/** Locks the row, deleted or not, until the transaction ends. An asset has no parent. */
export async function lockAnyRow(
  tx: Tx,
  orgId: number,
  table: KeyedTable,
  id: number,
): Promise<Lockable | undefined> {
  const parent = table === 'location' ? sql`parent_id` : sql`null::bigint as parent_id`
  const { rows } = await sql<Lockable>`
    select id, external_key, deleted_at, ${parent} from ${sql.table(table)}
    where org_id = ${orgId} and id = ${id} for update`.execute(tx)
  return rows[0]
}

/** Who has this key now. */
export async function findKeyHolder(
  db: Db,
  orgId: number,
  table: KeyedTable,
  key: string,
): Promise<Holder | undefined> {
  const holder = await db
    .selectFrom(table)
    .select(['id', 'external_key', 'name'])
    .where('org_id', '=', orgId)
    .where('external_key', '=', key)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return holder && { resource: table, ...holder }
}

export type Parent = { id: number; external_key: string; name: string; deleted_at: string | null }

/** The parent of a location, deleted or not. */
export function findAnyParent(db: Db, orgId: number, id: number): Promise<Parent | undefined> {
  return db
    .selectFrom('location')
    .select(['id', 'external_key', 'name', 'deleted_at'])
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** `updated_at` advances: a copy from before the deletion must not overwrite what changed with it. */
const alive = { deleted_at: null, updated_at: nextUpdate, revision: nextRevision }

/** Call under `lockAnyRow` and `lockKeys`. Throws `keyNeeded` if another transaction took the key meanwhile. */
export function restoreAssetRow(tx: Tx, orgId: number, id: number, key: string): Promise<AssetWithHome> {
  return tx
    .updateTable('asset')
    .set({ ...alive, external_key: key })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(columnsWithHome)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => refuseTakenKey(error, 'asset', key))
}

/** Like `restoreAssetRow`. Also call under `lockTree` and with the parent pinned. */
export function restoreLocationRow(
  tx: Tx,
  orgId: number,
  id: number,
  place: { key: string; parentId: number | null },
): Promise<LocationRow> {
  return tx
    .updateTable('location')
    .set({ ...alive, external_key: place.key, parent_id: place.parentId })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(locationColumns)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => refuseTakenKey(error, 'location', place.key))
}

function refuseTakenKey(error: unknown, table: KeyedTable, key: string): never {
  throw violatedConstraint(error) === `${table}_live_key` ? keyNeeded(table, key) : error
}
