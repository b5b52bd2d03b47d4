import { locationTreeRoutes } from '../resources/catalog/location-tree.ts'
import { listOf } from '../rules/query.ts'
import type { Route } from '../route.ts'
import { LegacyLocationPath } from './identifiers.ts'
import { LegacyLocationView } from './locations.ts'

/** The rows of the current vocabulary, with a key in the path and the legacy view. */
const legacyRow = {
  vocabulary: 'legacy',
  params: LegacyLocationPath,
  success: { status: 200, schema: listOf(LegacyLocationView) },
} as const

const { listLocationAncestors, listLocationChildren, listLocationDescendants } = locationTreeRoutes

export const legacyLocationTreeRoutes = {
  listLegacyLocationAncestors: {
    ...listLocationAncestors,
    ...legacyRow,
    path: '/locations/{identifier}/ancestors',
  },
  listLegacyLocationChildren: {
    ...listLocationChildren,
    ...legacyRow,
    path: '/locations/{identifier}/children',
  },
  listLegacyLocationDescendants: {
    ...listLocationDescendants,
    ...legacyRow,
    path: '/locations/{identifier}/descendants',
  },
} as const satisfies Record<string, Route>
