import { z } from 'zod'
import { LocationPlace, LocationState, TypedAsset } from './catalog-state.ts'
import { defineMessage } from './message.ts'

/**
 * A legacy request named the location of an asset (D1.6). It counts as a save of that asset at that location, at
 * `placed_at`. The message has both as they were then, so that tracking can record it without a lookup. Recording it
 * twice, late or out of order is harmless. `placed_at` grows with each placement of an asset.
 */
export const AssetPlaced = z.object({
  org_id: z.int(),
  /** The release before did not send the type. */
  asset: TypedAsset.partial({ type: true }),
  location: LocationPlace,
  placed_at: z.iso.datetime(),
})
export type AssetPlaced = z.infer<typeof AssetPlaced>

export const assetPlaced = defineMessage({
  name: 'asset placed',
  schema: AssetPlaced.extend({ location: LocationState }),
  keep: 'all',
  subject: (p) => `placements.${p.org_id}`,
  messageId: (p) => `${p.asset.id} ${p.placed_at}`,
})

/**
 * The same as a request, for a caller that answers after it is recorded. A request may get lost; the message does
 * not.
 */
export const placeAsset = {
  subject: 'rpc.tracking.place-asset',
  request: AssetPlaced,
  reply: z.object({ recorded: z.literal(true) }),
} as const
