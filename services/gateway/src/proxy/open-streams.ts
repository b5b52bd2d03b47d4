import { invalidToken } from '@whereabouts/service-kit/errors/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PassThrough, type Readable } from 'node:stream'
import type { Authenticate } from '../auth/authenticator.ts'
import { readBearer } from '../auth/bearer.ts'

export type OpenStreams = {
  /** The stream to send instead of an endless response: the same, until its caller loses access. */
  guard: (request: FastifyRequest, reply: FastifyReply, source: Readable) => Readable
  /** Ends all streams, and new ones at once: their clients reconnect, to another gateway. */
  close(): void
}

/** A revocation binds within a second. While the view is current, a check costs almost nothing. */
const CHECK_MS = 500
/** How long a client may take to read the last bytes. */
const LAST_BYTES_MS = 1_000

/** The buffer for a slow client. The service buffers the rest, and ends a stream that falls behind. */
const BUFFER_BYTES = 16 * 1024

type Stream = { end(): void; check(): Promise<void> }

/**
 * Authenticates the callers of endless responses again and again. A stream ends when its token expires or would be
 * refused, and also when the token cannot be checked, because a request is refused then as well.
 */
export function openStreams(authenticate: Authenticate): OpenStreams {
  const streams = new Set<Stream>()
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  function add(stream: Stream): void {
    streams.add(stream)
    timer ??= setInterval(() => {
      for (const each of streams) void each.check()
    }, CHECK_MS).unref()
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
  const passed = new PassThrough({ highWaterMark: BUFFER_BYTES })
  let isChecking = false

  function end(): void {
    if (passed.writableEnded) return
    source.unpipe(passed)
    passed.end()
    source.destroy()
    const late = setTimeout(() => reply.raw.destroy(), LAST_BYTES_MS).unref()
    reply.raw.once('close', () => clearTimeout(late))
  }

  async function check(): Promise<void> {
    if (isChecking) return
    isChecking = true
    await authenticate(token).catch(end)
    isChecking = false
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
  return { stream: { end, check }, passed }
}
