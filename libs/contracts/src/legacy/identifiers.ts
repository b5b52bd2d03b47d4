import { z } from 'zod'
import { dataOf, pathId } from '../rules/query.ts'
import type { Route } from '../route.ts'
import { MAX_TAGS, tagFields, tagRule, tagTypes, TagView } from '../resources/catalog/tags.ts'
import { LocationKey, NaturalKey } from '../rules/text.ts'

/** Identifiers: the legacy word for tags. */

export const LegacyIdentifierView = z
  .object({
    id: TagView.shape.id,
    type: TagView.shape.tag_type,
    value: TagView.shape.value,
    is_active: z.boolean(),
  })
  .meta({ id: 'LegacyIdentifier' })
export type LegacyIdentifierView = z.infer<typeof LegacyIdentifierView>

export const LegacyIdentifierCreate = z
  .strictObject({ type: z.enum(tagTypes).default('rfid'), value: tagFields.value })
  .check(tagRule(({ type }) => type))
  .meta({
    id: 'LegacyIdentifierCreate',
    example: { type: 'barcode', value: '4006381333931' },
  })
export type LegacyIdentifierCreate = z.infer<typeof LegacyIdentifierCreate>

/** Null and an empty list both mean that there are none. */
export const LegacyIdentifiers = z.array(LegacyIdentifierCreate).max(MAX_TAGS).nullable()

/** A path names a resource by its natural key. A text that cannot be a key is `invalid_value`, as in a filter. */
export const LegacyAssetPath = z.strictObject({ identifier: NaturalKey })
export const LegacyLocationPath = z.strictObject({ identifier: LocationKey })
const tag = { tag_id: pathId }

const row = { vocabulary: 'legacy', upstream: 'catalog', counted: false, described: true } as const
const attached = { status: 201, schema: dataOf(LegacyIdentifierView) } as const
const attachErrors = ['validation_error', 'bad_request', 'not_found', 'conflict'] as const

/** At `tags` and, since clients know both, at `identifiers` (D17.1). */
const tagRoutes = {
  attachLegacyAssetTag: {
    ...row,
    method: 'POST',
    path: '/assets/{identifier}/tags',
    access: 'assets:write',
    summary: 'Attach an identifier to an asset',
    params: LegacyAssetPath,
    body: LegacyIdentifierCreate,
    success: attached,
    errors: attachErrors,
  },
  detachLegacyAssetTag: {
    ...row,
    method: 'DELETE',
    path: '/assets/{identifier}/tags/{tag_id}',
    access: 'assets:write',
    summary: 'Remove an identifier from an asset',
    params: LegacyAssetPath.extend(tag),
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
  attachLegacyLocationTag: {
    ...row,
    method: 'POST',
    path: '/locations/{identifier}/tags',
    access: 'locations:write',
    summary: 'Attach an identifier to a location',
    params: LegacyLocationPath,
    body: LegacyIdentifierCreate,
    success: attached,
    errors: attachErrors,
  },
  detachLegacyLocationTag: {
    ...row,
    method: 'DELETE',
    path: '/locations/{identifier}/tags/{tag_id}',
    access: 'locations:write',
    summary: 'Remove an identifier from a location',
    params: LegacyLocationPath.extend(tag),
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
} as const satisfies Record<string, Route>

const { attachLegacyAssetTag, detachLegacyAssetTag, attachLegacyLocationTag, detachLegacyLocationTag } =
  tagRoutes

export const legacyIdentifierRoutes = {
  ...tagRoutes,
  attachLegacyAssetIdentifier: { ...attachLegacyAssetTag, path: '/assets/{identifier}/identifiers' },
  detachLegacyAssetIdentifier: { ...detachLegacyAssetTag, path: '/assets/{identifier}/identifiers/{tag_id}' },
  attachLegacyLocationIdentifier: { ...attachLegacyLocationTag, path: '/locations/{identifier}/identifiers' },
  detachLegacyLocationIdentifier: {
    ...detachLegacyLocationTag,
    path: '/locations/{identifier}/identifiers/{tag_id}',
  },
} as const satisfies Record<string, Route>
