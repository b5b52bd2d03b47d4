import type { Principal } from '@whereabouts/contracts/principal'
import fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Socket } from 'node:net'
import { BODY_TIMES, limitBodyTime, type BodyTimes } from './body-time.ts'
import { handleError } from './error-handler.ts'
import { unknownRoute } from './errors.ts'
import type { Logger } from './logging.ts'
import { httpHistogram, type Registry } from './metrics.ts'
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined
  }
  interface FastifyContextConfig {
    operationId?: string
  }
}

/** Bodies over this are 413 (D2). */
export const MAX_BODY_BYTES = 1024 * 1024

/**
 * A request whose head does not come in time ends its connection; Node would give it a minute and look every half.
 * Node answers a missing `Host` by itself, without body or CORS headers; the gateway refuses it in the envelope.
 */
const SERVER_OPTIONS = {
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  requireHostHeader: false,
}

/** What the public port does differently: it stands before proxies, and answers for malformed requests itself. */
export type EdgeOptions = {
  trustProxy?: false | string[]
  frameworkErrors?: (error: Error, request: FastifyRequest, reply: FastifyReply) => unknown
  clientErrorHandler?: (error: Error, socket: Socket) => void
  bodyTimes?: BodyTimes
}

/**
 * The Fastify instance every service starts from: request ids, the error envelope for whatever fails, bodies as
 * bytes, one log line and one measurement per request. It listens on nothing yet.
 */
export function createServer(
  { log, registry }: { log: Logger; registry: Registry },
  edge: EdgeOptions = {},
): FastifyInstance {
  const bodyTimes = edge.bodyTimes ?? BODY_TIMES
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    bodyLimit: MAX_BODY_BYTES,
    genReqId: (request) => requestIdOf(request.headers),
    routerOptions: { querystringParser: () => ({}), maxParamLength: 300 }, // serve reads the raw query itself
    forceCloseConnections: 'idle',
    requestTimeout: bodyTimes.uploadMs,
    http: SERVER_OPTIONS,
    frameworkErrors: (error, request, reply) =>
      void (edge.frameworkErrors ?? handleError)(
        error,
        request as unknown as FastifyRequest,
        reply as unknown as FastifyReply,
      ),
    ...(edge.clientErrorHandler && { clientErrorHandler: edge.clientErrorHandler }),
    trustProxy: edge.trustProxy ?? false,
  }) as unknown as FastifyInstance
  // Another expectation than `100-continue` is none of ours; Node would answer 417 by itself, outside the envelope.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.decorateRequest('principal', undefined)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler(handleError)
  app.setNotFoundHandler((request) => {
    throw unknownRoute(request.url.split('?', 1)[0] ?? request.url)
  })
  observe(app, registry)
  limitBodyTime(app, bodyTimes)
  endConnectionsOnClose(app)
  return app
}

/** A connection that is kept open after its last answer would hold up the shutdown until it has been idle for long. */
function endConnectionsOnClose(app: FastifyInstance): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onSend', async (_request, reply) => {
    if (closing) reply.header('connection', 'close')
  })
}

function observe(app: FastifyInstance, registry: Registry): void {
  const histogram = httpHistogram(registry)
  app.addHook('onRequest', async (request, reply) => {
    reply.header(REQUEST_ID_HEADER, request.id)
  })
  app.addHook('onResponse', async (request, reply) => {
    const operation = request.routeOptions.config?.operationId ?? 'none'
    const labels = { operation, method: request.method, status: String(reply.statusCode) }
    histogram.observe(labels, reply.elapsedTime / 1000)
    const line = {
      operation,
      method: request.method,
      status: reply.statusCode,
      org_id: request.principal?.orgId,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
    }
    if (reply.statusCode >= 500) request.log.error(line, 'request')
    else request.log.info(line, 'request')
  })
}
