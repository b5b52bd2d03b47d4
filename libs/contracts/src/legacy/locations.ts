import { z } from 'zod'
import { LocationCreate, LocationListQuery, LocationPatch, LocationView } from '../locations.ts'
import { patchWindowRule, windowRule } from '../object-rules.ts'
import { dataOf, keysParameter, listOf, page, sortParameter } from '../query.ts'
import type { Route } from '../route.ts'
import { NaturalKey } from '../text.ts'
import { LegacyIdentifiers, LegacyIdentifierView, LegacyPath } from './identifiers.ts'

/**
 * The fields of the legacy description, in its order. If a name is the same as in the current one, so is the schema.
 */
export const LegacyLocationView = z
  .object({
    surrogate_id: LocationView.shape.id,
    identifier: LocationView.shape.external_key,
    name: LocationView.shape.name,
    description: LocationView.shape.description,
    parent: z
      .string()
      .nullable()
      .meta({ description: 'The `identifier` of the location around it; null for a root.' }),
    path: z.string().meta({
      description:
        'The identifiers from the root to this location, joined by `/`. Of more than 100 locations above it the ' +
        'nearest 100 are named, behind `…`.',
      example: 'WAREHOUSE-1/DOCK-1',
    }),
    depth: z.int().meta({
      override: { type: 'integer', minimum: 0 },
      description: 'How many locations are above it, at most 100; 0 for a root.',
      example: 1,
    }),
    is_active: LocationView.shape.is_active,
    identifiers: z.array(LegacyIdentifierView),
    valid_from: LocationView.shape.valid_from,
    valid_to: LocationView.shape.valid_to,
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
  identifiers: [{ type: 'rfid', value: 'E28011606000020A1B2C3D4E' }],
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
export const LegacyLocationListQuery = z.strictObject({
  ...page,
  identifier: keysParameter.optional(),
  parent_identifier: keysParameter.optional(),
  is_active: isActive,
  include_deleted,
  q,
  sort: sortParameter(['identifier', 'name', 'created_at', 'updated_at']).optional(),
})
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
      'Locations whose validity window holds now, by `identifier` unless sorted otherwise. `is_active` filters when ' +
      'sent and hides nothing by itself. `q` looks into name, identifier, description and the values of identifiers.',
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
      'Inside the location that `parent_identifier` names, or a root. Identifiers are created in the same transaction: ' +
      'when one is taken, nothing is created.',
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
    summary: 'Read a location',
    params: LegacyPath,
    success: one,
    errors: ['validation_error', 'not_found'],
  },
  updateLegacyLocation: {
    ...row,
    method: 'PUT',
    path: '/locations/{identifier}',
    access: 'locations:write',
    counted: false,
    summary: 'Change a location',
    description:
      'What is left out stays as it is; null clears `description` and `valid_to`, and makes the location a root where ' +
      'it is the `parent_identifier`. Another `identifier` renames the location. `identifiers`, when sent, becomes the ' +
      'set of its identifiers: those it has already keep their ids, others are attached, the rest is removed. All of ' +
      'it happens, or nothing. A parent inside the location itself is refused with 409.',
    params: LegacyPath,
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
    summary: 'Delete a location without children, and its identifiers',
    description: 'Answers 409 while live locations are inside. A second delete answers 404.',
    params: LegacyPath,
    success: { status: 204 },
    errors: ['validation_error', 'not_found', 'conflict'],
  },
} as const satisfies Record<string, Route>
