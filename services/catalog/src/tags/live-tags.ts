import type { TagView } from '@whereabouts/contracts/resources/catalog/tags'
import { sql, type RawBuilder } from 'kysely'

/** A row with its live tags. */
export type Tagged<Row> = Row & { tags: TagView[] }

const asJson = `json_agg(json_build_object('id', tag.id, 'tag_type', tag.tag_type, 'value', tag.value)
                    order by tag.created_at, tag.id)`

const liveTagsOf = (owner: 'asset' | 'location') =>
  sql.raw<TagView[]>(`coalesce((
    select ${asJson}
    from tag where tag.org_id = ${owner}.org_id and tag.${owner}_id = ${owner}.id and tag.deleted_at is null), '[]')`)

const columns = { asset: liveTagsOf('asset'), location: liveTagsOf('location') }

/** The live tags of a row of `owner`, oldest first, as a column of a query. */
export const liveTags = (owner: 'asset' | 'location'): RawBuilder<TagView[]> => columns[owner]

/** Of each row of `owner` among `ids` that has live tags: `owner_id`, and the `tags` as `liveTags` returns them. */
export const liveTagsAmong = (
  owner: 'asset' | 'location',
  orgId: number,
  ids: RawBuilder<unknown>,
): RawBuilder<unknown> => {
  const ownerId = sql.ref(`tag.${owner}_id`)
  return sql`
    select owner.id as owner_id, ${sql.raw(asJson)} as tags
    from (${ids}) as owner (id) cross join lateral (
      select tag.id, tag.tag_type, tag.value, tag.created_at from tag
      where tag.org_id = ${orgId} and ${ownerId} = owner.id and tag.deleted_at is null offset 0) as tag
    group by owner.id`
}
