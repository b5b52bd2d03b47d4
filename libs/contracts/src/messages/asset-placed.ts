import { z } from 'zod'
import { AssetIdentity, LocationState } from './catalog-state.ts'
import { defineMessage } from './message.ts'

/**
 * An operator said where an asset is while changing it in the older vocabulary (D1.6): a save of that asset at that
 * location, at `placed_at`. It carries both as they were then, so that it can be recorded without asking anybody.
 * Recording it twice, late or out of order is harmless; `placed_at` rises with every one of an asset.
 */
export const AssetPlaced = z.object({
  org_id: z.int(),
  asset: AssetIdentity,
  location: LocationState,
  placed_at: z.iso.datetime(),
})
export type AssetPlaced = z.infer<typeof AssetPlaced>

export const assetPlaced = defineMessage({
  name: 'asset placed',
  schema: AssetPlaced,
  keep: 'all',
  subject: (p) => `placements.${p.org_id}`,
  messageId: (p) => `${p.asset.id} ${p.placed_at}`,
})

/**
 * The same over request-reply, for who wants to answer when it is recorded. The message above remains the one that
 * counts: this one may go astray.
 */
export const placeAsset = {
  subject: 'rpc.tracking.place-asset',
  request: AssetPlaced,
  reply: z.object({ recorded: z.literal(true) }),
} as const
