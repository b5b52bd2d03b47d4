import { placeAsset } from '@whereabouts/contracts/messages/asset-placed'
import type { Broker } from '@whereabouts/messaging/connect/connection'
import { RefusedError, respond, type Responder } from '@whereabouts/messaging/messages/request'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { z } from 'zod'
import { recordPlacement, type PlacementDeps } from './placement.ts'

/** Serves `rpc.tracking.place-asset`; one of all replicas answers each request. */
export const servePlacements = (broker: Broker, deps: PlacementDeps, logger: Logger): Responder =>
  respond(broker, placeAsset.subject, 'tracking-place-asset', async (payload) => place(deps, payload), {
    logger,
  })

async function place(deps: PlacementDeps, payload: unknown): Promise<z.output<typeof placeAsset.reply>> {
  const parsed = placeAsset.request.safeParse(payload)
  if (!parsed.success) throw new RefusedError('not a placement of an asset')
  await recordPlacement(deps, parsed.data)
  return { recorded: true }
}
