import { z } from 'zod'
import { AssetIdentity, AssetState, LocationPlace, LocationState, TagState } from './catalog-state.ts'

/** Keys per question: with the longest names their answer is just below the broker's 1 MiB for a message. */
export const MAX_ASSET_KEYS = 500

const reply = z.object({
  assets: z.array(AssetIdentity),
  locations: z.array(LocationPlace),
  tags: z.array(TagState),
  /** Only where `asset_keys` were asked for. */
  assets_by_key: z.array(AssetIdentity).optional(),
})

/**
 * A question to catalog over request-reply, asked when a projection has a gap: something may have been created a
 * moment ago. All values belong to one organization; at most 1 000 per list.
 */
export const catalogLookup = {
  subject: 'rpc.catalog.lookup',
  request: z.object({
    org_id: z.int(),
    /** Looked up by their matching form (D6.5). */
    tags: z
      .array(z.object({ tag_type: z.string(), value: z.string() }))
      .max(1000)
      .default([]),
    asset_ids: z.array(z.int()).max(1000).default([]),
    asset_keys: z.array(z.string()).max(MAX_ASSET_KEYS).optional(),
    location_ids: z.array(z.int()).max(1000).default([]),
    location_keys: z.array(z.string()).max(1000).default([]),
  }),
  /**
   * The live tags that match with their owners, and the assets and locations asked for: by id deleted ones included,
   * by key live ones only.
   */
  reply,
  /** As catalog sends it: whole states, which the last release reads. */
  published: reply.extend({ assets: z.array(AssetState), locations: z.array(LocationState) }),
} as const

export type CatalogLookup = z.input<typeof catalogLookup.request>
export type PublishedLookupReply = z.output<typeof catalogLookup.published>
export type CatalogLookupReply = z.output<typeof catalogLookup.reply>
