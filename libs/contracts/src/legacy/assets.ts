import { z } from 'zod'
import { AssetCreate, AssetListQuery, AssetPatch, AssetView } from '../resources/catalog/assets.ts'
import { patchWindowRule, windowRule } from '../rules/object-rules.ts'
import { dataOf, keysParameter, listOf, page, sortParameter } from '../rules/query.ts'
import type { Route } from '../route.ts'
import { NaturalKey } from '../rules/text.ts'
import { LegacyIdentifiers, LegacyIdentifierView, LegacyAssetPath } from './identifiers.ts'

/**
 * The fields of the legacy description, in its order. If a name is the same as in the current one, so is the schema,
 * except that unset fields are absent instead of null (D17.1).
 */
export const LegacyAssetView = z
  .object({
    surrogate_id: AssetView.shape.id,
    identifier: AssetView.shape.external_key,
    name: AssetView.shape.name,
    description: AssetView.shape.description.unwrap().optional().meta({ example: 'Reach truck' }),
    type: AssetView.shape.type,
    current_location: z
      .string()
      .optional()
      .meta({
        description:
          'The `identifier` of the location where the asset was last seen. Absent if it was seen at no location, ' +
          'or at one that was deleted since, and while the scan data is unavailable.',
        example: 'DOCK-1',
      }),
    is_active: AssetView.shape.is_active,
    metadata: AssetView.shape.metadata,
    identifiers: z.array(LegacyIdentifierView),
    valid_from: AssetView.shape.valid_from,
    valid_to: AssetView.shape.valid_to.unwrap().optional(),
    created_at: AssetView.shape.created_at,
    updated_at: AssetView.shape.updated_at,
  })
  .meta({ id: 'LegacyAsset' })
export type LegacyAssetView = z.infer<typeof LegacyAssetView>

const { name, external_key, description, type, is_active, metadata, valid_from, valid_to } = AssetCreate.shape
const writable = {
  name: name.optional(),
  identifier: external_key,
  current_location: NaturalKey.optional().meta({
    description: 'Saves the asset at this location now, like `POST /inventory/save`.',
    example: 'DOCK-1',
  }),
  description,
  type,
  is_active,
  metadata,
  identifiers: LegacyIdentifiers.optional(),
  valid_from,
  valid_to,
}

const example = {
  name: 'Forklift 7',
  identifier: 'FORKLIFT-7',
  description: 'Reach truck, battery changed in May',
  type: 'asset',
  metadata: { maker: 'Linde' },
  identifiers: [{ type: 'rfid', value: 'E28011606000020A1B2C3D4E' }],
  valid_from: '2026-11-21T10:00:00Z',
}

export const LegacyAssetCreate = z
  .strictObject({ ...writable, name })
  .check(windowRule())
  .meta({ id: 'LegacyAssetCreate', example })
export type LegacyAssetCreate = z.infer<typeof LegacyAssetCreate>

/** Fields that are left out stay unchanged (ADR 19). */
export const LegacyAssetUpdate = z
  .strictObject({ ...writable, name: AssetPatch.shape.name, metadata: AssetPatch.shape.metadata })
  .check(patchWindowRule())
  .meta({ id: 'LegacyAssetUpdate', example })
export type LegacyAssetUpdate = z.infer<typeof LegacyAssetUpdate>

const { is_active: isActive, type: types, include_deleted, q } = AssetListQuery.shape
export const LegacyAssetListQuery = z.strictObject({
  ...page,
  location: keysParameter.optional(),
  identifier: keysParameter.optional(),
  is_active: isActive,
  type: types,
  include_deleted,
  q,
  sort: sortParameter(['identifier', 'name', 'created_at', 'updated_at']).optional(),
})
export type LegacyAssetListQuery = z.infer<typeof LegacyAssetListQuery>

const row = { vocabulary: 'legacy', upstream: 'catalog', described: true } as const
const success = { status: 200, schema: dataOf(LegacyAssetView) } as const

export const legacyAssetRoutes = {
  listLegacyAssets: {
    ...row,
    method: 'GET',
    path: '/assets',
    access: 'assets:read',
    counted: true,
    summary: 'List assets',
    description:
      'Returns assets whose validity window includes the current time, sorted by `identifier` by default. ' +
      '`is_active` is only a filter: without it, the list contains active and inactive assets. `q` searches name, ' +
      'identifier, description and the values of identifiers. `location` returns only assets that were last seen at ' +
      'one of the locations with these keys.',
    query: LegacyAssetListQuery,
    success: { status: 200, schema: listOf(LegacyAssetView) },
    errors: ['validation_error'],
  },
  createLegacyAsset: {
    ...row,
    method: 'POST',
    path: '/assets',
    access: 'assets:write',
    counted: false,
    summary: 'Create an asset',
    description:
      'Creates the asset and its identifiers in one transaction. Responds with 409 if the `identifier` or one of ' +
      'the `identifiers` is taken, and then creates nothing. Without `identifier`, the API assigns the next ' +
      '`ASSET-NNNN`. `current_location` saves the asset there: the history shows the save, and the API sends ' +
      '`asset.moved`.',
    body: LegacyAssetCreate,
    success: { status: 201, schema: dataOf(LegacyAssetView) },
    errors: ['validation_error', 'bad_request', 'conflict'],
  },
  getLegacyAsset: {
    ...row,
    method: 'GET',
    path: '/assets/{identifier}',
    access: 'assets:read',
    counted: true,
    summary: 'Retrieve an asset',
    params: LegacyAssetPath,
    success,
    errors: ['validation_error', 'not_found'],
  },
  updateLegacyAsset: {
    ...row,
    method: 'PUT',
    path: '/assets/{identifier}',
    access: 'assets:write',
    counted: false,
    summary: 'Update an asset',
    description:
      'Absent fields stay unchanged. Null clears `description` and `valid_to`. A different `identifier` renames the ' +
      'asset. `identifiers` replaces the set of identifiers: existing ones keep their ids, new ones are attached, ' +
      'all others are removed. `current_location` saves the asset there, even if it was last seen there. The update ' +
      'applies completely or not at all.',
    params: LegacyAssetPath,
    body: LegacyAssetUpdate,
    success,
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
  deleteLegacyAsset: {
    ...row,
    method: 'DELETE',
    path: '/assets/{identifier}',
    access: 'assets:write',
    counted: false,
    summary: 'Delete an asset and its identifiers',
    description:
      'Frees its `identifier` and `identifiers` for reuse. Responds with 404 if the asset is already deleted.',
    params: LegacyAssetPath,
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
} as const satisfies Record<string, Route>
