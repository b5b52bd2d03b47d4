import { placeAsset, type AssetPlaced } from '@whereabouts/contracts/messages/asset-placed'
import { assetsAt, MAX_ASSETS_AT, misplacedAssets } from '@whereabouts/contracts/messages/assets-at'
import { currentLocations } from '@whereabouts/contracts/messages/current-locations'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { request } from '@whereabouts/messaging/messages/request'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { z } from 'zod'

/** Tracking or the broker did not answer. The caller may retry. */
export class TrackingUnavailable extends Error {
  override readonly name = 'TrackingUnavailable'
}

/** Where an asset was last seen, and when. It may be at no location. */
export type LastSeen = { locationId: number | undefined; at: string }

/** The requests of catalog to tracking, for the legacy vocabulary and exports. All throw TrackingUnavailable. */
export type Tracking = {
  /** Asset → location where it was last seen. Omits assets that are at no location. At most 200 assets. */
  locationsOf(orgId: number, assetIds: readonly number[]): Promise<Map<number, number>>
  /** Asset → when and where it was last seen. Omits assets that never were. At most 200 assets. */
  lastSeenOf(orgId: number, assetIds: readonly number[]): Promise<Map<number, LastSeen>>
  /** The next assets, with ids above `after`, that were last seen at these locations. Sorted by id. */
  assetsAt(orgId: number, locationIds: readonly number[], after: number): Promise<PageOfAssets>
  /** The next assets, with ids above `after`, that are not at their home, or that are. Sorted by id. */
  misplaced(orgId: number, wanted: Misplaced, after: number): Promise<PageOfAssets>
  /** Resolves when the placement is recorded. */
  place(placed: AssetPlaced): Promise<void>
}

export type Misplaced = { misplaced: boolean; home_location_id?: readonly number[] | undefined }
type PageOfAssets = { assetIds: number[]; isLast: boolean }

const READ_TIMEOUT_MS = 1_000
const LIST_TIMEOUT_MS = 5_000
const PLACE_TIMEOUT_MS = 2_000

type Rpc = { subject: string; request: z.ZodType; reply: z.ZodType }

/** Sends requests over the broker, once it is connected. */
export function trackingClient(connected: () => Broker | undefined, log: Logger): Tracking {
  async function ask<R extends Rpc>(
    rpc: R,
    payload: z.input<R['request']>,
    timeoutMs: number,
  ): Promise<z.output<R['reply']>> {
    const broker = connected()
    if (!broker) throw new TrackingUnavailable('the broker is not connected yet')
    try {
      return rpc.reply.parse(await request(broker, rpc.subject, payload, { timeoutMs })) as never
    } catch (error) {
      log.warn({ err: error }, 'request to tracking failed')
      throw new TrackingUnavailable('tracking did not answer', { cause: error })
    }
  }
  return {
    async locationsOf(orgId, assetIds) {
      const payload = { org_id: orgId, asset_ids: [...assetIds] }
      const { locations } = await ask(currentLocations, payload, READ_TIMEOUT_MS)
      return new Map(locations.map(({ asset_id, location_id }) => [asset_id, location_id]))
    },
    async lastSeenOf(orgId, assetIds) {
      const payload = { org_id: orgId, asset_ids: [...assetIds], with_last_seen: true }
      const { locations, last_seen } = await ask(currentLocations, payload, READ_TIMEOUT_MS)
      if (!last_seen) throw new TrackingUnavailable('the last release of tracking answered')
      const at = new Map(locations.map(({ asset_id, location_id }) => [asset_id, location_id]))
      return new Map(
        last_seen.map((seen) => [seen.asset_id, { locationId: at.get(seen.asset_id), at: seen.at }]),
      )
    },
    async assetsAt(orgId, locationIds, after) {
      const payload = { org_id: orgId, location_ids: [...locationIds], after }
      const { asset_ids: assetIds } = await ask(assetsAt, payload, LIST_TIMEOUT_MS)
      return { assetIds, isLast: assetIds.length < MAX_ASSETS_AT }
    },
    async misplaced(orgId, { misplaced, home_location_id: homes }, after) {
      const payload = { org_id: orgId, misplaced, ...(homes && { home_ids: [...homes] }), after }
      const { asset_ids: assetIds } = await ask(misplacedAssets, payload, LIST_TIMEOUT_MS)
      return { assetIds, isLast: assetIds.length < MAX_ASSETS_AT }
    },

    async place(placed) {
      await ask(placeAsset, placed, PLACE_TIMEOUT_MS)
    },
  }
}
