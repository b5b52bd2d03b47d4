import { z } from 'zod'
import { MAX_ASKED_LOCATIONS, MAX_ASSETS_AT } from './assets-at.ts'

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
