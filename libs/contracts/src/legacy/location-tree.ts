import { locationTreeRoutes } from '../location-tree.ts'
import { listOf } from '../query.ts'
import type { Route } from '../route.ts'
import { LegacyPath } from './identifiers.ts'
import { LegacyLocationView } from './locations.ts'

/** The rows of the current vocabulary, with a key in the path and the legacy view. */
const older = {
  vocabulary: 'legacy',
  params: LegacyPath,
  success: { status: 200, schema: listOf(LegacyLocationView) },
} as const

const { listLocationAncestors, listLocationChildren, listLocationDescendants } = locationTreeRoutes

export const legacyLocationTreeRoutes = {
  listLegacyLocationAncestors: {
    ...listLocationAncestors,
    ...older,
    path: '/locations/{identifier}/ancestors',
  },
  listLegacyLocationChildren: {
    ...listLocationChildren,
    ...older,
    path: '/locations/{identifier}/children',
  },
  listLegacyLocationDescendants: {
    ...listLocationDescendants,
    ...older,
    path: '/locations/{identifier}/descendants',
  },
} as const satisfies Record<string, Route>
