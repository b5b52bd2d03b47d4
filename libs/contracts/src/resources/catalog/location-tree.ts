import { z } from 'zod'
import { LocationView } from './locations.ts'
import { idParameter, listOf, page, pathId } from '../../rules/query.ts'
import type { Route } from '../../route.ts'

/** Locations around one location, without itself. Rows are live; their validity window does not matter (D5.7). */
const around = {
  method: 'GET',
  upstream: 'catalog',
  access: 'locations:read',
  counted: true,
  described: true,
  params: z.strictObject({ location_id: pathId }),
  query: z.strictObject(page),
  hasFixedOrder: true,
  success: { status: 200, schema: listOf(LocationView) },
  errors: ['validation_error', 'not_found'],
} as const satisfies Omit<Route, 'path' | 'summary'>

/** `children_count` counts live direct children, so that a client knows whether there is something to unfold. */
export const LocationOfBranch = LocationView.extend({
  children_count: z.int().meta({ override: { type: 'integer', minimum: 0 } }),
}).meta({ id: 'LocationOfBranch' })
export type LocationOfBranch = z.infer<typeof LocationOfBranch>

export const locationTreeRoutes = {
  listLocationBranch: {
    method: 'GET',
    path: '/locations/branch',
    upstream: 'catalog',
    access: 'session',
    counted: false,
    described: false,
    summary: 'List the children of a location, or the roots',
    description:
      'Returns locations sorted by name, then id. Without `parent_id`, returns the root locations. Ignores validity ' +
      'windows.',
    query: z.strictObject({ ...page, parent_id: idParameter.optional() }),
    success: { status: 200, schema: listOf(LocationOfBranch) },
    errors: ['validation_error', 'not_found'],
  },
  listLocationAncestors: {
    ...around,
    path: '/locations/{location_id}/ancestors',
    summary: 'List the ancestors of a location',
    description: 'Returns the root first and the parent last. Ignores validity windows.',
  },
  listLocationChildren: {
    ...around,
    path: '/locations/{location_id}/children',
    summary: 'List the children of a location',
    description: 'Returns the direct sub-locations, sorted by name, then id. Ignores validity windows.',
  },
  listLocationDescendants: {
    ...around,
    path: '/locations/{location_id}/descendants',
    summary: 'List the sub-locations of a location',
    description:
      'Returns sub-locations of any depth, depth first: each location precedes its own sub-locations. Siblings are ' +
      'sorted by name, then id. Ignores validity windows.',
  },
} as const satisfies Record<string, Route>
