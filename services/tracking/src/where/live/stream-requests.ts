import type { Principal } from '@whereabouts/contracts/principal'
import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import { invalidToken } from '@whereabouts/service-kit/errors/errors'
import type { Listener } from './stream-shares.ts'

/** No proxy may buffer or cache the events. */
export const UNBUFFERED = {
  'cache-control': 'private, no-store, no-transform',
  'x-accel-buffering': 'no',
}

/** Whose stream a request opens. */
export function listenerOf({ orgId, userId }: Principal, clientAddress: string): Listener {
  if (userId === undefined) throw invalidToken() // a session has one
  return { orgId, userId, address: addressBlock(clientAddress) }
}
