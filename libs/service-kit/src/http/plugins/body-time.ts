import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

/** How long a client may take to send the body of one request. `graceMs`: after this time, the least rate applies. */
export type BodyTimes = { bodyMs: number; uploadMs: number; graceMs: number }

/** 64 MiB in 15 minutes are 75 KiB per second. */
export const BODY_TIMES: BodyTimes = { bodyMs: 60_000, graceMs: 3_000, uploadMs: 15 * 60_000 }

/** The least rate of a body that is not a file: 1 KiB per second. */
const BYTES_PER_MS = 1_024 / 1_000

/** A connection that ends with an answer is closed after this time, also if the client does not close it. */
const LAST_BYTES_MS = 1_000

declare module 'fastify' {
  interface FastifyRequest {
    /** Bytes by which the body is ahead of the least rate. Below 0 it is too slow. */
    bodyLead: (() => number) | undefined
  }
}

/**
 * Limits how long a body may take. Node has one limit for all requests of a server, which is set for uploads. These are
 * the shorter limits for all other bodies. They end the same way: with a `clientError`, which the public port answers
 * itself.
 */
export const bodyTime = fp(
  async (app: FastifyInstance, { bodyMs, graceMs }: BodyTimes) => {
    app.decorateRequest('bodyLead', undefined)
    app.addHook('onRequest', async (request, reply) => {
      if (!hasBody(request) || request.routeOptions.config?.uploadBytes !== undefined) return
      const { raw } = request
      const lead = leadOf(request, graceMs)
      const end = () => {
        stop()
        if (reply.raw.headersSent) raw.destroy()
        else {
          app.server.emit('clientError', requestTimeout(), raw.socket)
          setTimeout(() => raw.socket.destroy(), LAST_BYTES_MS).unref()
        }
      }
      // Twice in a row: after a pause of this process, a timer runs before the bytes that have arrived are read.
      let wasSlow = false
      const check = () => {
        const isSlow = lead() < 0
        if (isSlow && wasSlow) end()
        wasSlow = isSlow
      }
      const late = setTimeout(end, bodyMs).unref()
      const watch = setInterval(check, graceMs / 3).unref()
      const stop = () => {
        clearTimeout(late)
        clearInterval(watch)
      }
      raw.once('end', stop).once('close', stop)
    })
  },
  { name: 'body-time' },
)

/** Follows the body of a request from now on. Time in which we do not read is not the client's. */
function leadOf(request: FastifyRequest, graceMs: number): () => number {
  const { raw } = request
  const before = raw.socket.bytesRead
  let [elapsedMs, last] = [0, performance.now()]
  request.bodyLead = () => {
    const now = performance.now()
    if (raw.readableFlowing === true && !raw.complete) elapsedMs += now - last
    last = now
    return raw.socket.bytesRead - before - (elapsedMs - graceMs) * BYTES_PER_MS
  }
  return request.bodyLead
}

const hasBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const requestTimeout = () => Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
