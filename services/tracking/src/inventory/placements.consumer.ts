import { AssetPlaced } from '@whereabouts/contracts/messages/asset-placed'
import { isDatabaseOutage } from '@whereabouts/db/outage'
import type { MessageConsumer } from '@whereabouts/messaging/consumer'
import { decodeWith } from '@whereabouts/messaging/decode'
import { CatalogUnavailable } from '../projections/catalog-resolver.ts'
import { recordPlacement, type PlacementDeps } from './placement.ts'

/**
 * Records what catalog has committed, however long that took to arrive. Where catalog asked for it directly it is
 * recorded already, and nothing happens.
 */
export const placementsConsumer = (deps: PlacementDeps): MessageConsumer<AssetPlaced> => ({
  durable: 'tracking-placements',
  concurrency: 4,
  isOutage: (error) => error instanceof CatalogUnavailable || isDatabaseOutage(error),
  decode: decodeWith('a placement of an asset', (payload) => AssetPlaced.parse(payload)),
  handle: (placed, { signal }) => recordPlacement(deps, placed, signal),
})
