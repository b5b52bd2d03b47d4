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
    /** This step of the trace, under the request's id; undefined where the request could not even be read. */
    trace: Trace | undefined
  }
  interface FastifyContextConfig {
    operationId?: string
  }
  interface FastifyInstance {
    /** From now on every answer ends its connection. Requests are still taken, on old and new connections. */
    endConnections(): void
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
  /** Strangers call here: whether a trace is recorded is not theirs to say. */
  isPublic?: boolean
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

/** A connection that is kept open after its last answer would hold up the shutdown until it has been idle for long. */
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

/** Below the sender's step; the request id goes into every message that this request causes. */
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
