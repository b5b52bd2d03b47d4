import { z } from 'zod'
import { Id } from './ids.ts'
import { WireInstant } from './instant.ts'
import { listOf, page, pathId } from './query.ts'
import type { Route } from './route.ts'

/**
 * A row of the history with its cause. `reader` is null if there was no read: an operator saved the asset there, or a
 * request named its location. The reader's id and name and the scan point are those configured now, or null. A deleted
 * location keeps its id (D8.3).
 */
export const SightingRow = z
  .object({
    observed_at: WireInstant,
    location: z
      .object({ id: Id, external_key: z.string().nullable(), name: z.string().nullable() })
      .nullable(),
    reader: z.object({ reader_key: z.string(), id: Id.nullable(), name: z.string().nullable() }).nullable(),
    antenna: z.int().nullable(),
    scan_point: z.object({ id: Id, name: z.string() }).nullable(),
    duration_seconds: z
      .int()
      .nullable()
      .meta({ override: { type: 'integer', minimum: 0, nullable: true } }),
  })
  .meta({ id: 'Sighting' })
export type SightingRow = z.infer<typeof SightingRow>

export const sightingRoutes = {
  listSightings: {
    method: 'GET',
    path: '/assets/{asset_id}/sightings',
    upstream: 'tracking',
    access: 'session',
    counted: false,
    described: false,
    summary: 'List the sightings of an asset',
    description:
      'Returns the history of the asset, newest first, with the reader or save that caused each row. ' +
      '`duration_seconds` is the time that the asset spent at the previous location before the row. It is null on ' +
      'the earliest row.',
    params: z.strictObject({ asset_id: pathId }),
    query: z.strictObject(page),
    success: { status: 200, schema: listOf(SightingRow) },
    errors: ['validation_error', 'not_found'],
  },
} as const satisfies Record<string, Route>
