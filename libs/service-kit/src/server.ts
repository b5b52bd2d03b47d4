import type { Principal } from '@whereabouts/contracts/principal'
import fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Socket } from 'node:net'
import { BODY_TIMES, limitBodyTime, type BodyTimes } from './body-time.ts'
import { handleError } from './error-handler.ts'
import { unknownRoute } from './errors.ts'
import type { Logger } from './logging.ts'
import { httpHistogram, type Registry } from './metrics.ts'
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts'
import { recordSpan, spanTime } from './spans.ts'
import { edgeTrace, traceOfMessage, type Trace } from './trace.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined
    /** The span of this request, with the request's id; undefined if the request could not be read. */
    trace: Trace | undefined
  }
  interface FastifyContextConfig {
    operationId?: string
  }
  interface FastifyInstance {
    /** From now on each answer ends its connection. Requests are still served, on old and new connections. */
    endConnections(): void
  }
}

/** A larger body is refused with 413 (D2). */
export const MAX_BODY_BYTES = 1024 * 1024

/**
 * The connection ends if the head of a request does not arrive in time. Node's defaults are a minute, checked every
 * 30 s. Node would answer a missing `Host` itself, without body and CORS headers, so that check is off; the gateway
 * refuses it with the envelope.
 */
const SERVER_OPTIONS = {
  headersTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
  requireHostHeader: false,
}

/** Options of the public port, which is behind proxies and answers malformed requests itself. */
export type EdgeOptions = {
  /** Callers are not trusted: they do not decide whether a trace is recorded. */
  isPublic?: boolean
  trustProxy?: false | string[]
  frameworkErrors?: (error: Error, request: FastifyRequest, reply: FastifyReply) => unknown
  clientErrorHandler?: (error: Error, socket: Socket) => void
  bodyTimes?: BodyTimes
}

/**
 * The Fastify instance of every service: request ids, the error envelope for all errors, bodies as bytes, one log
 * line and one measurement per request. It does not listen yet.
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
  // Expectations other than `100-continue` are ignored. Node would answer 417 itself, without the envelope.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.decorateRequest('principal', undefined)
  app.decorateRequest('trace', undefined)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.setErrorHandler(handleError)
  app.setNotFoundHandler((request) => {
    throw unknownRoute(request.url.split('?', 1)[0] ?? request.url)
  })
  observe(app, registry, edge.isPublic ?? false)
  limitBodyTime(app, bodyTimes)
  endConnectionsOnClose(app)
  return app
}

/** During a shutdown each answer ends its connection: an idle connection would delay the shutdown until its timeout. */
function endConnectionsOnClose(app: FastifyInstance): void {
  let ending = false
  const end = () => {
    ending = true
  }
  app.decorate('endConnections', end)
  app.addHook('preClose', async () => end())
  app.addHook('onSend', async (_request, reply) => {
    if (ending) reply.header('connection', 'close')
  })
}

function observe(app: FastifyInstance, registry: Registry, isPublic: boolean): void {
  const histogram = httpHistogram(registry)
  app.addHook('onRequest', async (request, reply) => {
    reply.header(REQUEST_ID_HEADER, request.id)
    request.trace = traceOf(request, isPublic)
  })
  app.addHook('onResponse', async (request, reply) => {
    const operation = request.routeOptions.config?.operationId ?? 'none'
    const labels = { operation, method: request.method, status: String(reply.statusCode) }
    histogram.observe(labels, reply.elapsedTime / 1000)
    recordRequest(request, reply, operation)
    const line = {
      operation,
      method: request.method,
      status: reply.statusCode,
      org_id: request.principal?.orgId,
      duration_ms: Math.round(reply.elapsedTime * 10) / 10,
      trace_id: request.trace?.traceId,
    }
    if (reply.statusCode >= 500) request.log.error(line, 'request')
    else request.log.info(line, 'request')
  })
}

/** A child of the sender's span. The request id goes into every message that this request causes. */
function traceOf({ headers, id }: FastifyRequest, isPublic: boolean): Trace {
  if (isPublic) return { ...edgeTrace(headers), requestId: id }
  return traceOfMessage({ traceparent: String(headers['traceparent'] ?? ''), request_id: id })
}

function recordRequest(request: FastifyRequest, reply: FastifyReply, operation: string): void {
  const status = reply.statusCode
  recordSpan(request.trace, {
    name: `${request.method} ${operation}`,
    kind: 'server',
    startedAt: spanTime() - reply.elapsedTime,
    attributes: {
      'http.request.method': request.method,
      'http.response.status_code': status,
      operation,
      org_id: request.principal?.orgId,
      request_id: request.id,
    },
    ...(status >= 500 && { failure: `answered ${status}` }),
  })
}
