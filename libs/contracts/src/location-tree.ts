import { z } from 'zod'
import { LocationView } from './locations.ts'
import { listOf, page, pathId } from './query.ts'
import type { Route } from './route.ts'

/** Around one location; itself is not in it. Rows are live, whether or not their validity window holds (D5.7). */
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

export const locationTreeRoutes = {
  listLocationAncestors: {
    ...around,
    path: '/locations/{location_id}/ancestors',
    summary: 'List what a location is inside of',
    description: 'The root first, the parent last. Validity windows are not looked at.',
  },
  listLocationChildren: {
    ...around,
    path: '/locations/{location_id}/children',
    summary: 'List the locations directly inside a location',
    description: 'By name, then id. Validity windows are not looked at.',
  },
  listLocationDescendants: {
    ...around,
    path: '/locations/{location_id}/descendants',
    summary: 'List everything inside a location',
    description:
      'Depth first: each location is followed by what is inside it. Siblings are in the order of name, then id. ' +
      'Validity windows are not looked at.',
  },
} as const satisfies Record<string, Route>
