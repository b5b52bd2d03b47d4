import httpProxy from '@fastify/http-proxy'
import { clientLeft, RequestClient } from '@whereabouts/service-kit/observe/request-client'
import { currentTrace, rootTrace, withTrace } from '@whereabouts/service-kit/observe/trace'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Agent, type Dispatcher } from 'undici'
import type { PlacesAt } from './places.ts'
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
  placesAt: PlacesAt
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
    undici: connectionsOf({
      // Other requests have places. Endless responses and files do not: the services limit how many there are.
      connections: 10_000,
      keepAliveTimeout: to.keepAliveMs,
      keepAliveMaxTimeout: to.keepAliveMs, // a service may offer longer, and would have closed the connection by then
      connect: { timeout: CONNECT_TIMEOUT_MS },
      ...(guard && { headersTimeout: to.timeoutMs, bodyTimeout: SILENCE_MS }),
    }),
    destroyAgent: true,
    disableCache: true, // it caches URLs, which contain ids here
    disableRequestLogging: true,
    internalRewriteLocationHeader: false,
    // The gateway reads bodies whole, up to 1 MiB, so that a slow client does not hold a connection to a service.
    proxyPayloads: false,
    handler: forward(to),
    replyOptions: {
      ...replyOptions(to),
      getUpstream: (request) => to.originOf(request as FastifyRequest),
      rewriteRequestHeaders: (request) => to.headersOf(request as FastifyRequest),
      ...(!guard && { timeout: to.timeoutMs }),
    },
  })
}

type Handler = NonNullable<httpProxy.FastifyHttpProxyOptions['handler']>

/** Forwards a request when it has a place. A read ends when its client leaves. */
function forward(to: Mount): Handler {
  const send = senderOf(to)
  // The services limit endless responses and files, which may take long.
  const isLong = (request: FastifyRequest) => to.guard !== undefined || to.stallMsOf?.(request) !== undefined
  const enter = to.placesAt(to.upstreamOf)
  return (request, rawReply, path, options) => {
    const reply = rawReply as FastifyReply // this server is HTTP/1
    const client = new RequestClient(reply.raw)
    const sendNow = () =>
      to.method === 'GET'
        ? withTrace({ ...(request.trace ?? rootTrace()), client }, () =>
            send(request, rawReply, path, options),
          )
        : send(request, rawReply, path, options)
    const turn = isLong(request) ? undefined : enter(request, reply, client)
    if (!turn) return sendNow()
    turn.then(sendNow).catch((error: unknown) => reply.send(error))
    return reply
  }
}

function senderOf({ method, body }: Mount): Handler {
  if (method === 'GET' || body === 'stream')
    return (_request, reply, path, options) => reply.from(path, options)
  return body ? sendBytes : sendNothing
}

/** The plugin's own handler would write bytes as JSON. With a `contentType` it leaves them as they are. */
const sendBytes: Handler = (request, reply, path, options) =>
  reply.from(path, { ...options, body: request.body ?? null, contentType: 'application/octet-stream' })

/** Drops the body, if the client sent one. */
const sendNothing: Handler = (_request, reply, path, options) => reply.from(path, { ...options, body: null })

type Connections = Extract<NonNullable<httpProxy.FastifyHttpProxyOptions['undici']>, { request: unknown }>
type Callback = (error: Error | null, response: Dispatcher.ResponseData) => void

/** The client as an emitter of `abort`, which undici takes instead of a signal and which costs less. */
class Leave {
  readonly #client: RequestClient
  #stop: (() => void) | undefined

  constructor(client: RequestClient) {
    this.#client = client
  }
  get aborted(): boolean {
    return this.#client.hasLeft
  }
  get reason(): Error {
    return clientLeft()
  }
  once(_event: 'abort', listener: () => void): void {
    this.#stop = this.#client.onLeave(listener)
  }
  removeListener(): void {
    this.#stop?.()
  }
  /** Undici tells an emitter by this method. */
  on(): never {
    throw new Error('undici listens once')
  }
}

function leaveOf(client: RequestClient | undefined) {
  return client ? (new Leave(client) as unknown as AbortSignal) : null
}

/** Connections of a mount. The plugin knows no signals, so that of the client comes with the trace. */
function connectionsOf(options: Agent.Options): Connections {
  const agent = new Agent({ ...options, pipelining: 1 })
  const connections = {
    request: (sent: Dispatcher.RequestOptions, callback: Callback) =>
      agent.request({ ...sent, signal: leaveOf(currentTrace()?.client) }, callback),
    destroy: () => agent.destroy(),
  }
  return connections as unknown as Connections // its types are those of an older undici
}
