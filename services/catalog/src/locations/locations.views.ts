import type { LocationView } from '@whereabouts/contracts/locations'
import type { LocationState } from '@whereabouts/contracts/messages/catalog-state'
import type { TagView } from '@whereabouts/contracts/tags'
import type { LocationRow } from '../db.ts'
import { toTagView } from '../tags/tags.views.ts'
import type { PlacedLocation } from './locations.queries.ts'

/** Fields by name: a new column must not leak into the API by accident. */
export const toLocationView = (row: PlacedLocation, tags: readonly TagView[]): LocationView => ({
  id: row.id,
  external_key: row.external_key,
  name: row.name,
  description: row.description,
  parent_id: row.parent_id,
  parent_external_key: row.parent_external_key,
  is_active: row.is_active,
  valid_from: row.valid_from,
  valid_to: row.valid_to,
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: row.deleted_at,
  tags: tags.map(toTagView),
})

export const toLocationState = (row: LocationRow): LocationState => ({
  org_id: row.org_id,
  id: row.id,
  revision: row.revision,
  external_key: row.external_key,
  name: row.name,
  description: row.description,
  parent_id: row.parent_id,
  is_active: row.is_active,
  valid_from: row.valid_from,
  valid_to: row.valid_to,
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: row.deleted_at,
})
