import { AssetPlaced } from '@whereabouts/contracts/messages/asset-placed'
import { isDatabaseOutage } from '@whereabouts/db/outage'
import type { MessageConsumer } from '@whereabouts/messaging/consumer'
import { PoisonError } from '@whereabouts/messaging/settle'
import { CatalogUnavailable } from '../projections/catalog-resolver.ts'
import { recordPlacement, type PlacementDeps } from './placement.ts'

/**
 * Records what catalog has committed, however long that took to arrive. Where catalog asked for it directly it is
 * recorded already, and nothing happens.
 */
export const placementsConsumer = (deps: PlacementDeps): MessageConsumer<AssetPlaced> => ({
  durable: 'tracking-placements',
  concurrency: 4,
  retryDelaysMs: [1_000, 5_000, 30_000],
  isOutage: (error) => error instanceof CatalogUnavailable || isDatabaseOutage(error),
  decode(message) {
    try {
      return AssetPlaced.parse(JSON.parse(Buffer.from(message.data).toString()))
    } catch (error) {
      throw new PoisonError('not a placement of an asset', { cause: error })
    }
  },
  handle: (placed, { signal }) => recordPlacement(deps, placed, signal),
})
