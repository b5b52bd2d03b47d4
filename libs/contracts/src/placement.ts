import { z } from 'zod'
import { MERGE_PATCH_MEDIA_TYPE } from './echo.ts'
import { openEnum } from './open-enum.ts'
import { dataOf, pathId } from './query.ts'
import { JSON_MEDIA_TYPE, type Route } from './route.ts'
import { tagTypes } from './tags.ts'
import { addProblem } from './text.ts'

/** What becomes of a place where an asset was read last in a minute, if the row of the minute has another one (D18.3). */
export const passages = ['next_observation', 'carry'] as const

export const MAX_MARGIN_DB = 40
export const MAX_EXIT_DELAY_SECONDS = 3_600

/** Least strength of a read, in dBm. Weaker reads are no scans. */
export const MinRssi = z.int().min(-120).max(0)

/**
 * How an organization wants positions to be decided (D18.7). By default the first read of a minute decides: no margin, no
 * delay, no minimum. Reads of tags of `tag_types` are judged by their strength.
 */
export const PlacementSettings = z
  .object({
    passages: openEnum(passages),
    tag_types: z.array(openEnum(tagTypes)),
    margin_db: z.int(),
    exit_delay_seconds: z.int(),
    min_rssi_dbm: z.int().nullable(),
  })
  .meta({ id: 'PlacementSettings' })
export type PlacementSettings = z.infer<typeof PlacementSettings>

/** May be empty: then the strength of no read counts. */
const TagTypes = z
  .array(z.enum(tagTypes))
  .max(tagTypes.length)
  .check((payload) => {
    if (new Set(payload.value).size < payload.value.length)
      addProblem(payload, { code: 'invalid_value', message: '{f} must not contain a value twice' })
  })

/** A merge patch: what is absent stays. */
export const PlacementUpdate = z
  .strictObject({
    passages: z.enum(passages).optional(),
    tag_types: TagTypes.optional(),
    margin_db: z.int().min(0).max(MAX_MARGIN_DB).optional(),
    exit_delay_seconds: z.int().min(0).max(MAX_EXIT_DELAY_SECONDS).optional(),
    min_rssi_dbm: MinRssi.nullable().optional(),
  })
  .meta({ id: 'PlacementUpdate' })
export type PlacementUpdate = z.infer<typeof PlacementUpdate>

const ofOrganization = {
  path: '/orgs/{org_id}/placement',
  upstream: 'tracking',
  counted: false,
  described: false,
  params: z.strictObject({ org_id: pathId }),
  success: { status: 200, schema: dataOf(PlacementSettings) },
} as const

export const placementRoutes = {
  getPlacement: {
    method: 'GET',
    ...ofOrganization,
    access: 'session',
    summary: 'Retrieve how the organization wants positions to be decided',
    errors: ['validation_error', 'not_found'],
  },
  updatePlacement: {
    method: 'PATCH',
    ...ofOrganization,
    access: 'admin',
    summary: 'Update how the organization wants positions to be decided',
    description: 'Counts for reads that arrive from then on, and for reads that wait.',
    mediaTypes: [MERGE_PATCH_MEDIA_TYPE, JSON_MEDIA_TYPE],
    body: PlacementUpdate,
    errors: ['validation_error', 'bad_request', 'not_found'],
  },
} as const satisfies Record<string, Route>
