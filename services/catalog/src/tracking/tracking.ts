import { placeAsset, type AssetPlaced } from '@whereabouts/contracts/messages/asset-placed'
import { assetsAt, MAX_ASSETS_AT } from '@whereabouts/contracts/messages/assets-at'
import { currentLocations } from '@whereabouts/contracts/messages/current-locations'
import type { Broker } from '@whereabouts/messaging/connection'
import { request } from '@whereabouts/messaging/request'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { z } from 'zod'

/** Tracking did not answer, so the locations of assets are unknown. The caller may retry. */
export class TrackingUnavailable extends Error {
  override readonly name = 'TrackingUnavailable'
}

/** The requests of catalog to tracking, for the legacy vocabulary only. All throw TrackingUnavailable. */
export type Tracking = {
  /** Asset → location where it was last seen; without those that were seen at none. At most 200 assets. */
  locationsOf(orgId: number, assetIds: readonly number[]): Promise<Map<number, number>>
  /** Some of the assets that were last seen at these locations: those that follow `after`, by ascending id. */
  assetsAt(orgId: number, locationIds: readonly number[], after: number): Promise<PartOfAssets>
  /** Resolves when the placement is recorded. */
  place(placed: AssetPlaced): Promise<void>
}

type PartOfAssets = { assetIds: number[]; isLast: boolean }

/** Reading an asset waits this long for its location. */
const READ_TIMEOUT_MS = 1_000
const LIST_TIMEOUT_MS = 5_000
const PLACE_TIMEOUT_MS = 2_000

type Question = { subject: string; request: z.ZodType; reply: z.ZodType }

/** Over the broker, once there is one. */
export function askTrackingOver(connected: () => Broker | undefined, log: Logger): Tracking {
  async function ask<Q extends Question>(
    question: Q,
    payload: z.input<Q['request']>,
    timeoutMs: number,
  ): Promise<z.output<Q['reply']>> {
    const broker = connected()
    if (!broker) throw new TrackingUnavailable('the broker was not reached yet')
    try {
      return question.reply.parse(await request(broker, question.subject, payload, { timeoutMs })) as never
    } catch (error) {
      log.warn({ err: error }, 'request to tracking failed')
      throw new TrackingUnavailable('tracking could not be asked', { cause: error })
    }
  }
  return {
    async locationsOf(orgId, assetIds) {
      const payload = { org_id: orgId, asset_ids: [...assetIds] }
      const { locations } = await ask(currentLocations, payload, READ_TIMEOUT_MS)
      return new Map(locations.map(({ asset_id, location_id }) => [asset_id, location_id]))
    },
    async assetsAt(orgId, locationIds, after) {
      const payload = { org_id: orgId, location_ids: [...locationIds], after }
      const { asset_ids: assetIds } = await ask(assetsAt, payload, LIST_TIMEOUT_MS)
      return { assetIds, isLast: assetIds.length < MAX_ASSETS_AT }
    },
    async place(placed) {
      await ask(placeAsset, placed, PLACE_TIMEOUT_MS)
    },
  }
}
