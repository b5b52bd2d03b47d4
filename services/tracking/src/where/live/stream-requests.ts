import type { Principal } from '@whereabouts/contracts/principal'
import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import { invalidToken } from '@whereabouts/service-kit/errors/errors'
import type { Listener } from './stream-shares.ts'

/** Whose stream a request opens. */
export function listenerOf({ orgId, userId }: Principal, clientAddress: string): Listener {
  if (userId === undefined) throw invalidToken() // a session has one
  return { orgId, userId, address: addressBlock(clientAddress) }
}
