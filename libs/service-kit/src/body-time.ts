import type { FastifyInstance, FastifyRequest } from 'fastify'

/** How long a client may take to send the body of one request. */
export type BodyTimes = { bodyMs: number; uploadMs: number }

/** 64 MiB in 15 minutes are 75 KiB per second. */
export const BODY_TIMES: BodyTimes = { bodyMs: 60_000, uploadMs: 15 * 60_000 }

/**
 * Limits how long a body may take. Node has one limit for all requests of a server, which is set for uploads. This is
 * the shorter limit for all other bodies. It ends the same way: with a `clientError`, which the public port answers
 * itself.
 */
export function limitBodyTime(app: FastifyInstance, { bodyMs }: BodyTimes): void {
  app.addHook('onRequest', async (request, reply) => {
    if (!hasBody(request) || request.routeOptions.config?.uploadBytes !== undefined) return
    const { raw } = request
    const timer = setTimeout(() => {
      if (reply.raw.headersSent) raw.destroy()
      else app.server.emit('clientError', requestTimeout(), raw.socket)
    }, bodyMs).unref()
    const inTime = () => clearTimeout(timer)
    raw.once('end', inTime).once('close', inTime)
  })
}

const hasBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

const requestTimeout = () => Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
