import type { TagView } from '@whereabouts/contracts/tags'
import { sql, type RawBuilder } from 'kysely'

/** A row with its live tags. */
export type Tagged<Row> = Row & { tags: TagView[] }

const liveTagsOf = (owner: 'asset' | 'location') =>
  sql.raw<TagView[]>(`coalesce((
    select json_agg(json_build_object('id', tag.id, 'tag_type', tag.tag_type, 'value', tag.value)
                    order by tag.created_at, tag.id)
    from tag where tag.org_id = ${owner}.org_id and tag.${owner}_id = ${owner}.id and tag.deleted_at is null), '[]')`)

const columns = { asset: liveTagsOf('asset'), location: liveTagsOf('location') }

/** The live tags of a row of `owner`, oldest first, as a column of a query. */
export const liveTags = (owner: 'asset' | 'location'): RawBuilder<TagView[]> => columns[owner]
