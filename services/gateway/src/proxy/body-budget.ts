import { AppError } from '@whereabouts/service-kit/app-error'
import { countedLog } from '@whereabouts/service-kit/counted-log'
import type { Logger } from '@whereabouts/service-kit/logging'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { holderFields, holderOf, type Holder } from './holder.ts'

export type BodyBudget = {
  /** Reserves bytes for a holder. Undefined if its half of the budget, or the whole budget, does not have them. */
  take(holder: Holder, bytes: number): Reservation | undefined
}
type Reservation = { shrinkTo(bytes: number): void; release(): void }

/** Bytes of bodies that the gateway may hold at a time. One holder gets at most half, so that others can send. */
export function bodyBudget(maxBytes: number): BodyBudget {
  const perHolder = new Map<Holder, number>()
  let total = 0

  function add(holder: Holder, bytes: number): void {
    total += bytes
    const sum = (perHolder.get(holder) ?? 0) + bytes
    if (sum > 0) perHolder.set(holder, sum)
    else perHolder.delete(holder)
  }

  return {
    take(holder, bytes) {
      if (total + bytes > maxBytes || (perHolder.get(holder) ?? 0) + bytes > maxBytes / 2) return undefined
      add(holder, bytes)
      let held = bytes
      const shrinkTo = (left: number) => {
        if (left >= held) return
        add(holder, left - held)
        held = left
      }
      return { shrinkTo, release: () => shrinkTo(0) }
    },
  }
}

/**
 * Refuses bodies beyond the budget before they are read (ADR 66). A body counts from then until its request is answered:
 * first what it announces, or what its route allows if it announces nothing, then what has arrived. Files are not
 * collected and do not count.
 */
export function limitBodies(app: FastifyInstance, budget: BodyBudget, log: Logger): void {
  const refusals = countedLog((fields) => log.warn(fields, 'request body refused: too many are held'))
  app.addHook('onClose', async () => refusals.close())
  const held = new WeakMap<FastifyRequest, Reservation>()
  // With callbacks: each request passes here, and most have no body.
  app.addHook('preParsing', (request, reply, payload, done) => {
    const bytes = collectedBytes(request)
    if (bytes === 0 || reply.raw.destroyed) return done(null, payload)
    const holder = holderOf(request)
    const reservation = budget.take(holder, bytes)
    if (!reservation) {
      refusals.count(String(holder), holderFields(holder))
      return done(tooManyBodies())
    }
    held.set(request, reservation)
    reply.raw.once('close', () => reservation.release())
    done(null, payload)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    if (Buffer.isBuffer(request.body)) held.get(request)?.shrinkTo(request.body.length)
    done()
  })
}

const tooManyBodies = () =>
  new AppError('service_unavailable', 'The service is temporarily unavailable', {
    headers: { 'retry-after': '1', connection: 'close' },
    isCounted: true,
  })

/** Bytes of the body that may have to be held; 0 if it is refused as too large or streams. */
function collectedBytes({ method, headers, routeOptions }: FastifyRequest): number {
  if (method === 'GET' || method === 'HEAD' || routeOptions.config.uploadBytes !== undefined) return 0
  const limit = routeOptions.bodyLimit ?? 0
  if (headers['transfer-encoding'] !== undefined) return limit
  const announced = Number(headers['content-length'] ?? 0)
  return announced > limit ? 0 : announced
}
