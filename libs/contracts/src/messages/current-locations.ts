import { z } from 'zod'

/** Assets per request. */
export const MAX_LOCATED_ASSETS = 200

/**
 * Asks tracking where assets of one organization were last seen. Legacy replies show the current location with the
 * other fields of an asset (D1.6). Exports also show when.
 */
export const currentLocations = {
  subject: 'rpc.tracking.current-locations',
  request: z.object({
    org_id: z.int(),
    asset_ids: z.array(z.int()).max(MAX_LOCATED_ASSETS),
    with_last_seen: z.boolean().optional(),
  }),
  /** One entry per asset at a live location. The other assets have no location with a key. */
  reply: z.object({
    locations: z.array(
      z.object({ asset_id: z.int(), location_id: z.int(), location_external_key: z.string() }),
    ),
    /** One entry per asset that was ever seen, if the request asks for it. The last release does not send it. */
    last_seen: z.array(z.object({ asset_id: z.int(), at: z.string() })).optional(),
  }),
} as const

export type CurrentLocations = z.input<typeof currentLocations.request>
export type CurrentLocationsReply = z.output<typeof currentLocations.reply>
