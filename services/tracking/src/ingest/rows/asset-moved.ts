import type { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'
import { aboutPlaces } from '../../catalog/about-places.ts'
import type { CatalogView } from '../../catalog/catalog-view.ts'
import { deliveryId } from '../../event-ids.ts'
import type { Movement } from '../../positions/movements.ts'

/**
 * The event of a movement, with the current names. The origin is null if it is deleted or unknown. Undefined if the
 * asset or the destination is deleted or unknown.
 */
export function toEvent({ kind, to, fromLocationId }: Movement, view: CatalogView): AssetMoved | undefined {
  const { orgId, assetId, minute } = to
  const asset = view.asset(orgId, assetId)
  const destination = view.location(orgId, to.locationId)
  if (!asset || asset.deleted || !destination || destination.deleted) return undefined
  const origin = fromLocationId === null ? undefined : view.location(orgId, fromLocationId)
  return {
    delivery_id: deliveryId({
      orgId,
      assetId,
      minute,
      from: fromLocationId,
      to: to.locationId,
      kind,
      observedAtMs: to.observedAtMs,
    }),
    org_id: orgId,
    occurred_at: new Date(to.observedAtMs).toISOString(),
    kind,
    asset: { id: asset.id, external_key: asset.key, name: asset.name },
    from_location: origin && !origin.deleted ? { id: origin.id, name: origin.name } : null,
    to_location: { id: destination.id, name: destination.name },
    about: {
      asset_type: view.types.find(orgId, assetId),
      ...aboutPlaces(view, orgId, [...(origin && !origin.deleted ? [origin.id] : []), destination.id]),
    },
  }
}
