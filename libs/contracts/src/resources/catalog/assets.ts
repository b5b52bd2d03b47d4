import { z } from 'zod'
import { MERGE_PATCH_MEDIA_TYPE } from '../../rules/echo.ts'
import { shapeOf, writable, type Fields } from '../../rules/fields.ts'
import { Id } from '../../rules/ids.ts'
import { withMetadata } from '../../rules/metadata-filter.ts'
import { Metadata, MetadataPatch, MetadataView } from '../../rules/metadata.ts'
import {
  booleanParameter,
  dataOf,
  enumParameters,
  expandParameter,
  idsParameter,
  keysParameter,
  listOf,
  page,
  pathId,
  searchParameter,
  sortParameter,
  windowParameter,
} from '../../rules/query.ts'
import { bothOrNeitherNull, keyWithoutId, patchWindowRule, windowRule } from '../../rules/object-rules.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { UNDESCRIBED } from '../../rules/undescribed.ts'
import { Rename, renamed } from './rename.ts'
import { expandedHome, homeFilters } from '../home.ts'
import { lifetimeFields, namedFields } from './resource-fields.ts'
import type { Route } from '../../route.ts'
import { tagsParameter } from './tags.ts'
import { addProblem, LocationKey } from '../../rules/text.ts'

export const assetTypes = ['asset', 'person', 'inventory'] as const
export type AssetType = (typeof assetTypes)[number]

/** Location fields of an asset are known and always refused: only scans decide where an asset is. */
const scanned = (type: 'integer' | 'string') => {
  const refused = z
    .unknown()
    .check((payload) => addProblem(payload, { code: 'read_only', message: '{f} is read-only' }))
    .optional()
    .meta({ override: { [UNDESCRIBED]: true, type } })
  return { create: refused, patch: refused }
}

const homeId = Id.nullable().optional()
const homeKey = LocationKey.nullable().optional()

/** A home is not `writable`, because the service resolves it and stores its id. */
export const assetFields = {
  ...namedFields({ key: 'FORKLIFT-7', name: 'Forklift 7' }),
  type: {
    view: openEnum(assetTypes),
    ...writable(z.enum(assetTypes).optional()),
    column: 'text',
    default: 'asset',
    imported: true,
  },
  metadata: {
    view: MetadataView,
    create: Metadata.optional(),
    patch: MetadataPatch.optional(),
    writable: true,
    column: 'jsonb',
    default: {},
    imported: true,
  },
  home_location_id: {
    view: Id.nullable(),
    create: homeId,
    patch: homeId,
    column: 'bigint',
    default: null,
    state: Id.nullable().optional(),
  },
  home_location_external_key: {
    view: z.string().nullable(),
    create: homeKey,
    patch: homeKey,
    default: null,
    imported: true,
  },
  ...lifetimeFields,
  location_id: scanned('integer'),
  location_external_key: scanned('string'),
} as const satisfies Fields

/** What `expand` adds is there in lists alone. */
export const AssetView = z.object({ ...shapeOf(assetFields, 'view'), ...expandedHome }).meta({
  id: 'Asset',
  example: {
    id: 4503599627370497,
    external_key: 'FORKLIFT-7',
    name: 'Forklift 7',
    description: 'Reach truck, battery changed in May',
    type: 'asset',
    metadata: { maker: 'Linde' },
    home_location_id: null,
    home_location_external_key: null,
    is_active: true,
    valid_from: '2026-11-21T10:00:00.000Z',
    valid_to: null,
    created_at: '2026-11-21T10:00:00.000Z',
    updated_at: '2026-11-21T10:00:00.000Z',
    deleted_at: null,
    tags: [{ id: 4503599627370521, tag_type: 'rfid', value: 'E28011606000020A1B2C3D4E' }],
  },
})
export type AssetView = z.infer<typeof AssetView>

const { name, ...others } = shapeOf(assetFields, 'create')

/** Problems in a refusal have the order of these fields (D3.2). */
export const AssetCreate = z
  .strictObject({ name, ...others })
  .check(windowRule(), bothOrNeitherNull('home_location_id', 'home_location_external_key'))
  .meta({
    id: 'AssetCreate',
    example: {
      name: 'Forklift 7',
      external_key: 'FORKLIFT-7',
      description: 'Reach truck, battery changed in May',
      type: 'asset',
      metadata: { maker: 'Linde' },
      valid_from: '2026-11-21T10:00:00Z',
      tags: [{ tag_type: 'rfid', value: 'E28011606000020A1B2C3D4E' }],
    },
  })
