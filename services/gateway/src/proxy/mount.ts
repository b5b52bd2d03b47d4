import httpProxy from '@fastify/http-proxy'
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify'
import { replyOptions, type ResponseRules } from './responses.ts'

/** A service that does not accept a connection in this time counts as unreachable. */
const CONNECT_TIMEOUT_MS = 2_000

/** A service that is silent for this long within an endless response is gone: it sends a sign of life every 15 s. */
const SILENCE_MS = 60_000

export type Mount = ResponseRules & {
  method: string
  /** In the router's syntax. */
  urls: string[]
  /** Scheme, host and port of the service. */
  originOf: (request: FastifyRequest) => string
  config?: FastifyContextConfig
  /** The path for the service, from the URL of the request; by default that of the request. The query is unchanged. */
  pathOf?: (url: string) => string
  headersOf: (request: FastifyRequest) => Record<string, string>
  /** Milliseconds until the response must begin. */
  timeoutMs: number
  /** Milliseconds without a byte in either direction, after which the connection of the client ends. */
  stallMsOf?: (request: FastifyRequest) => number | undefined
  /** Milliseconds that a connection to a service may idle. */
  keepAliveMs: number
}

/**
 * Forwards one method of some URLs to services. A mount has connections of its own. There are few mounts, because each
 * has its own class of replies, and V8 is slow where it meets many classes (ADR 13).
 */
export function mount(scope: FastifyInstance, to: Mount): void {
  const { method, urls, config, pathOf, stallMsOf, guard } = to
  scope.register(httpProxy, {
    upstream: '',
    routes: urls,
    httpMethods: [method],
    ...(config && { config }),
    ...(pathOf && { preRewrite: pathOf }),
    ...(stallMsOf && {
      preHandler: (request, _reply, done) => {
        const stallMs = stallMsOf(request)
        if (stallMs !== undefined) request.raw.setTimeout(stallMs)
        done()
      },
    }),
    undici: {
      // Each endless response keeps a connection to itself. The services limit how many there are.
      connections: guard ? 10_000 : 256,
      keepAliveTimeout: to.keepAliveMs,
      keepAliveMaxTimeout: to.keepAliveMs, // a service may offer longer, and would have closed the connection by then
      connect: { timeout: CONNECT_TIMEOUT_MS, rejectUnauthorized: true }, // the plugin would accept any certificate
      ...(guard && { headersTimeout: to.timeoutMs, bodyTimeout: SILENCE_MS }),
    },
    destroyAgent: true,
    disableCache: true, // it caches URLs, which contain ids here
    disableRequestLogging: true,
    internalRewriteLocationHeader: false,
    // The gateway reads bodies whole, up to 1 MiB, so that a slow client does not hold a connection to a service.
    proxyPayloads: false,
    ...(method !== 'GET' && to.body !== 'stream' && { handler: to.body ? sendBytes : sendNothing }),
    replyOptions: {
      ...replyOptions(to),
      getUpstream: (request) => to.originOf(request as FastifyRequest),
      rewriteRequestHeaders: (request) => to.headersOf(request as FastifyRequest),
      ...(!guard && { timeout: to.timeoutMs }),
    },
  })
}

type Handler = NonNullable<httpProxy.FastifyHttpProxyOptions['handler']>

/** The plugin's own handler would write bytes as JSON. With a `contentType` it leaves them as they are. */
const sendBytes: Handler = (request, reply, path, options) =>
  reply.from(path, { ...options, body: request.body ?? null, contentType: 'application/octet-stream' })

/** Drops the body, if the client sent one. */
const sendNothing: Handler = (_request, reply, path, options) => reply.from(path, { ...options, body: null })
