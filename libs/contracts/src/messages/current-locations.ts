import { z } from 'zod'

/** Assets per question. */
export const MAX_LOCATED_ASSETS = 200

/**
 * A question to tracking over request-reply: where assets of one organization were last seen. For who shows an asset
 * with its location beside what else is known of it, as the older vocabulary does (D1.6).
 */
export const currentLocations = {
  subject: 'rpc.tracking.current-locations',
  request: z.object({ org_id: z.int(), asset_ids: z.array(z.int()).max(MAX_LOCATED_ASSETS) }),
  /** One entry per asset that is at a live location; the others are nowhere that has a key. */
  reply: z.object({
    locations: z.array(
      z.object({ asset_id: z.int(), location_id: z.int(), location_external_key: z.string() }),
    ),
  }),
} as const

export type CurrentLocations = z.input<typeof currentLocations.request>
export type CurrentLocationsReply = z.output<typeof currentLocations.reply>
