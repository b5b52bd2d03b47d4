import { placeAsset } from '@whereabouts/contracts/messages/asset-placed'
import type { Broker } from '@whereabouts/messaging/connection'
import { RefusedError, respond, type Responder } from '@whereabouts/messaging/request'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { z } from 'zod'
import { recordPlacement, type PlacementDeps } from './placement.ts'

/** Answers `rpc.tracking.place-asset`; of all replicas, one answers each request. */
export const answerPlacements = (broker: Broker, deps: PlacementDeps, logger: Logger): Responder =>
  respond(broker, placeAsset.subject, 'tracking-place-asset', async (payload) => place(deps, payload), {
    logger,
  })

async function place(deps: PlacementDeps, payload: unknown): Promise<z.output<typeof placeAsset.reply>> {
  const asked = placeAsset.request.safeParse(payload)
  if (!asked.success) throw new RefusedError('not a placement of an asset')
  await recordPlacement(deps, asked.data)
  return { recorded: true }
}
