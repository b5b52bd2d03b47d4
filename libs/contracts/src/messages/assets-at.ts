import { z } from 'zod'

/** Ids per answer: with the longest ids it is below the broker's 1 MiB for a message. */
export const MAX_ASSETS_AT = 50_000

/** Locations per question: as many as a list filter takes values. */
export const MAX_ASKED_LOCATIONS = 200

/**
 * A question to tracking over request-reply: which assets of one organization were last seen at these locations. The
 * answer comes in parts, by ascending id; each question goes on behind the last id of the part before it.
 */
export const assetsAt = {
  subject: 'rpc.tracking.assets-at',
  request: z.object({
    org_id: z.int(),
    location_ids: z.array(z.int()).max(MAX_ASKED_LOCATIONS),
    after: z.int().default(0),
    limit: z.int().min(1).max(MAX_ASSETS_AT).default(MAX_ASSETS_AT),
  }),
  /** Fewer than `limit`: there are no more. */
  reply: z.object({ asset_ids: z.array(z.int()) }),
} as const

export type AssetsAt = z.input<typeof assetsAt.request>
export type AssetsAtReply = z.output<typeof assetsAt.reply>
