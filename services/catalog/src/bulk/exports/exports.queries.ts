import type { AssetExportQuery } from '@whereabouts/contracts/resources/catalog/imports'
import { anyOf } from '@whereabouts/db/sql-conditions'
import { sql } from 'kysely'
import { assetConditions, metadataConditions } from '../../assets/assets.lists.ts'
import { locationColumns, type AssetWithHome, type Db, type LocationRow } from '../../db.ts'
import { columnsWithHome } from '../../assets/assets.queries.ts'
import { matchingRows } from '../../lists/filtered.ts'
import { liveTags, type Tagged } from '../../tags/live-tags.ts'

/**
 * The ids of all rows of a file, in its order. Read at once, so that a row that changes meanwhile is neither lost nor
 * repeated. A million are eight megabytes.
 */
export class IdList {
  readonly #bytes: Buffer

  constructor(bytes: Buffer | null) {
    this.#bytes = bytes ?? Buffer.alloc(0)
  }

  get length(): number {
    return this.#bytes.length / ID_BYTES
  }

  slice(from: number, count: number): number[] {
    const end = Math.min(from + count, this.length)
    return Array.from({ length: Math.max(end - from, 0) }, (_, i) =>
      Number(this.#bytes.readBigInt64BE((from + i) * ID_BYTES)),
    )
  }
}

const ID_BYTES = 8

/** The assets that match, in the order of the list. All live ones without filters, also outside their validity. */
export async function listAssetIds(db: Db, orgId: number, query: AssetExportQuery): Promise<IdList> {
  const { window = 'any', sort, ...filters } = query
  const conditions = assetConditions(orgId, { ...filters, window })
  const found = metadataConditions(filters)
  const matching = matchingRows(orgId, { table: 'asset', conditions, q: filters.q, found, sort })
  const { rows } = await sql<{ ids: Buffer | null }>`${matching.plan}
    with ${matching.with}
    select string_agg(int8send(page.id), ''::bytea order by ${matching.order}) as ids
    from matching as page`.execute(db)
  return new IdList(rows[0]?.ids ?? null)
}

type Named = { ids: readonly number[]; includeDeleted: boolean }

/** The assets among these that still exist, in the given order. */
export function findAssetsInOrder(
  db: Db,
  orgId: number,
  { ids, includeDeleted }: Named,
): Promise<Tagged<AssetWithHome>[]> {
  return db
    .selectFrom('asset')
    .select([...columnsWithHome, liveTags('asset').as('tags')])
    .where('org_id', '=', orgId)
    .where(anyOf('asset.id', ids, 'bigint'))
    .$if(!includeDeleted, (rows) => rows.where('deleted_at', 'is', null))
    .orderBy(sql`array_position(${[...ids]}::bigint[], asset.id)`)
    .execute()
}

/** All live locations, parents before children. */
export async function listLocationIds(db: Db, orgId: number): Promise<IdList> {
  const { rows } = await sql<{ ids: Buffer | null }>`
    with recursive tree as (
      select id, external_key, 0 as depth from location
      where org_id = ${orgId} and parent_id is null and deleted_at is null
      union all
      select child.id, child.external_key, tree.depth + 1 from tree
      join location as child on child.org_id = ${orgId} and child.parent_id = tree.id and child.deleted_at is null
    )
    select string_agg(int8send(id), ''::bytea order by depth, external_key) as ids from tree`.execute(db)
  return new IdList(rows[0]?.ids ?? null)
}

/** The locations among these that are still live, in the given order. */
export async function findLocationsInOrder(
  db: Db,
  orgId: number,
  ids: readonly number[],
): Promise<Tagged<LocationRow & { parent_external_key: string | null }>[]> {
  return db
    .selectFrom('location')
    .leftJoin('location as parent', (join) =>
      join.onRef('parent.org_id', '=', 'location.org_id').onRef('parent.id', '=', 'location.parent_id'),
    )
    .select([
      ...locationColumns,
      'parent.external_key as parent_external_key',
      liveTags('location').as('tags'),
    ])
    .where('location.org_id', '=', orgId)
    .where('location.deleted_at', 'is', null)
    .where(anyOf('location.id', ids, 'bigint'))
    .orderBy(sql`array_position(${[...ids]}::bigint[], location.id)`)
    .execute()
}
