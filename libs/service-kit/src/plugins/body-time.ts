import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { IncomingMessage } from 'node:http'

/** How long a client may take to send the body of one request. `idleMs`: how long it may send no byte of it. */
export type BodyTimes = { bodyMs: number; uploadMs: number; idleMs: number }

/** 64 MiB in 15 minutes are 75 KiB per second. */
export const BODY_TIMES: BodyTimes = { bodyMs: 60_000, idleMs: 10_000, uploadMs: 15 * 60_000 }

/** A connection that ends with an answer is closed after this time, also if the client does not close it. */
const LAST_BYTES_MS = 1_000

/**
 * Limits how long a body may take. Node has one limit for all requests of a server, which is set for uploads. These are
 * the shorter limits for all other bodies. They end the same way: with a `clientError`, which the public port answers
 * itself.
 */
export const bodyTime = fp(
  async (app: FastifyInstance, { bodyMs, idleMs }: BodyTimes) => {
    app.addHook('onRequest', async (request, reply) => {
      if (!hasBody(request) || request.routeOptions.config?.uploadBytes !== undefined) return
      const { raw } = request
      const end = () => {
        stop()
        if (reply.raw.headersSent) raw.destroy()
        else {
          app.server.emit('clientError', requestTimeout(), raw.socket)
          setTimeout(() => raw.socket.destroy(), LAST_BYTES_MS).unref()
        }
      }
      const late = setTimeout(end, bodyMs).unref()
      const watch = setInterval(idleCheck(raw, idleMs, end), idleMs / 5).unref()
      const stop = () => {
        clearTimeout(late)
        clearInterval(watch)
      }
      raw.once('end', stop).once('close', stop)
    })
  },
  { name: 'body-time' },
)

/** Calls `end` after `idleMs` without a byte. Time in which we do not read is not the client's. */
function idleCheck(raw: IncomingMessage, idleMs: number, end: () => void): () => void {
  let [bytes, since] = [raw.socket.bytesRead, performance.now()]
  return () => {
    const { bytesRead } = raw.socket
    if (bytesRead !== bytes || raw.complete || raw.readableFlowing !== true)
      [bytes, since] = [bytesRead, performance.now()]
    else if (performance.now() - since >= idleMs) end()
  }
}

const hasBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const requestTimeout = () => Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
