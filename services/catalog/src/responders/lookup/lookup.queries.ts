import type { AssetIdentity } from '@whereabouts/contracts/messages/catalog-state'
import { matchValues } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { anyOf } from '@whereabouts/db/sql-conditions'
import { fixedPlan } from '@whereabouts/db/tenant/tenant-database'
import { sql } from 'kysely'
import { eachAsset, ownColumns } from '../../assets/assets.queries.ts'
import { locationColumns, type AssetRow, type Db, type LocationRow, type TagRow } from '../../db.ts'
import { tagColumns } from '../../tags/tags.queries.ts'

export type ReadTag = { tag_type: string; value: string }

/** The live tags that match one of these reads: same type, and one of the forms of the read (D6.5). */
export async function findMatchingTags(db: Db, orgId: number, tags: readonly ReadTag[]): Promise<TagRow[]> {
  if (tags.length === 0) return []
  const wanted = tags.flatMap(({ tag_type, value }) =>
    matchValues(tag_type, value).map((form) => [tag_type, form] as const),
  )
  const [types, forms] = [wanted.map(([type]) => type), wanted.map(([, form]) => form)]
  return db
    .selectFrom('tag')
    .select(tagColumns)
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .where(
      sql<boolean>`(tag_type, match_value) in (select * from unnest(${types}::text[], ${forms}::text[]))`,
    )
    .execute()
}

/** Includes deleted assets. */
export async function findAssets(db: Db, orgId: number, ids: readonly number[]): Promise<AssetRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<AssetRow>`${fixedPlan}
    select ${ownColumns} from unnest(${[...new Set(ids)]}::bigint[]) as wanted (id)
    ${eachAsset(sql`asset.org_id = ${orgId} and asset.id = wanted.id`)}`.execute(db)
  return rows
}

const identityColumns = [
  'asset.org_id', 'asset.id', 'asset.revision', 'asset.external_key', 'asset.name', 'asset.valid_from',
  'asset.valid_to', 'asset.deleted_at',
] as const // oxfmt-ignore

/** The live assets with these keys. Finds assets that lists hide, such as expired ones (D7.1). */
export async function findAssetsByKey(
  db: Db,
  orgId: number,
  keys: readonly string[],
): Promise<AssetIdentity[]> {
  const columns = sql.raw(identityColumns.join(', '))
  const { rows } = await sql<AssetIdentity>`${fixedPlan}
    select ${columns} from unnest(${[...new Set(keys)]}::text[]) as wanted (key)
    ${eachAsset(sql`asset.org_id = ${orgId} and asset.external_key = wanted.key and asset.deleted_at is null`)}`.execute(
    db,
  )
  return rows
}

/** By id, including deleted locations; by key, only live ones, because a new location may have taken the key. */
export async function findLocations(
  db: Db,
  orgId: number,
  ids: readonly number[],
  keys: readonly string[],
): Promise<LocationRow[]> {
  if (ids.length === 0 && keys.length === 0) return []
  return db
    .selectFrom('location')
    .select(locationColumns)
    .where('org_id', '=', orgId)
    .where((eb) =>
      eb.or([
        anyOf('location.id', ids, 'bigint'),
        eb.and([eb('deleted_at', 'is', null), anyOf('location.external_key', keys, 'text')]),
      ]),
    )
    .execute()
}
