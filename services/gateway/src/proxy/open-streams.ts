import { invalidToken } from '@whereabouts/service-kit/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PassThrough, type Readable } from 'node:stream'
import type { Authenticate } from '../auth/authenticator.ts'
import { readBearer } from '../auth/bearer.ts'

export type OpenStreams = {
  /** What to send instead of an endless answer: the same, until its caller may no longer have it. */
  guard(request: FastifyRequest, reply: FastifyReply, source: Readable): Readable
  /** Ends all, and those that come late: their clients connect again, to another gateway. */
  close(): void
}

/** A revocation binds within a second. While the view is current a look costs next to nothing. */
const LOOK_MS = 500
/** How long a client may take to read what it had been sent before the end. */
const LAST_BYTES_MS = 1_000

/** What waits here for a slow client; the rest waits in the service, which ends whoever falls behind. */
const WAITING_BYTES = 16 * 1024

type Stream = { end(): void; look(): Promise<void> }

/**
 * A request is authenticated when it begins; an answer that goes on for an hour has to be looked after. It ends with
 * the token, and as soon as the token would no longer be let in: also when nobody can tell, since a request is refused
 * then as well.
 */
export function openStreams(authenticate: Authenticate): OpenStreams {
  const streams = new Set<Stream>()
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  function add(stream: Stream): void {
    streams.add(stream)
    timer ??= setInterval(() => {
      for (const each of streams) void each.look()
    }, LOOK_MS).unref()
  }

  function remove(stream: Stream): void {
    streams.delete(stream)
    if (streams.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    guard(request, reply, source) {
      const { stream, passed } = guarded(request, reply, source, authenticate)
      add(stream)
      passed.once('close', () => remove(stream))
      if (isClosed) stream.end()
      return passed
    },

    close() {
      isClosed = true
      for (const stream of streams) stream.end()
    },
  }
}

function guarded(
  request: FastifyRequest,
  reply: FastifyReply,
  source: Readable,
  authenticate: Authenticate,
): { stream: Stream; passed: Readable } {
  const { caller } = request
  if (!caller) throw invalidToken()
  const token = readBearer(request.headers)
  const passed = new PassThrough({ highWaterMark: WAITING_BYTES })
  let isLooking = false

  function end(): void {
    if (passed.writableEnded) return
    source.unpipe(passed)
    passed.end()
    source.destroy()
    const late = setTimeout(() => reply.raw.destroy(), LAST_BYTES_MS).unref()
    reply.raw.once('close', () => clearTimeout(late))
  }

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    await authenticate(token).catch(end)
    isLooking = false
  }

  const expiry = setTimeout(end, caller.expiresAt * 1000 - Date.now()).unref()
  source.on('error', (error) => {
    if (!passed.writableEnded) passed.destroy(error)
  })
  source.pipe(passed)
  passed.once('close', () => {
    clearTimeout(expiry)
    source.destroy()
  })
  return { stream: { end, look }, passed }
}
