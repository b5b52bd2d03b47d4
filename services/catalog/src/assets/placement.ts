import { TypedAsset } from '@whereabouts/contracts/messages/catalog-state'
import { assetPlaced, type AssetPlaced } from '@whereabouts/contracts/messages/asset-placed'
import { enqueue } from '@whereabouts/db/outbox/outbox'
import { toAssetState, toLocationState } from '../changes/messages/states.ts'
import type { LocationRow, Tx } from '../db.ts'
import { assetNotFound } from '../errors.ts'
import { findAsset } from './assets.queries.ts'

/**
 * Publishes, in the transaction of a change, that the asset is at `location` since that change. Each change advances
 * `updated_at` by at least a millisecond, which orders the placements of one asset. Call last, because the message
 * contains the asset.
 */
export async function enqueuePlacement(
  tx: Tx,
  orgId: number,
  assetId: number,
  location: LocationRow,
): Promise<AssetPlaced> {
  const asset = await findAsset(tx, orgId, assetId)
  if (!asset) throw assetNotFound()
  const placed = {
    org_id: orgId,
    asset: TypedAsset.parse(toAssetState(asset)),
    location: toLocationState(location),
    placed_at: asset.updated_at,
  }
  await enqueue(tx, assetPlaced, [placed])
  return placed
}
