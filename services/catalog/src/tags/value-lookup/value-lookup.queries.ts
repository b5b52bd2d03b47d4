import { matchValues } from '@whereabouts/contracts/resources/catalog/tag-matching'
import { tagTypes } from '@whereabouts/contracts/resources/catalog/tags'
import { anyOf } from '@whereabouts/db/sql-conditions'
import { sql } from 'kysely'
import type { Db } from '../../db.ts'
import type { Keyed, TagMatch } from './value-lookup.rules.ts'

/** The live assets or locations with these keys. Finds those that lists hide, such as expired ones (D7.1). */
export const listByKey = (
  db: Db,
  orgId: number,
  table: 'asset' | 'location',
  keys: readonly string[],
): Promise<Keyed[]> =>
  db
    .selectFrom(table)
    .select([`${table}.id`, `${table}.external_key`, `${table}.name`])
    .where('org_id', '=', orgId)
    .where('deleted_at', 'is', null)
    .where(anyOf(`${table}.external_key`, keys, 'text'))
    .execute()

/**
 * For each value and type of tag, the live tag that a read of this value would match: the exact one, then the oldest
 * (D6.5). By value; then exact ones first, then the oldest. One search of the index per value and type, because an
 * organization may have any number of tags with the same `match_value`.
 */
export async function listMatchingTags(
  db: Db,
  orgId: number,
  values: readonly string[],
): Promise<TagMatch[]> {
  const wanted = values.flatMap((value, position) =>
    tagTypes.map((tag_type) => ({ position, tag_type, value, forms: matchValues(tag_type, value) })),
  )
  const { rows } = await sql<TagMatch>`
    select wanted.position, found.tag_type, found.value,
           case when asset.id is null then 'location' else 'asset' end as type,
           coalesce(asset.id, location.id) as id,
           coalesce(asset.external_key, location.external_key) as external_key,
           coalesce(asset.name, location.name) as name
    from jsonb_to_recordset(${JSON.stringify(wanted)}::jsonb)
      as wanted (position int, tag_type text, value text, forms text[])
    cross join lateral (
      select id, tag_type, value, asset_id, location_id, created_at from tag
      where org_id = ${orgId} and tag.tag_type = wanted.tag_type and tag.match_value = any(wanted.forms)
        and deleted_at is null
      order by (tag.value = wanted.value) desc, created_at, id
      limit 1) as found
    left join asset on asset.org_id = ${orgId} and asset.id = found.asset_id
    left join location on location.org_id = ${orgId} and location.id = found.location_id
    order by wanted.position, (found.value = wanted.value) desc, found.created_at, found.id`.execute(db)
  return rows
}
