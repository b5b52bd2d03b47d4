import { z } from 'zod'
import { Id } from '../../rules/ids.ts'
import { idsParameter } from '../../rules/query.ts'
import type { Route } from '../../route.ts'

const Count = z.int().meta({ override: { type: 'integer', minimum: 0 } })

/**
 * `here` counts assets last seen at the location itself; `inside` counts those and the ones at its live
 * sub-locations.
 */
export const OccupancyRow = z
  .object({ location_id: Id, here: Count, inside: Count })
  .meta({ id: 'Occupancy' })
export type OccupancyRow = z.infer<typeof OccupancyRow>

export const OccupancyQuery = z.strictObject({ location_id: idsParameter })
export type OccupancyQuery = z.infer<typeof OccupancyQuery>

export const occupancyRoutes = {
  listOccupancy: {
    method: 'GET',
    path: '/reports/occupancy',
    upstream: 'tracking',
    access: 'session',
    counted: false,
    described: false,
    summary: 'Count the assets at locations and their sub-locations',
    description:
      'Returns locations in the order of the request and omits unknown ones. Counts the assets that ' +
      '`GET /reports/asset-locations` lists. `total` counts all of them, `nowhere` those that were last seen at no ' +
      'location.',
    query: OccupancyQuery,
    success: {
      status: 200,
      schema: z.object({ data: z.array(OccupancyRow), total: Count, nowhere: Count }),
    },
    errors: ['validation_error'],
  },
} as const satisfies Record<string, Route>
