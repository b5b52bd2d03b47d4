import { addressBlock } from '@whereabouts/service-kit/address-block'
import { FairGate } from '@whereabouts/service-kit/fair-gate'
import type { RequestClient } from '@whereabouts/service-kit/request-client'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Like the gate in front of the connections to PostgreSQL. */
const WAITING = { waiting: 5_000, waitingPerKey: 1_000, maxWaitMs: 10_000 }

export type Enter = (
  request: FastifyRequest,
  reply: FastifyReply,
  client: RequestClient,
) => Promise<void> | undefined

/**
 * Returns a function that takes a place at the service of a request, for its organization or address block, until the
 * response is closed. It returns undefined if a place was free, because a promise would delay most requests for nothing.
 */
export function placesAt(upstreamOf: (request: FastifyRequest) => string, running: number): Enter {
  const gates = new Map<string, FairGate<number | string>>()
  function gateOf(upstream: string): FairGate<number | string> {
    const gate = gates.get(upstream) ?? new FairGate({ running, ...WAITING })
    gates.set(upstream, gate)
    return gate
  }
  return (request, { raw }, client) => {
    const gate = gateOf(upstreamOf(request))
    const key = request.principal?.orgId ?? addressBlock(request.ip)
    const leaveAtEnd = () => void raw.once('close', () => gate.leave(key))
    const turn = gate.enter(key, client)
    if (turn) return turn.then(leaveAtEnd)
    leaveAtEnd()
    return undefined
  }
}
