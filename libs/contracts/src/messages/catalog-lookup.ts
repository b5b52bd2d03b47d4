import { z } from 'zod'
import {
  AssetIdentity,
  AssetState,
  LocationPlace,
  LocationState,
  TagState,
  TypedAsset,
} from './catalog-state.ts'

/** Keys per request. With the longest names the reply is just below 1 MiB, the broker's limit for a message. */
export const MAX_ASSET_KEYS = 500

const reply = z.object({
  assets: z.array(TypedAsset),
  locations: z.array(LocationPlace),
  tags: z.array(TagState),
  /** Only if the request has `asset_keys`. */
  assets_by_key: z.array(AssetIdentity).optional(),
})

/**
 * Asks catalog for resources that a projection does not have, because they may have just been created. All values
 * belong to one organization; at most 1 000 per list.
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
   * The matching live tags with their owners, and the requested assets and locations: by id including deleted ones, by
   * key only live ones.
   */
  reply,
  /** The reply that catalog sends: whole states, which the last release reads. */
  published: reply.extend({ assets: z.array(AssetState), locations: z.array(LocationState) }),
} as const

export type CatalogLookup = z.input<typeof catalogLookup.request>
export type PublishedLookupReply = z.output<typeof catalogLookup.published>
export type CatalogLookupReply = z.output<typeof catalogLookup.reply>
