import { z } from 'zod'
import { WireInstant } from './instant.ts'
import { needsOneOf } from './object-rules.ts'
import { booleanParameter, dataOf, idParameter, instantParameter } from './query.ts'
import type { Route } from './route.ts'

const Count = z.int().meta({ override: { type: 'integer', minimum: 0 } })

/**
 * One hour of UTC. `in` and `out` are present if the request names a location; `within`, the movements between the
 * location and its sub-locations, if it includes them.
 */
const HourOfMovements = z
  .object({
    hour: WireInstant,
    moves: Count,
    in: Count.optional(),
    out: Count.optional(),
    within: Count.optional(),
  })
  .meta({ id: 'HourOfMovements' })
export type HourOfMovements = z.infer<typeof HourOfMovements>

/** All hours that overlap the window, including those without a movement. */
export const MovementSummary = z
  .object({ from: WireInstant, to: WireInstant, hours: z.array(HourOfMovements) })
  .meta({ id: 'MovementSummary' })
export type MovementSummary = z.infer<typeof MovementSummary>

export const MovementSummaryQuery = z
  .strictObject({
    from: instantParameter.optional().meta({
      description:
        'RFC 3339 timestamp with any offset. Defaults to 24 hours before `to`. At most 31 days before `to`.',
    }),
    to: instantParameter
      .optional()
      .meta({ description: 'RFC 3339 timestamp with any offset. The bound is exclusive. Defaults to now.' }),
    location_id: idParameter.optional(),
    include_descendants: booleanParameter.optional(),
  })
  .check(needsOneOf('include_descendants', ['location_id']))
export type MovementSummaryQuery = z.infer<typeof MovementSummaryQuery>

export const movementRoutes = {
  summarizeMovements: {
    method: 'GET',
    path: '/movements/summary',
    upstream: 'tracking',
    access: 'session',
    counted: false,
    described: false,
    summary: 'Count movements per hour',
    description:
      'A movement is a history row at a different location than the previous row of the asset, or at its first ' +
      'location. With `location_id`, each hour also counts the movements to that location and from it. With ' +
      '`include_descendants`, its sub-locations count as part of it; movements among them are counted apart.',
    query: MovementSummaryQuery,
    success: { status: 200, schema: dataOf(MovementSummary) },
    errors: ['validation_error'],
  },
} as const satisfies Record<string, Route>
