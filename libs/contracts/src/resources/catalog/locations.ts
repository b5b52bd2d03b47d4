import { z } from 'zod'
import { MERGE_PATCH_MEDIA_TYPE } from '../../rules/echo.ts'
import { shapeOf, type Fields } from '../../rules/fields.ts'
import { Id } from '../../rules/ids.ts'
import {
  booleanParameter,
  dataOf,
  idsParameter,
  keysParameter,
  listOf,
  page,
  pathId,
  searchParameter,
  sortParameter,
  windowParameter,
} from '../../rules/query.ts'
import { bothOrNeitherNull, oneOf, patchWindowRule, windowRule } from '../../rules/object-rules.ts'
import { Rename, renamed } from './rename.ts'
import { lifetimeFields, namedFields } from './resource-fields.ts'
import type { Route } from '../../route.ts'
import { tagsParameter } from './tags.ts'
import { LocationKey } from '../../rules/text.ts'

const parentId = Id.nullable().optional()
const parentKey = LocationKey.nullable().optional()

/** A parent is not `writable`, because the service resolves it and stores its id. */
export const locationFields = {
  ...namedFields({ key: 'DOCK-1', name: 'Dock 1' }),
  parent_id: { view: Id.nullable(), create: parentId, patch: parentId, column: 'bigint', default: null },
  parent_external_key: {
    view: z.string().nullable(),
    create: parentKey,
    patch: parentKey,
    default: null,
    imported: true,
  },
  ...lifetimeFields,
} as const satisfies Fields

export const LocationView = z.object(shapeOf(locationFields, 'view')).meta({
  id: 'Location',
  example: {
    id: 4503599627370513,
    external_key: 'DOCK-1',
    name: 'Dock 1',
    description: 'North side',
    parent_id: 4503599627370512,
    parent_external_key: 'WAREHOUSE-1',
    is_active: true,
    valid_from: '2026-11-21T10:00:00.000Z',
    valid_to: null,
    created_at: '2026-11-21T10:00:00.000Z',
    updated_at: '2026-11-21T10:00:00.000Z',
    deleted_at: null,
    tags: [],
  },
})
export type LocationView = z.infer<typeof LocationView>

const { name, ...others } = shapeOf(locationFields, 'create')

/** Problems in a refusal have the order of these fields (D3.2). */
export const LocationCreate = z
  .strictObject({ name, ...others })
  .check(windowRule(), bothOrNeitherNull('parent_id', 'parent_external_key'))
  .meta({
    id: 'LocationCreate',
    example: {
      name: 'Dock 1',
      external_key: 'DOCK-1',
      description: 'North side',
      parent_external_key: 'WAREHOUSE-1',
    },
  })
export type LocationCreate = z.infer<typeof LocationCreate>

/** Each field: absent leaves it unchanged, null clears it, a value sets it. */
export const LocationPatch = z
  .strictObject(shapeOf(locationFields, 'patch'))
  .check(patchWindowRule(), bothOrNeitherNull('parent_id', 'parent_external_key'))
  .meta({
    id: 'LocationPatch',
    example: {
      name: 'Dock 2',
      description: null,
      parent_external_key: 'WAREHOUSE-1',
    },
  })
export type LocationPatch = z.infer<typeof LocationPatch>

const LocationPath = z.strictObject({ location_id: pathId })
const listSort = ['external_key', 'name', 'created_at', 'updated_at'] as const

export const LocationListQuery = z
  .strictObject({
    ...page,
    id: idsParameter.optional(),
    external_key: keysParameter.optional(),
    parent_id: idsParameter.optional(),
    parent_external_key: keysParameter.optional(),
    is_root: booleanParameter.optional(),
    is_active: booleanParameter.optional(),
    tag: tagsParameter.optional(),
    include_deleted: booleanParameter.optional(),
    window: windowParameter.optional(),
    q: searchParameter.optional(),
    sort: sortParameter(listSort).optional(),
  })
  .check(oneOf('parent_id', 'parent_external_key', 'is_root'))
export type LocationListQuery = z.infer<typeof LocationListQuery>

const reading = { upstream: 'catalog', access: 'locations:read', counted: true, described: true } as const
const writing = { upstream: 'catalog', access: 'locations:write', counted: false, described: true } as const

export const locationRoutes = {
  listLocations: {
    method: 'GET',
    path: '/locations',
    ...reading,
    summary: 'List locations',
    description:
      'Returns locations whose validity window includes the current time, sorted by `external_key` by default. ' +
      '`window=any` adds the others. `is_active` is only a filter: without it, the list contains active and inactive ' +
      'locations. `q` searches name, external key, description and tag values. `parent_id`, `parent_external_key` ' +
      'and `is_root` exclude each other.',
    query: LocationListQuery,
    success: { status: 200, schema: listOf(LocationView) },
    errors: ['validation_error'],
  },
  createLocation: {
    method: 'POST',
    path: '/locations',
    ...writing,
    idempotent: true,
    summary: 'Create a location',
    description:
      'Creates the location and its tags in one transaction. Responds with 409 if the external key or a tag is ' +
      'taken, and then creates nothing. Without `external_key`, the API assigns the next `LOC-NNN`. Name the parent ' +
      'by `parent_id`, by `parent_external_key`, or by both if they agree. Without a parent, the location is a ' +
      'root.',
    body: LocationCreate,
    success: { status: 201, schema: dataOf(LocationView) },
    errors: ['validation_error', 'bad_request', 'conflict'],
  },
  getLocation: {
    method: 'GET',
    path: '/locations/{location_id}',
    ...reading,
    conditional: true,
    summary: 'Retrieve a location',
    params: LocationPath,
    success: { status: 200, schema: dataOf(LocationView) },
    errors: ['validation_error', 'not_found'],
  },
  updateLocation: {
    method: 'PATCH',
    path: '/locations/{location_id}',
    ...writing,
    conditional: true,
    counted: true,
    summary: 'Update or move a location',
    description:
      'To move the location, name the parent by `parent_id`, by `parent_external_key`, or by both if they agree. ' +
      'Null makes the location a root. Responds with 409 if the parent is the location itself or one of its ' +
      'sub-locations. Every accepted change advances `updated_at`, even an empty one. To change `external_key`, use ' +
      'the rename operation. To change tags, attach and remove them.',
    mediaTypes: [MERGE_PATCH_MEDIA_TYPE],
    params: LocationPath,
    body: LocationPatch,
    success: { status: 200, schema: dataOf(LocationView) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
  renameLocation: {
    method: 'POST',
    path: '/locations/{location_id}/rename',
    ...writing,
    summary: 'Change the external key of a location',
    description:
      'Sending the current key changes nothing. Responds with 409 if the key is taken. `descendant_count_affected` ' +
      'is the number of live sub-locations at any depth.',
    params: LocationPath,
    body: Rename,
    success: { status: 200, schema: renamed(LocationView) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
  deleteLocation: {
    method: 'DELETE',
    path: '/locations/{location_id}',
    ...writing,
    conditional: true,
    summary: 'Delete a location and its tags',
    description:
      'Responds with 409 if the location has live sub-locations, and with 404 if it is already deleted.',
    params: LocationPath,
    success: { status: 204 },
    errors: ['validation_error', 'not_found', 'conflict'],
  },
} as const satisfies Record<string, Route>
