import { z } from 'zod'
import { MERGE_PATCH_MEDIA_TYPE } from './echo.ts'
import { shapeOf, type Fields } from './fields.ts'
import { Id } from './ids.ts'
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
} from './query.ts'
import { bothOrNeitherNull, oneOf, patchWindowRule, windowRule } from './object-rules.ts'
import { Rename, renamed } from './rename.ts'
import { lifetimeFields, namedFields } from './resource-fields.ts'
import type { Route } from './route.ts'
import { NaturalKey } from './text.ts'

const parentId = Id.nullable().optional()
const parentKey = NaturalKey.nullable().optional()

/** A parent is not `writable`, because the service resolves it and stores its id. */
export const locationFields = {
  ...namedFields({ key: 'LOC-001', name: 'Dock 1' }),
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

export const LocationView = z.object(shapeOf(locationFields, 'view')).meta({ id: 'Location' })
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
      updated_at: '2026-11-21T10:00:00.000Z',
    },
  })
export type LocationPatch = z.infer<typeof LocationPatch>

const LocationPath = z.strictObject({ location_id: pathId })
const listSort = ['external_key', 'name', 'created_at', 'updated_at'] as const

export const LocationListQuery = z
  .strictObject({
    ...page,
    external_key: keysParameter.optional(),
    parent_id: idsParameter.optional(),
    parent_external_key: keysParameter.optional(),
    is_active: booleanParameter.optional(),
    include_deleted: booleanParameter.optional(),
    q: searchParameter.optional(),
    sort: sortParameter(listSort).optional(),
  })
  .check(oneOf('parent_id', 'parent_external_key'))
export type LocationListQuery = z.infer<typeof LocationListQuery>

export const locationRoutes = {
  listLocations: {
    method: 'GET',
    path: '/locations',
    upstream: 'catalog',
    access: 'locations:read',
    counted: true,
    described: true,
    summary: 'List locations',
    description:
      'Locations whose validity window holds now, by `external_key` unless sorted otherwise. `parent_id` and ' +
      '`parent_external_key` cannot be used together.',
    query: LocationListQuery,
    success: { status: 200, schema: listOf(LocationView) },
    errors: ['validation_error'],
  },
  createLocation: {
    method: 'POST',
    path: '/locations',
    upstream: 'catalog',
    access: 'locations:write',
    counted: false,
    described: true,
    summary: 'Create a location',
    description:
      'Without `external_key` the next free `LOC-NNN` is given. The parent is named by `parent_id`, by ' +
      '`parent_external_key`, or by both when they agree; without either the location is a root.',
    body: LocationCreate,
    success: { status: 201, schema: dataOf(LocationView) },
    errors: ['validation_error', 'bad_request', 'conflict'],
  },
  getLocation: {
    method: 'GET',
    path: '/locations/{location_id}',
    upstream: 'catalog',
    access: 'locations:read',
    counted: true,
    described: true,
    summary: 'Read a location',
    params: LocationPath,
    success: { status: 200, schema: dataOf(LocationView) },
    errors: ['validation_error', 'not_found'],
  },
  updateLocation: {
    method: 'PATCH',
    path: '/locations/{location_id}',
    upstream: 'catalog',
    access: 'locations:write',
    counted: true,
    described: true,
    summary: 'Change or move a location',
    description:
      'The parent is named by `parent_id`, by `parent_external_key`, or by both when they agree; null makes it a root. ' +
      'Answers 409 to a parent that is the location itself or lies inside it. Every accepted change advances ' +
      '`updated_at`, an empty one too. For another `external_key` rename it; for other tags attach and remove them.',
    mediaTypes: [MERGE_PATCH_MEDIA_TYPE],
    params: LocationPath,
    body: LocationPatch,
    success: { status: 200, schema: dataOf(LocationView) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
  renameLocation: {
    method: 'POST',
    path: '/locations/{location_id}/rename',
    upstream: 'catalog',
    access: 'locations:write',
    counted: false,
    described: true,
    summary: 'Give a location another external key',
    description:
      'The same key again changes nothing. `descendant_count_affected` is the number of live locations inside, of ' +
      'whatever depth.',
    params: LocationPath,
    body: Rename,
    success: { status: 200, schema: renamed(LocationView) },
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
  deleteLocation: {
    method: 'DELETE',
    path: '/locations/{location_id}',
    upstream: 'catalog',
    access: 'locations:write',
    counted: false,
    described: true,
    summary: 'Delete a location without children, and its tags',
    description: 'Answers 409 while live locations are inside. A second delete answers 404.',
    params: LocationPath,
    success: { status: 204 },
    errors: ['validation_error', 'not_found', 'conflict'],
  },
} as const satisfies Record<string, Route>