export type AssetCreate = z.infer<typeof AssetCreate>

/** Each field: absent leaves it unchanged, null clears it, a value sets it. */
export const AssetPatch = z
  .strictObject(shapeOf(assetFields, 'patch'))
  .check(patchWindowRule(), keyWithoutId('home_location_id', 'home_location_external_key'))
  .meta({
    id: 'AssetPatch',
    example: {
      name: 'Forklift 8',
      description: null,
      metadata: { maker: 'Linde', serial: 'H2X-0815' },
    },
  })
export type AssetPatch = z.infer<typeof AssetPatch>

const AssetPath = z.strictObject({ asset_id: pathId })
const listSort = ['external_key', 'name', 'created_at', 'updated_at'] as const

export const AssetListQuery = withMetadata(
  z.strictObject({
    ...page,
    id: idsParameter.optional(),
    external_key: keysParameter.optional(),
    is_active: booleanParameter.optional(),
    type: enumParameters(assetTypes).optional(),
    tag: tagsParameter.optional(),
    ...homeFilters,
    include_deleted: booleanParameter.optional(),
    window: windowParameter.optional(),
    q: searchParameter.optional(),
    sort: sortParameter(listSort).optional(),
    expand: expandParameter(['home']).optional(),
  }),
)
export type AssetListQuery = z.infer<typeof AssetListQuery>

const reading = { upstream: 'catalog', access: 'assets:read', counted: true, described: true } as const
const writing = { upstream: 'catalog', access: 'assets:write', counted: false, described: true } as const

export const assetRoutes = {
  listAssets: {
    method: 'GET',
    path: '/assets',
    ...reading,
    summary: 'List assets',
    description:
      'Returns assets whose validity window includes the current time, sorted by `external_key` by default. ' +
      '`window=any` adds the others. `is_active` is only a filter: without it, the list contains active and inactive ' +
      'assets. `q` searches name, external key, description and tag values. `metadata.<name>=<value>`, for up to five names, keeps ' +
      'assets whose metadata has this text, number or boolean under that name; a name that is sent twice may have either value. ' +
      '`misplaced` and `expand=home` also need `scans:read` or `tracking:read`.',
    query: AssetListQuery,
    success: { status: 200, schema: listOf(AssetView) },
    errors: ['validation_error'],
  },
  createAsset: {
    method: 'POST',
    path: '/assets',
    ...writing,
    idempotent: true,
    summary: 'Create an asset',
    description:
      'Creates the asset and its tags in one transaction. Responds with 409 if the external key or a tag is taken, ' +
      'and then creates nothing. Without `external_key`, the API assigns the next `ASSET-NNNN`.',
    body: AssetCreate,
    success: { status: 201, schema: dataOf(AssetView) },
    errors: ['validation_error', 'bad_request', 'conflict'],
  },
  getAsset: {
    method: 'GET',
    path: '/assets/{asset_id}',
    ...reading,
    conditional: true,
    summary: 'Retrieve an asset',
    params: AssetPath,
    success: { status: 200, schema: dataOf(AssetView) },
    errors: ['validation_error', 'not_found'],
  },
  updateAsset: {
    method: 'PATCH',
    path: '/assets/{asset_id}',
    ...writing,
    conditional: true,
    counted: true,
    summary: 'Update an asset',
    description:
      'Replaces `metadata` as a whole. Every accepted change advances `updated_at`, even an empty one. To change ' +
      '`external_key`, use the rename operation. To change tags, attach and remove them.',
    mediaTypes: [MERGE_PATCH_MEDIA_TYPE],
    params: AssetPath,
    body: AssetPatch,
    success: { status: 200, schema: dataOf(AssetView) },
    errors: ['validation_error', 'bad_request', 'not_found'],
  },
  renameAsset: {
    method: 'POST',
    path: '/assets/{asset_id}/rename',
    ...writing,
    summary: 'Change the external key of an asset',
    description:
      'Sending the current key changes nothing. Responds with 409 if the key is taken. `descendant_count_affected` ' +
      'is always 0.',
    params: AssetPath,
    body: Rename,
    success: { status: 200, schema: renamed(AssetView) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
  deleteAsset: {
    method: 'DELETE',
    path: '/assets/{asset_id}',
    ...writing,
    conditional: true,
    summary: 'Delete an asset and its tags',
    description:
      'Frees its `external_key` and tags for reuse. Responds with 404 if the asset is already deleted.',
    params: AssetPath,
    success: { status: 204 },
    errors: ['validation_error', 'not_found'],
  },
} as const satisfies Record<string, Route>
