import { z } from 'zod'
import {
  LocationCreate,
  LocationListQuery,
  LocationPatch,
  LocationView,
} from '../resources/catalog/locations.ts'
import { patchWindowRule, sameValues, windowRule } from '../rules/object-rules.ts'
import { dataOf, keysParameter, listOf, page, sortParameter } from '../rules/query.ts'
import type { Route } from '../route.ts'
import { NaturalKey } from '../rules/text.ts'
import { LegacyIdentifiers, LegacyIdentifierView, LegacyLocationPath } from './identifiers.ts'

/**
 * The fields of the legacy description, in its order. If a name is the same as in the current one, so is the schema,
 * except that unset fields are absent instead of null (D17.1).
 */
export const LegacyLocationView = z
  .object({
    surrogate_id: LocationView.shape.id,
    identifier: LocationView.shape.external_key,
    name: LocationView.shape.name,
    description: LocationView.shape.description.unwrap().optional().meta({ example: 'North side' }),
    parent: z
      .string()
      .optional()
      .meta({ description: 'The `identifier` of the parent. Absent for a root.', example: 'WAREHOUSE-1' }),
    path: z.string().meta({
      description:
        'The identifiers from the root to this location, joined by `.`. Above 100 levels, `…` comes first and then ' +
        'the nearest 100.',
      example: 'WAREHOUSE-1.DOCK-1',
    }),
    depth: z.int().meta({
      override: { type: 'integer', minimum: 1 },
      description: 'The level of this location, at most 101. 1 for a root.',
      example: 2,
    }),
    is_active: LocationView.shape.is_active,
    identifiers: z.array(LegacyIdentifierView),
    valid_from: LocationView.shape.valid_from,
    valid_to: LocationView.shape.valid_to.unwrap().optional(),
    created_at: LocationView.shape.created_at,
    updated_at: LocationView.shape.updated_at,
  })
  .meta({ id: 'LegacyLocation' })
export type LegacyLocationView = z.infer<typeof LegacyLocationView>

const { name, description, is_active, valid_from, valid_to } = LocationCreate.shape
const writable = {
  identifier: NaturalKey.optional(),
  name: name.optional(),
  description,
  parent_identifier: NaturalKey.nullable().optional(),
  is_active,
  identifiers: LegacyIdentifiers.optional(),
  valid_from,
  valid_to,
}

const example = {
  identifier: 'DOCK-1',
  name: 'Dock 1',
  description: 'North side',
  parent_identifier: 'WAREHOUSE-1',
  identifiers: [{ type: 'rfid', value: 'E28011606000020A1B2C3D5F' }],
}

export const LegacyLocationCreate = z
  .strictObject({ ...writable, identifier: NaturalKey, name })
  .check(windowRule())
  .meta({ id: 'LegacyLocationCreate', example })
export type LegacyLocationCreate = z.infer<typeof LegacyLocationCreate>

/** Fields that are left out stay unchanged (ADR 19). */
export const LegacyLocationUpdate = z
  .strictObject({ ...writable, name: LocationPatch.shape.name })
  .check(patchWindowRule())
  .meta({ id: 'LegacyLocationUpdate', example })
export type LegacyLocationUpdate = z.infer<typeof LegacyLocationUpdate>

const { is_active: isActive, include_deleted, q } = LocationListQuery.shape
export const LegacyLocationListQuery = z
  .strictObject({
    ...page,
    identifier: keysParameter.optional(),
    parent_identifier: keysParameter.optional(),
    parent: keysParameter.optional(),
    is_active: isActive,
    include_deleted,
    q,
    sort: sortParameter(['identifier', 'name', 'path', 'created_at', 'updated_at']).optional(),
  })
  .check(sameValues('parent', 'parent_identifier'))
export type LegacyLocationListQuery = z.infer<typeof LegacyLocationListQuery>

const row = { vocabulary: 'legacy', upstream: 'catalog', described: true } as const
const one = { status: 200, schema: dataOf(LegacyLocationView) } as const
const many = { status: 200, schema: listOf(LegacyLocationView) } as const

export const legacyLocationRoutes = {
  listLegacyLocations: {
    ...row,
    method: 'GET',
    path: '/locations',
    access: 'locations:read',
    counted: true,
    summary: 'List locations',
    description:
      'Returns locations whose validity window includes the current time, sorted by `identifier` by default. ' +
      '`is_active` is only a filter: without it, the list contains active and inactive locations. `q` searches ' +
      'name, identifier, description and the values of identifiers. `parent` is another name of ' +
      '`parent_identifier`. `path` sorts in the byte order of the text.',
    query: LegacyLocationListQuery,
    success: many,
    errors: ['validation_error'],
  },
  createLegacyLocation: {
    ...row,
    method: 'POST',
    path: '/locations',
    access: 'locations:write',
    counted: false,
    summary: 'Create a location',
    description:
      'Creates the location and its identifiers in one transaction. Responds with 409 if the `identifier` or one of ' +
      'the `identifiers` is taken, and then creates nothing. `parent_identifier` names the parent. Without it, the ' +
      'location is a root.',
    body: LegacyLocationCreate,
    success: { status: 201, schema: dataOf(LegacyLocationView) },
    errors: ['validation_error', 'bad_request', 'conflict'],
  },
  getLegacyLocation: {
    ...row,
    method: 'GET',
    path: '/locations/{identifier}',
    access: 'locations:read',
    counted: true,
    summary: 'Retrieve a location',
    params: LegacyLocationPath,
    success: one,
    errors: ['validation_error', 'not_found'],
  },
  updateLegacyLocation: {
    ...row,
    method: 'PUT',
    path: '/locations/{identifier}',
    access: 'locations:write',
    counted: false,
    summary: 'Update a location',
    description:
      'Absent fields stay unchanged. Null clears `description` and `valid_to`. A null `parent_identifier` makes the ' +
      'location a root. A different `identifier` renames the location. `identifiers` replaces the set of ' +
      'identifiers: existing ones keep their ids, new ones are attached, all others are removed. The update applies ' +
      'completely or not at all. Responds with 409 if the parent is the location itself or one of its ' +
      'sub-locations.',
    params: LegacyLocationPath,
    body: LegacyLocationUpdate,
    success: one,
    errors: ['validation_error', 'bad_request', 'not_found', 'conflict'],
  },
  deleteLegacyLocation: {
    ...row,
    method: 'DELETE',
    path: '/locations/{identifier}',
    access: 'locations:write',
    counted: false,
    summary: 'Delete a location and its identifiers',
    description:
      'Responds with 409 if the location has live sub-locations, and with 404 if it is already deleted.',
    params: LegacyLocationPath,
    success: { status: 204 },
    errors: ['validation_error', 'not_found', 'conflict'],
  },
} as const satisfies Record<string, Route>
