import { addressBlock } from '@whereabouts/service-kit/limits/address-block'
import type { FastifyRequest } from 'fastify'

/** An organization, or the address block of a request without a credential. Places and bodies are shared between these. */
export type Holder = number | string

export const holderOf = ({ principal, ip }: FastifyRequest): Holder => principal?.orgId ?? addressBlock(ip)

/** For a log line. */
export const holderFields = (holder: Holder) =>
  typeof holder === 'number' ? { org_id: holder } : { address: holder }
