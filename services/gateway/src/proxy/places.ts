import { countedLog } from '@whereabouts/service-kit/observe/counted-log'
import { FairGate } from '@whereabouts/service-kit/limits/fair-gate'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { RequestClient } from '@whereabouts/service-kit/observe/request-client'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PlaceMetrics } from '../metrics.ts'
import { holderFields, holderOf, type Holder } from './holder.ts'

/** Requests of a mount to one service at a time. */
const PLACES = 256

/**
 * Beside others 16 places: what comes at once is measured only when it is over. Half a second of places beyond one, then one at a time while others come: what an organization's requests cost in a
 * service is not known before, but how long they keep their places is (ADR 94).
 */
const WAITING = { runningBeside: 16, burstMs: 500, waiting: 5_000, waitingPerKey: 1_000, maxWaitMs: 10_000 }

type Enter = (
  request: FastifyRequest,
  reply: FastifyReply,
  client: RequestClient,
) => Promise<void> | undefined

/** Makes the gates of a mount: one in front of each service. */
export type PlacesAt = (upstreamOf: (request: FastifyRequest) => string) => Enter

/** The gates of all mounts, measured together and logged together. */
export function places(app: FastifyInstance, log: Logger, metrics: PlaceMetrics): PlacesAt {
  const refusals = countedLog((fields) => log.warn(fields, 'request refused: too many wait for a service'))
  app.addHook('onClose', async () => refusals.close())
  function openGate(upstream: string): FairGate<Holder> {
    const gate = new FairGate<Holder>({
      running: PLACES,
      ...WAITING,
      onRefusal(holder) {
        metrics.refused(upstream)
        refusals.count(`${upstream} ${holder}`, { upstream, ...holderFields(holder) })
      },
    })
    metrics.measure(upstream, gate)
    return gate
  }
  return (upstreamOf) => placesAt(upstreamOf, openGate)
}

/**
 * Returns a function that takes a place at the service of a request, for its organization or address block, until the
 * response is closed. It returns undefined if a place was free, because a promise would delay most requests for nothing.
 */
function placesAt(
  upstreamOf: (request: FastifyRequest) => string,
  openGate: (upstream: string) => FairGate<Holder>,
): Enter {
  const gates = new Map<string, FairGate<Holder>>()
  function gateOf(upstream: string): FairGate<Holder> {
    const gate = gates.get(upstream) ?? openGate(upstream)
    gates.set(upstream, gate)
    return gate
  }
  return (request, { raw }, client) => {
    const gate = gateOf(upstreamOf(request))
    const holder = holderOf(request)
    // Who left while the credentials were checked has a response that is closed, and whose event has passed.
    const leaveAtEnd = () =>
      raw.closed ? gate.leave(holder) : void raw.once('close', () => gate.leave(holder))
    const turn = gate.enter(holder, client)
    if (turn) return turn.then(leaveAtEnd)
    leaveAtEnd()
    return undefined
  }
}
