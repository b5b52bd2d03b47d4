import { z } from 'zod'
import { Id } from './ids.ts'
import { WireInstant } from './instant.ts'
import { instantParameter, listOf, page, pathId } from './query.ts'
import type { Route } from './route.ts'
import { TagView } from './tags.ts'

/** A deleted location keeps its id (D8.3). */
const SeenLocation = z
  .object({ id: Id, external_key: z.string().nullable(), name: z.string().nullable() })
  .nullable()

/**
 * A row of the history with what decided its location (ADR 51). `reader` is null if there was no read: an operator saved
 * the asset there, or a request named its location. `location_key` is the key in the message, as sent. `tag` is the one
 * that was read, also if it was detached since. `scan_point` is the one that decided, with its name and location of now;
 * null if it was removed. The reader's id and name are those configured now, or null. Rows of earlier releases have no
 * `decided_by`, unless they are saves.
 */
export const SightingRow = z
  .object({
    observed_at: WireInstant,
    location: SeenLocation,
    decided_by: z.enum(['location_key', 'scan_point', 'save']).nullable(),
    location_key: z.string().nullable(),
    tag: z.object({ ...TagView.shape, tag_type: z.string() }).nullable(),
    reader: z.object({ reader_key: z.string(), id: Id.nullable(), name: z.string().nullable() }).nullable(),
    antenna: z.int().nullable(),
    scan_point: z.object({ id: Id, name: z.string(), location: SeenLocation }).nullable(),
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
      'Returns the history of the asset, newest first, with what decided the location of each row. ' +
      '`duration_seconds` is the time that the asset spent at the previous location before the row. It is null on ' +
      'the earliest row.',
    params: z.strictObject({ asset_id: pathId }),
    query: z.strictObject({ ...page, from: instantParameter.optional(), to: instantParameter.optional() }),
    success: { status: 200, schema: listOf(SightingRow) },
    errors: ['validation_error', 'not_found'],
  },
} as const satisfies Record<string, Route>
