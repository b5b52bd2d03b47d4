import { epochMs, parseInstant } from '@whereabouts/contracts/instant'
import type { AssetMoved } from '@whereabouts/contracts/messages/asset-moved'
import type { AssetMovedBody } from '@whereabouts/contracts/webhooks'

/** Shared by all attempts of a delivery, because the receiver must see the same bytes each time (D11.2). */
export type Payload = {
  event: 'asset.moved'
  deliveryId: string
  /** Unix second of `occurred_at`, signed and sent. */
  timestamp: string
  body: Buffer
}

/** Undefined if `occurred_at` is not a timestamp. The keys are in the order of the contract. */
export function assetMovedPayload(moved: AssetMoved): Payload | undefined {
  const occurredAt = parseInstant(moved.occurred_at)
  if (occurredAt === undefined) return undefined
  const body: AssetMovedBody = {
    event: 'asset.moved',
    delivery_id: moved.delivery_id,
    occurred_at: `${occurredAt.slice(0, 23)}Z`, // milliseconds, as in all of the API
    data: {
      asset: { id: moved.asset.id, external_key: moved.asset.external_key, name: moved.asset.name },
      from_location: moved.from_location && placeOf(moved.from_location),
      to_location: placeOf(moved.to_location),
    },
  }
  return {
    event: body.event,
    deliveryId: moved.delivery_id,
    timestamp: String(Math.floor(epochMs(occurredAt) / 1000)),
    body: Buffer.from(JSON.stringify(body)),
  }
}

const placeOf = ({ id, name }: { id: number; name: string }) => ({ id, name })
