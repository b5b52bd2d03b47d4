import { z } from 'zod'
import { WireInstant } from './instant.ts'
import { dataOf, idParameter, instantParameter } from './query.ts'
import type { Route } from './route.ts'

const Count = z.int().meta({ override: { type: 'integer', minimum: 0 } })

/** One hour of UTC. `in` and `out` are present if the request names a location. */
const HourOfMovements = z
  .object({ hour: WireInstant, moves: Count, in: Count.optional(), out: Count.optional() })
  .meta({ id: 'HourOfMovements' })
export type HourOfMovements = z.infer<typeof HourOfMovements>

/** All hours that overlap the window, including those without a movement. */
export const MovementSummary = z
  .object({ from: WireInstant, to: WireInstant, hours: z.array(HourOfMovements) })
  .meta({ id: 'MovementSummary' })
export type MovementSummary = z.infer<typeof MovementSummary>

export const MovementSummaryQuery = z.strictObject({
  from: instantParameter
    .optional()
    .meta({ description: 'RFC 3339 with any offset; 24 hours before `to` when left out, 31 days at most.' }),
  to: instantParameter
    .optional()
    .meta({ description: 'RFC 3339 with any offset; not included itself. Now when left out.' }),
  location_id: idParameter.optional(),
})
export type MovementSummaryQuery = z.infer<typeof MovementSummaryQuery>

export const movementRoutes = {
  summarizeMovements: {
    method: 'GET',
    path: '/movements/summary',
    upstream: 'tracking',
    access: 'session',
    counted: false,
    described: false,
    summary: 'Count the movements of each hour',
    description:
      'A movement is a row of the history at another location than the row of the asset before it, or at its first. With ' +
      '`location_id` each hour also says how many came to that location and how many left it.',
    query: MovementSummaryQuery,
    success: { status: 200, schema: dataOf(MovementSummary) },
    errors: ['validation_error'],
  },
} as const satisfies Record<string, Route>
