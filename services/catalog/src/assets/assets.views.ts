import type { AssetView } from '@whereabouts/contracts/assets'
import type { AssetState } from '@whereabouts/contracts/messages/catalog-state'
import type { TagView } from '@whereabouts/contracts/tags'
import type { AssetRow } from '../db.ts'
import { toTagView } from '../tags/tags.views.ts'

/** Fields by name: a new column must not leak into the API by accident. */
export const toAssetView = (row: AssetRow, tags: readonly TagView[]): AssetView => ({
  id: row.id,
  external_key: row.external_key,
  name: row.name,
  description: row.description,
  type: row.type,
  metadata: row.metadata,
  is_active: row.is_active,
  valid_from: row.valid_from,
  valid_to: row.valid_to,
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: row.deleted_at,
  tags: tags.map(toTagView),
})

export const toAssetState = (row: AssetRow): AssetState => ({
  org_id: row.org_id,
  id: row.id,
  revision: row.revision,
  external_key: row.external_key,
  name: row.name,
  description: row.description,
  type: row.type,
  metadata: row.metadata,
  is_active: row.is_active,
  valid_from: row.valid_from,
  valid_to: row.valid_to,
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: row.deleted_at,
})
