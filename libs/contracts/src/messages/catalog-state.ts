import { z } from 'zod'
import { defineMessage } from './message.ts'

/**
 * The compacted log of catalog: full state per asset, location and tag. `revision` rises with every change of an
 * entity and is the only measure of "newer". A deleted entity is state with `deleted_at`, never an absence.
 * Unknown fields are ignored, so that old and new releases run together.
 */
const window = {
  is_active: z.boolean(),
  valid_from: z.string(),
  valid_to: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  deleted_at: z.string().nullable(),
}

export const AssetState = z.object({
  org_id: z.int(),
  id: z.int(),
  revision: z.int(),
  external_key: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  type: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  ...window,
})
export type AssetState = z.infer<typeof AssetState>

/** What those need who only know assets apart: an answer about many must not carry the metadata of each. */
export const AssetIdentity = AssetState.pick({
  org_id: true,
  id: true,
  revision: true,
  external_key: true,
  name: true,
  valid_from: true,
  valid_to: true,
  deleted_at: true,
})
export type AssetIdentity = z.infer<typeof AssetIdentity>

export const LocationState = z.object({
  org_id: z.int(),
  id: z.int(),
  revision: z.int(),
  external_key: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  parent_id: z.int().nullable(),
  ...window,
})
export type LocationState = z.infer<typeof LocationState>

/** Exactly one of `asset_id` and `location_id` is set: the owner. */
export const TagState = z.object({
  org_id: z.int(),
  id: z.int(),
  revision: z.int(),
  tag_type: z.string(),
  value: z.string(),
  asset_id: z.int().nullable(),
  location_id: z.int().nullable(),
  created_at: z.string(),
  deleted_at: z.string().nullable(),
})
export type TagState = z.infer<typeof TagState>

export const assetState = defineMessage({
  name: 'asset state',
  schema: AssetState,
  keep: 'last',
  subject: (a) => `catalog.asset.${a.org_id}.${a.id}`,
})

export const locationState = defineMessage({
  name: 'location state',
  schema: LocationState,
  keep: 'last',
  subject: (l) => `catalog.location.${l.org_id}.${l.id}`,
})

export const tagState = defineMessage({
  name: 'tag state',
  schema: TagState,
  keep: 'last',
  subject: (t) => `catalog.tag.${t.org_id}.${t.id}`,
})
