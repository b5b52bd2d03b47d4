import { z } from 'zod'

/** Ids per reply. With the longest ids the reply is below 1 MiB, the broker's limit for a message. */
export const MAX_ASSETS_AT = 50_000

/** Locations per request: the same number as values of a list filter. */
export const MAX_ASKED_LOCATIONS = 200

/**
 * Asks tracking which assets of one organization were last seen at these locations. The reply comes in parts, by
 * ascending id; each request continues after the last id of the part before.
 */
export const assetsAt = {
  subject: 'rpc.tracking.assets-at',
  request: z.object({
    org_id: z.int(),
    location_ids: z.array(z.int()).max(MAX_ASKED_LOCATIONS),
    after: z.int().default(0),
    limit: z.int().min(1).max(MAX_ASSETS_AT).default(MAX_ASSETS_AT),
  }),
  /** Fewer than `limit` if there are no more. */
  reply: z.object({ asset_ids: z.array(z.int()) }),
} as const

export type AssetsAt = z.input<typeof assetsAt.request>
export type AssetsAtReply = z.output<typeof assetsAt.reply>

/**
 * Asks tracking which assets of one organization are not at their home or below it, or which are (D21.1). In parts like
 * `assetsAt`. `home_ids`: only assets with one of these homes.
 */
export const misplacedAssets = {
  subject: 'rpc.tracking.misplaced-assets',
  request: z.object({
    org_id: z.int(),
    misplaced: z.boolean(),
    home_ids: z.array(z.int()).max(MAX_ASKED_LOCATIONS).optional(),
    after: z.int().default(0),
    limit: z.int().min(1).max(MAX_ASSETS_AT).default(MAX_ASSETS_AT),
  }),
  /** Fewer than `limit` if there are no more. */
  reply: z.object({ asset_ids: z.array(z.int()) }),
} as const

export type MisplacedAssetsReply = z.output<typeof misplacedAssets.reply>
