import type { FastifyInstance, FastifyRequest } from 'fastify'

/** How long a client may take to send the body of one request. */
export type BodyTimes = { bodyMs: number; uploadMs: number }

/** 64 MiB in a quarter of an hour are 75 KiB a second. */
export const BODY_TIMES: BodyTimes = { bodyMs: 60_000, uploadMs: 15 * 60_000 }

/**
 * Node knows one time for all requests of a server, and has that of uploads; the time of every other body is kept
 * here. It ends the same way: a `clientError`, for which the public port has its own answer.
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
