import type { Principal } from '@whereabouts/contracts/principal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { httpHistogram, type Registry } from '../../observe/metrics.ts'
import { REQUEST_ID_HEADER } from '../request-id.ts'
import { recordSpan, spanTime } from '../../observe/spans.ts'
import { edgeTrace, traceOfMessage, type Trace } from '../../observe/trace.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined
    /** The span of this request, with the request's id; undefined if the request could not be read. */
    trace: Trace | undefined
  }
  interface FastifyContextConfig {
    operationId?: string
  }
}

/** `isPublic`: callers are not trusted, so they do not decide whether a trace is recorded. */
type Options = { registry: Registry; isPublic: boolean }

/** The request id in each response. One log line, one measurement and one span per request. */
export const observe = fp(
  async (app: FastifyInstance, { registry, isPublic }: Options) => {
    const histogram = httpHistogram(registry)
    app.decorateRequest('principal', undefined)
    app.decorateRequest('trace', undefined)
    app.addHook('onRequest', async (request, reply) => {
      reply.header(REQUEST_ID_HEADER, request.id)
      request.trace = traceOf(request, isPublic)
    })
    app.addHook('onResponse', async ({ routeOptions, method, principal, trace, id, log }, reply) => {
      const operation = routeOptions.config?.operationId ?? 'none'
      const { statusCode: status, elapsedTime } = reply
      const org_id = principal?.orgId
      histogram.observe({ operation, method, status: String(status) }, elapsedTime / 1000)
      recordSpan(trace, {
        name: `${method} ${operation}`,
        kind: 'server',
        startedAt: spanTime() - elapsedTime,
        attributes: {
          'http.request.method': method,
          'http.response.status_code': status,
          operation,
          org_id,
          request_id: id,
        },
        ...(status >= 500 && { failure: `answered ${status}` }),
      })
      const duration_ms = Math.round(elapsedTime * 10) / 10
      const line = { operation, method, status, org_id, duration_ms, trace_id: trace?.traceId }
      log[status >= 500 ? 'error' : 'info'](line, 'request')
    })
  },
  { name: 'observe' },
)

/** A child of the sender's span. The request id goes into every message that this request causes. */
function traceOf({ headers, id }: FastifyRequest, isPublic: boolean): Trace {
  if (isPublic) return { ...edgeTrace(headers), requestId: id }
  return traceOfMessage({ traceparent: String(headers['traceparent'] ?? ''), request_id: id })
}
