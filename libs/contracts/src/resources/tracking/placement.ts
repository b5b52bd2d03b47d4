import { z } from 'zod'
import { MERGE_PATCH_MEDIA_TYPE } from '../../rules/echo.ts'
import { distinct } from '../../rules/distinct.ts'
import { Id } from '../../rules/ids.ts'
import { WireInstant } from '../../rules/instant.ts'
import { openEnum } from '../../rules/open-enum.ts'
import { dataOf, pathId } from '../../rules/query.ts'
import { JSON_MEDIA_TYPE, type Route } from '../../route.ts'
import { tagTypes } from '../catalog/tags.ts'

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
const TagTypes = distinct(tagTypes)

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

/** Messages of readers are kept for this long. */
export const MAX_PREVIEW_HOURS = 72

/** What is absent in `settings` is as it is now. */
export const PlacementPreviewRequest = z
  .strictObject({ settings: PlacementUpdate, hours: z.int().min(1).max(MAX_PREVIEW_HOURS) })
  .meta({
    id: 'PlacementPreviewRequest',
    example: { settings: { margin_db: 6, exit_delay_seconds: 120 }, hours: 24 },
  })

export const PreviewedAsset = z.object({
  asset: z.object({ id: Id, external_key: z.string(), name: z.string() }),
  /** Movements with the settings of now, and with the others. */
  now: z.int(),
  then: z.int(),
})
export type PreviewedAsset = z.infer<typeof PreviewedAsset>

/** `from`: when the oldest message that was kept came; null without one. `most_changed`: at most 20. */
export const PlacementPreview = z
  .object({
    from: WireInstant.nullable(),
    movements_now: z.int(),
    movements_then: z.int(),
    most_changed: z.array(PreviewedAsset),
  })
  .meta({ id: 'PlacementPreview' })
export type PlacementPreview = z.infer<typeof PlacementPreview>

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
    access: 'session',
    role: 'admin',
    summary: 'Update how the organization wants positions to be decided',
    description: 'Counts for reads that arrive from then on, and for reads that wait.',
    mediaTypes: [MERGE_PATCH_MEDIA_TYPE, JSON_MEDIA_TYPE],
    body: PlacementUpdate,
    errors: ['validation_error', 'bad_request', 'not_found'],
  },
  previewPlacement: {
    method: 'POST',
    path: '/orgs/{org_id}/placement/preview',
    upstream: 'tracking',
    access: 'session',
    role: 'viewer',
    counted: false,
    described: false,
    params: z.strictObject({ org_id: pathId }),
    summary: 'Preview what other settings would have done with the reads of the last hours',
    description:
      'Counts the movements of the messages of readers that are still kept, with the settings of now and with the ' +
      'others. Stores nothing. Two previews may run at once; one that takes longer than 30 seconds ends with 503.',
    body: PlacementPreviewRequest,
    success: { status: 200, schema: dataOf(PlacementPreview) },
    errors: ['validation_error', 'bad_request', 'not_found', 'rate_limited', 'service_unavailable'],
  },
} as const satisfies Record<string, Route>
