import { placeAsset } from '@whereabouts/contracts/messages/asset-placed'
import { answering } from '@whereabouts/messaging/messages/request'
import { recordPlacement, type PlacementDeps } from './placement.ts'

/** Answers `rpc.tracking.place-asset`. */
export const { serve: servePlacements } = answering(
  placeAsset,
  'not a placement of an asset',
  async (deps: PlacementDeps, placement) => {
    await recordPlacement(deps, placement)
    return { recorded: true as const }
  },
)
