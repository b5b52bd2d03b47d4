import { z } from 'zod'
import { Id } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { instantParameter, listOf, page, pathId } from '../../rules/query.ts'
import type { Route } from '../../route.ts'
import { TagView } from '../catalog/tags.ts'

/** A deleted location keeps its id (D8.3). */
const SeenLocation = z
  .object({ id: Id, external_key: z.string().nullable(), name: z.string().nullable() })
  .nullable()

/** Reads that were set aside, because the strength of another place decided (D18.7). `rssi`: the strongest, corrected. */
const OutvotedReads = z.object({
  location: SeenLocation,
  reader_key: z.string(),
  rssi: z.number().nullable(),
  reads: z.int().meta({ override: { type: 'integer', minimum: 1 } }),
})

/**
 * A row of the history with what decided its location (ADR 51). `reader` is null if there was no read: an operator saved
 * the asset there, or a request named its location. `location_key` is the key in the message, as sent. `tag` is the one
 * that was read, also if it was detached since. `scan_point` is the one that decided, with its name and location of now;
 * null if it was removed. The reader's id and name are those configured now, or null. Rows of earlier releases have no
 * `decided_by`, unless they are saves. `outvoted`: nothing but reads that were set aside, so that the asset was seen and
 * is where it was. `carried_from` is when the asset was read, if that was in the minute before (D18.3).
 */
export const SightingRow = z
  .object({
    observed_at: WireInstant,
    location: SeenLocation,
    decided_by: z.enum(['location_key', 'scan_point', 'save', 'outvoted']).nullable(),
    location_key: z.string().nullable(),
    tag: z.object({ ...TagView.shape, tag_type: z.string() }).nullable(),
    reader: z.object({ reader_key: z.string(), id: Id.nullable(), name: z.string().nullable() }).nullable(),
    antenna: z.int().nullable(),
    scan_point: z.object({ id: Id, name: z.string(), location: SeenLocation }).nullable(),
    outvoted: z.array(OutvotedReads).meta({ description: 'Of the minute of the row, the strongest first.' }),
    carried_from: WireInstant.nullable(),
    duration_seconds: z
      .int()
      .nullable()
      .meta({ override: { type: 'integer', minimum: 0, nullable: true } }),
  })
  .meta({ id: 'Sighting' })
export type SightingRow = z.infer<typeof SightingRow>

/** The place at which an asset was read last, if it is not in the row of that minute (D18.3). */
export const Waiting = z.object({ location: SeenLocation, at: WireInstant })
export type Waiting = z.infer<typeof Waiting>

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
      'the earliest row. `waiting` is the place where it was read last in the minute of its newest row, if that is ' +
      'another one.',
    params: z.strictObject({ asset_id: pathId }),
    query: z.strictObject({ ...page, from: instantParameter.optional(), to: instantParameter.optional() }),
    success: { status: 200, schema: listOf(SightingRow).extend({ waiting: Waiting.nullable() }) },
    errors: ['validation_error', 'not_found'],
  },
} as const satisfies Record<string, Route>
