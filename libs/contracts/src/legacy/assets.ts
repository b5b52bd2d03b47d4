import { z } from 'zod'
import { AssetCreate, AssetListQuery, AssetPatch, AssetView } from '../assets.ts'
import { patchWindowRule, windowRule } from '../object-rules.ts'
import { dataOf, keysParameter, listOf, page, sortParameter } from '../query.ts'
import type { Route } from '../route.ts'
import { NaturalKey } from '../text.ts'
import { LegacyIdentifiers, LegacyIdentifierView, LegacyPath } from './identifiers.ts'

/**
 * The fields of the legacy description, in its order. If a name is the same as in the current one, so is the schema.
 */
export const LegacyAssetView = z
  .object({
    surrogate_id: AssetView.shape.id,
    identifier: AssetView.shape.external_key,
    name: AssetView.shape.name,
    description: AssetView.shape.description,
    type: AssetView.shape.type,
    current_location: z
      .string()
      .nullable()
      .optional()
      .meta({
        description:
          'Key of the location where it was last seen; null where it was seen at none, or at one that was deleted since. ' +
          'Left out while the scan data cannot be asked.',
        example: 'DOCK-1',
      }),
    is_active: AssetView.shape.is_active,
    metadata: AssetView.shape.metadata,
    identifiers: z.array(LegacyIdentifierView),
    valid_from: AssetView.shape.valid_from,
    valid_to: AssetView.shape.valid_to,
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
    description: 'The asset is saved at this location now, as by `POST /inventory/save`.',
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
      'Assets whose validity window holds now, by `identifier` unless sorted otherwise. `is_active` filters when sent ' +
      'and hides nothing by itself. `location` leaves the assets that were last seen at one of the locations with these ' +
      'keys. `q` looks into name, identifier, description and the values of identifiers.',
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
      'Without `identifier` the next free `ASSET-NNNN` is given. Identifiers are created in the same transaction: when ' +
      'one is taken, nothing is created. `current_location` saves the asset there: histories have it, and ' +
      '`asset.moved` is sent.',
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
    summary: 'Read an asset',
    params: LegacyPath,
    success,
    errors: ['validation_error', 'not_found'],
  },
  updateLegacyAsset: {
    ...row,
    method: 'PUT',
    path: '/assets/{identifier}',
    access: 'assets:write',
    counted: false,
    summary: 'Change an asset',
    description:
      'What is left out stays as it is; null clears `description` and `valid_to`. Another `identifier` renames the ' +
      'asset. `identifiers`, when sent, becomes the set of its identifiers: those it has already keep their ids, ' +
      'others are attached, the rest is removed. `current_location` saves the asset there, whether it was seen ' +
      'elsewhere or not. All of it happens, or nothing.',
    params: LegacyPath,
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
    description: 'Frees its `identifier` and its identifiers for others. A second delete answers 404.',
    params: LegacyPath,
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
} as const satisfies Record<string, Route>
