import { AppError } from '@whereabouts/service-kit/errors/app-error'
import { countedLog } from '@whereabouts/service-kit/observe/counted-log'
import type { Logger } from '@whereabouts/service-kit/observe/logging'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { holderFields, holderOf, type Holder } from './holder.ts'

export type BodyBudget = {
  /** Reserves bytes for a body of a holder. Undefined if there is no room, and no other body may end for it. */
  take(holder: Holder, bytes: number, body?: ArrivingBody): Reservation | undefined
}
/** A body that may end for that of another holder until it has arrived. */
type ArrivingBody = {
  /** Bytes by which it is ahead of the least rate. */
  lead(): number
  end(): void
}
type Reservation = {
  /** The body has arrived, and it has this many bytes. */
  shrinkTo(bytes: number): void
  release(): void
}
/** What one holder has: bytes, and how to release the bodies that are arriving. */
type Share = { sum: number; arriving: Map<ArrivingBody, () => void> }

/**
 * Bytes of bodies that the gateway may hold at a time (ADR 66). Beyond its first body, a holder never has more than
 * what is left: one has at most half, and n leave 1/(n+1). If that is used up too, the slowest bodies of the holder with
 * most end for one that has nothing, or less than half as much.
 */
export function bodyBudget(maxBytes: number): BodyBudget {
  const shares = new Map<Holder, Share>()
  let free = maxBytes

  function add(holder: Holder, bytes: number): Share {
    const share = shares.get(holder) ?? { sum: 0, arriving: new Map() }
    free -= bytes
    share.sum += bytes
    if (share.sum > 0) shares.set(holder, share)
    else shares.delete(holder)
    return share
  }

  /** Ends slow bodies of others until there is room. */
  function makeRoom(own: number, bytes: number): boolean {
    while (bytes > free) {
      const next = slowestOfLargest(shares.values())
      if (!next || (own > 0 && 2 * (own + bytes) > next.sum)) return false
      next.release()
      next.body.end()
    }
    return true
  }

  return {
    take(holder, bytes, body) {
      const own = shares.get(holder)?.sum ?? 0
      if (bytes > maxBytes || (own > 0 && bytes <= free && own + bytes > free - bytes)) return undefined
      if (!makeRoom(own, bytes)) return undefined
      const { arriving } = add(holder, bytes)
      let held = bytes
      const shrinkTo = (left: number) => {
        if (body) arriving.delete(body)
        if (left >= held) return
        add(holder, left - held)
        held = left
      }
      const release = () => shrinkTo(0)
      if (body) arriving.set(body, release)
      return { shrinkTo, release }
    },
  }
}

type Candidate = { sum: number; lead: number; body: ArrivingBody; release: () => void }

/** The slowest of the bodies that may end, of the holder with most. */
function slowestOfLargest(shares: Iterable<Share>): Candidate | undefined {
  let found: Candidate | undefined
  for (const { sum, arriving } of shares) {
    if (found && sum < found.sum) continue
    for (const [body, release] of arriving) {
      const lead = body.lead()
      if (!found || sum > found.sum || lead < found.lead) found = { sum, lead, body, release }
    }
  }
  return found
}

/**
 * Refuses bodies beyond the budget before they are read (ADR 66). Requests without a credential have a quarter of it to
 * themselves. A body counts until its request is answered: first what it announces, or what its route allows if it
 * announces nothing, then what has arrived. Files are not collected and do not count.
 */
export function limitBodies(app: FastifyInstance, maxBytes: number, log: Logger): void {
  const strangers = bodyBudget(maxBytes / 4)
  const organizations = bodyBudget(maxBytes - maxBytes / 4)
  const refusals = countedLog((fields) => log.warn(fields, 'request body refused: too many are held'))
  app.addHook('onClose', async () => refusals.close())
  const held = new WeakMap<FastifyRequest, Reservation>()
  // With callbacks: each request passes here, and most have no body.
  app.addHook('preParsing', (request, reply, payload, done) => {
    const bytes = collectedBytes(request)
    if (bytes === 0 || reply.raw.destroyed) return done(null, payload)
    const holder = holderOf(request)
    const refuse = () => {
      refusals.count(String(holder), holderFields(holder))
      return tooManyBodies()
    }
    const reservation = (typeof holder === 'number' ? organizations : strangers).take(holder, bytes, {
      lead: () => request.bodyLead?.() ?? 0,
      end: () => endBody(request, refuse()),
    })
    if (!reservation) return done(refuse())
    held.set(request, reservation)
    reply.raw.once('close', () => reservation.release())
    done(null, payload)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    if (Buffer.isBuffer(request.body)) held.get(request)?.shrinkTo(request.body.length)
    done()
  })
}

/** The parser of a body sends the error. If there is none, the request was refused, and its body is read for nothing. */
function endBody({ raw }: FastifyRequest, error: AppError): void {
  if (raw.listenerCount('error') > 0) raw.emit('error', error)
  else raw.destroy()
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
