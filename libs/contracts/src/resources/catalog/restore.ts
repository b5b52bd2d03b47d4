import { z } from 'zod'
import { AssetView } from './assets.ts'
import { Id } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { LocationView } from './locations.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { dataOf, pathId } from '../../rules/query.ts'
import type { Route } from '../../route.ts'
import { TagView } from './tags.ts'
import { NaturalKey } from '../../rules/text.ts'

/** Who has a key or a tag now. */
export const Holder = z
  .object({
    resource: openEnum(['asset', 'location']),
    id: Id,
    external_key: z.string(),
    name: z.string(),
  })
  .meta({ id: 'Holder' })
export type Holder = z.infer<typeof Holder>

const { id: _, ...tag } = TagView.shape
const LostTag = z.object({ ...tag, held_by: Holder }).meta({ id: 'LostTag' })
export type LostTag = z.infer<typeof LostTag>

/** A tag that was deleted with its owner. `held_by`: who has it now, so that it does not come back. */
const TagToRestore = z.object({ ...tag, held_by: Holder.nullable() }).meta({ id: 'TagToRestore' })
export type TagToRestore = z.infer<typeof TagToRestore>

const preview = {
  tags: z.array(TagToRestore),
  /** Who has the external key now, so that a restore needs another one. */
  key_held_by: Holder.nullable(),
}
const ParentToRestore = z
  .object({ id: Id, external_key: z.string(), name: z.string(), deleted_at: WireInstant.nullable() })
  .meta({ id: 'ParentToRestore' })

const AssetRestorePreview = z.object({ ...preview, asset: AssetView }).meta({ id: 'AssetRestorePreview' })
const LocationRestorePreview = z
  .object({ ...preview, location: LocationView, parent: ParentToRestore.nullable() })
  .meta({ id: 'LocationRestorePreview' })

const newKey = { external_key: NaturalKey.optional() }

/** Without a key, the resource comes back under its old one. */
export const AssetRestore = z
  .strictObject(newKey)
  .meta({ id: 'AssetRestore', example: { external_key: 'FORKLIFT-7B' } })
/** Without a parent, the location comes back below its old one. Null makes it a root. */
export const LocationRestore = z
  .strictObject({ ...newKey, parent_id: Id.nullable().optional() })
  .meta({ id: 'LocationRestore', example: { external_key: 'DOCK-1B', parent_id: null } })

/** `tags_not_restored`: tags that went with the deletion and belong to others now. */
const restored = <T extends z.ZodType>(item: T) =>
  z.object({ data: item, tags_not_restored: z.array(LostTag) })

const console = { upstream: 'catalog', access: 'session', counted: false, described: false } as const
const AssetPath = z.strictObject({ asset_id: pathId })
const LocationPath = z.strictObject({ location_id: pathId })

export const restoreRoutes = {
  previewAssetRestore: {
    ...console,
    method: 'GET',
    path: '/assets/{asset_id}/restore',
    summary: 'Show a deleted asset and what a restore would bring back',
    params: AssetPath,
    success: { status: 200, schema: dataOf(AssetRestorePreview) },
    errors: ['validation_error', 'not_found'],
  },
  restoreAsset: {
    ...console,
    method: 'POST',
    path: '/assets/{asset_id}/restore',
    summary: 'Restore a deleted asset with its tags',
    description:
      'A deleted asset can always be restored. Responds with 409 if another asset has its external key: send ' +
      'another `external_key`. Does not take back tags that were attached to something else meanwhile. Restoring an ' +
      'asset that is not deleted changes nothing.',
    params: AssetPath,
    body: AssetRestore,
    success: { status: 200, schema: restored(AssetView) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
  previewLocationRestore: {
    ...console,
    method: 'GET',
    path: '/locations/{location_id}/restore',
    summary: 'Show a deleted location and what a restore would bring back',
    params: LocationPath,
    success: { status: 200, schema: dataOf(LocationRestorePreview) },
    errors: ['validation_error', 'not_found'],
  },
  restoreLocation: {
    ...console,
    method: 'POST',
    path: '/locations/{location_id}/restore',
    summary: 'Restore a deleted location with its tags',
    description:
      'A deleted location can always be restored. Responds with 409 if another location has its external key, or if ' +
      'its parent is deleted: send another `external_key` or `parent_id`; null makes it a root. Does not take back ' +
      'tags that were attached to something else meanwhile. Does not restore sub-locations, which were deleted ' +
      'before. Restoring a location that is not deleted changes nothing.',
    params: LocationPath,
    body: LocationRestore,
    success: { status: 200, schema: restored(LocationView) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
} as const satisfies Record<string, Route>
