import type { TagState } from '@whereabouts/contracts/messages/catalog-state'
import { withEpc, type TagView } from '@whereabouts/contracts/resources/catalog/tags'
import type { TagRow } from '../db.ts'

export const toTagView = ({ id, tag_type, value }: TagView): TagView => withEpc({ id, tag_type, value })

export const toTagState = (row: TagRow): TagState => ({
  org_id: row.org_id,
  id: row.id,
  revision: row.revision,
  tag_type: row.tag_type,
  value: row.value,
  asset_id: row.asset_id,
  location_id: row.location_id,
  created_at: row.created_at,
  deleted_at: row.deleted_at,
})
