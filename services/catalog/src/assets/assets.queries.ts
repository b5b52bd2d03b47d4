import type { AssetCreate, assetFields, AssetPatch } from '@whereabouts/contracts/resources/catalog/assets'
import type { NamesWith } from '@whereabouts/contracts/rules/fields'
import { violatedConstraint } from '@whereabouts/db/connect/constraint-violation'
import { nextRevision } from '@whereabouts/db/outbox/revisions'
import { batchCallsByKey } from '@whereabouts/db/tenant/batch-calls'
import { fixedPlan, type TenantDatabase } from '@whereabouts/db/tenant/tenant-database'
import { sql, type RawBuilder } from 'kysely'
import { assetColumns, type AssetWithHome, type Db, type Tables, type Tx } from '../db.ts'
import { assetKeyTaken, windowInverted } from '../errors.ts'
import { liveTags, type Tagged } from '../tags/live-tags.ts'
import { nextUpdate } from '../changes/transactions/next-update.ts'

export const ownColumns: RawBuilder<unknown> = sql.raw(assetColumns.join(', '))

/** The key of the live home of an asset. Only the primary key has the order of the home. */
export const homeKey = sql<string | null>`(
    select home.external_key from location as home
    where home.org_id = asset.org_id and home.id between asset.home_location_id and asset.home_location_id
      and home.deleted_at is null order by home.id limit 1)`

/** The columns of an `AssetWithHome`, built once. */
export const columnsWithHome = [...assetColumns, homeKey.as('home_location_external_key')] as const
export const ownColumnsWithHome = sql`${ownColumns}, ${homeKey} as home_location_external_key`

/** The columns of a `Tagged<AssetWithHome>`. Built once, because building them took a fifth of the work of a request. */
export const assetColumnsWithTags = sql`${ownColumnsWithHome}, ${liveTags('asset')} as tags`

const live = (db: Db, orgId: number, id: number) =>
  db.selectFrom('asset').where('org_id', '=', orgId).where('id', '=', id).where('deleted_at', 'is', null)

/**
 * The live row with its tags. Undefined if it is missing, deleted, or belongs to another organization. In one
 * statement, because a delete between two would show the asset without its tags.
 */
export async function findAsset(
  db: Db,
  orgId: number,
  id: number,
): Promise<Tagged<AssetWithHome> | undefined> {
  const { rows } = await sql<Tagged<AssetWithHome>>`select ${assetColumnsWithTags} from asset
    where org_id = ${orgId} and id = ${id} and deleted_at is null`.execute(db)
  return rows[0]
}

/**
 * Looks up each wanted asset by itself. With `any($1)`, a plan for all values may read every row of an organization:
 * most organizations are small, where that is cheap, and the plan is used for the large ones too.
 */
export const eachAsset = (one: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`cross join lateral (select ${ownColumns} from asset where ${one} offset 0) as asset`

/** Gets that share a statement, and how many such statements of one organization run at the same time. */
const SHARED = { atMost: 32, atOnce: 2 }

/**
 * `findAsset` for requests outside of transactions. Finds of one organization that arrive together, or while others run,
 * share a statement. Each statement starts after its finds have begun, so that sharing makes no answer older.
 */
export const assetFinder = (db: Pick<TenantDatabase<Tables>, 'forOrg'>) =>
  batchCallsByKey<number, number, Tagged<AssetWithHome> | undefined>(async (orgId, ids) => {
    const { rows } = await sql<Tagged<AssetWithHome>>`${fixedPlan}
      select ${assetColumnsWithTags} from unnest(${[...new Set(ids)]}::bigint[]) as wanted (id)
      ${eachAsset(sql`asset.org_id = ${orgId} and asset.id = wanted.id and asset.deleted_at is null`)}`.execute(
      db.forOrg(orgId),
    )
    const found = new Map(rows.map((row) => [row.id, row]))
    return ids.map((id) => found.get(id))
  }, SHARED)

/** Like `findAsset`, without tags. Locks the row until the transaction ends. */
export function lockAsset(tx: Tx, orgId: number, id: number): Promise<AssetWithHome | undefined> {
  return live(tx, orgId, id).select(columnsWithHome).forUpdate().executeTakeFirst()
}

type Writable = NamesWith<typeof assetFields, 'writable'>
type NewAsset = Pick<AssetCreate, Writable> & { external_key: string; home_location_id: number | null }

/** Omitted fields get their defaults. Throws `assetKeyTaken` and `windowInverted`. */
export async function insertAsset(tx: Tx, orgId: number, asset: NewAsset): Promise<AssetWithHome> {
  return tx
    .insertInto('asset')
    .values({ org_id: orgId, ...asset })
    .returning(columnsWithHome)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => refuseViolation(error, asset.external_key))
}

function refuseViolation(error: unknown, key = ''): never {
  const constraint = violatedConstraint(error)
  if (constraint === 'asset_live_key') throw assetKeyTaken(key)
  if (constraint === 'asset_window') throw windowInverted()
  throw error
}

export type AssetChanges = Pick<AssetPatch, Writable> & {
  external_key?: string
  home_location_id?: number | null
}

/**
 * Call under `lockAsset`, under `lockKeys` to change the key, and with the home listed under lock to change it. Advances `updated_at` even if `changes` is empty.
 * Throws `assetKeyTaken` and `windowInverted`.
 */
export function updateAsset(
  tx: Tx,
  orgId: number,
  id: number,
  changes: AssetChanges,
): Promise<AssetWithHome> {
  return tx
    .updateTable('asset')
    .set({ ...changes, updated_at: nextUpdate, revision: nextRevision })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(columnsWithHome)
    .executeTakeFirstOrThrow()
    .catch((error: unknown) => refuseViolation(error, changes.external_key))
}

/** Call under `lockAsset`. */
export function deleteAsset(tx: Tx, orgId: number, id: number): Promise<AssetWithHome> {
  return tx
    .updateTable('asset')
    .set({ deleted_at: sql<string>`greatest(clock_timestamp(), updated_at)`, revision: nextRevision })
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(columnsWithHome)
    .executeTakeFirstOrThrow()
}
