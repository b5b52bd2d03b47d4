import { z } from 'zod'
import { listOf, page, sortParameter } from '../rules/query.ts'
import type { Route } from '../route.ts'
import { HistoryQuery, HistoryRow, trackingRoutes } from '../resources/tracking/tracking.ts'
import { LegacyAssetPath } from './identifiers.ts'

export const LegacyHistoryRow = z
  .object({
    location: z.string().nullable().meta({
      description:
        'The `identifier` of the location. Null if the asset was seen at no location, or at one that was deleted since.',
    }),
    timestamp: HistoryRow.shape.event_observed_at,
    duration_seconds: HistoryRow.shape.duration_seconds,
  })
  .meta({
    id: 'LegacyHistoryRow',
    example: { location: 'DOCK-1', timestamp: '2026-11-21T08:30:00.000Z', duration_seconds: 86400 },
  })
export type LegacyHistoryRow = z.infer<typeof LegacyHistoryRow>

const { from, to } = HistoryQuery.shape
export const LegacyHistoryQuery = z.strictObject({
  ...page,
  from,
  to,
  sort: sortParameter(['timestamp']).optional(),
})
export type LegacyHistoryQuery = z.infer<typeof LegacyHistoryQuery>

export const legacyTrackingRoutes = {
  getLegacyAssetHistory: {
    ...trackingRoutes.listAssetHistory,
    vocabulary: 'legacy',
    path: '/assets/{identifier}/history',
    params: LegacyAssetPath,
    query: LegacyHistoryQuery,
    success: { status: 200, schema: listOf(LegacyHistoryRow) },
  },
  /** Both vocabularies are alike here, because the current one has natural keys too (D1.4). */
  listLegacyCurrentLocations: {
    ...trackingRoutes.listCurrentLocations,
    vocabulary: 'legacy',
    description:
      'Returns identifiers, most recently seen first by default. Includes only assets that were last seen at a ' +
      'location that still exists. `q` searches name, identifier and the values of identifiers of the asset.',
  },
} as const satisfies Record<string, Route>
