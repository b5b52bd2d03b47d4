import { z } from 'zod'
import { assetFields } from '../resources/catalog/assets.ts'
import { stateShapeOf } from '../rules/fields.ts'
import { locationFields } from '../resources/catalog/locations.ts'
import { defineMessage } from './message.ts'

/**
 * The compacted log of catalog, with the full state of each asset, location and tag. `revision` grows with each
 * change of an entity, and only it decides which state is newer. A deleted entity is a state with `deleted_at`; it is
 * never missing.
 *
 * Old and new releases run together, and the log has messages of both. So consumers parse only the fields that they
 * use (`AssetIdentity`, `LocationPlace`, `TagState`) and ignore all others.
 */
const stored = { org_id: z.int(), revision: z.int() }

export const AssetState = z.object({ ...stored, ...stateShapeOf(assetFields) })
export type AssetState = z.infer<typeof AssetState>

/** An asset without its details, because a reply about many assets must not have the metadata of each. */
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

/** With its type, by which movements are filtered, its metadata, which rules may ask for, and its home, which states of the release before do not have. */
export const TypedAsset = AssetIdentity.extend({
  type: AssetState.shape.type,
  home_location_id: AssetState.shape.home_location_id,
  metadata: AssetState.shape.metadata.optional(),
})
export type TypedAsset = z.infer<typeof TypedAsset>

export const LocationState = z.object({ ...stored, ...stateShapeOf(locationFields) })
export type LocationState = z.infer<typeof LocationState>

/** A location's name, its place in the tree, and when it is valid, which replies of the release before do not have. */
export const LocationPlace = LocationState.pick({
  org_id: true,
  id: true,
  revision: true,
  external_key: true,
  name: true,
  parent_id: true,
  valid_from: true,
  valid_to: true,
  deleted_at: true,
}).partial({ valid_from: true, valid_to: true })
export type LocationPlace = z.infer<typeof LocationPlace>

/** Exactly one of `asset_id` and `location_id` is set; it is the owner. */
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
