import { AssetPlaced } from '@whereabouts/contracts/messages/asset-placed'
import { isDatabaseOutage } from '@whereabouts/db/connect/outage'
import type { MessageConsumer } from '@whereabouts/messaging/consume/consumer'
import { decodeWith } from '@whereabouts/messaging/consume/decode'
import { CatalogUnavailable } from '../../catalog/catalog-resolver.ts'
import { recordPlacement, type PlacementDeps } from './placement.ts'

/**
 * Records placements that catalog has committed, also if they arrive late. If catalog already sent it to
 * `servePlacements`, it is recorded and nothing happens.
 */
export const placementsConsumer = (deps: PlacementDeps): MessageConsumer<AssetPlaced> => ({
  durable: 'tracking-placements',
  concurrency: 4,
  isOutage: (error) => error instanceof CatalogUnavailable || isDatabaseOutage(error),
  decode: decodeWith('a placement of an asset', (payload) => AssetPlaced.parse(payload)),
  handle: (placed, { signal }) => recordPlacement(deps, placed, signal),
})
