import type { TagView } from '@whereabouts/contracts/tags'
import { sql, type RawBuilder } from 'kysely'

/** A row as the API shows it: with its live tags. */
export type Tagged<Row> = Row & { tags: TagView[] }

/** A column of a query over `owner`: the live tags of the row, oldest first. */
export function liveTags(owner: 'asset' | 'location'): RawBuilder<TagView[]> {
  const [orgId, id, ownerId] = [`${owner}.org_id`, `${owner}.id`, `tag.${owner}_id`].map((ref) =>
    sql.ref(ref),
  )
  return sql<TagView[]>`coalesce((
    select json_agg(json_build_object('id', tag.id, 'tag_type', tag.tag_type, 'value', tag.value)
                    order by tag.created_at, tag.id)
    from tag where tag.org_id = ${orgId} and ${ownerId} = ${id} and tag.deleted_at is null), '[]')`
}
