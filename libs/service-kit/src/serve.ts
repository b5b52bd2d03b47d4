import {
  routePath,
  routesOf,
  type BodyOf,
  type OperationId,
  type OperationsOf,
  type ParamsOf,
  type QueryOf,
  type ReplyOf,
  type Routes,
} from '@whereabouts/contracts/routes'
import type { Principal } from '@whereabouts/contracts/principal'
import { PRINCIPAL_HEADER } from '@whereabouts/contracts/principal'
import {
  CSV_CONTENT_TYPE,
  CSV_MEDIA_TYPE,
  JSON_MEDIA_TYPE,
  TOTAL_COUNT_HEADER,
  type Route,
  type Upstream,
} from '@whereabouts/contracts/route'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { Readable } from 'node:stream'
import { prefers } from './accept.ts'
import { AppError } from './app-error.ts'
import { RequestClient } from './request-client.ts'
import { csvFile } from './csv.ts'
import { invalidToken, unsupportedMediaType } from './errors.ts'
import type { Logger } from './logging.ts'
import type { PrincipalVerifier } from './principal.ts'
import { decodeForm, decodeJsonObject, parsePairs } from './request-body.ts'
import { rootTrace, withTrace, type Trace } from './trace.ts'
import { checkAnnouncedSize, streamBodies, uploadConfig } from './upload.ts'
import { parsePageOrNothing, parsePart } from './validate.ts'

type Headers = Record<string, string>

/** A handler returns it to send headers with the body. */
export class Reply<T> {
  readonly body: T
  readonly headers: Headers
  constructor(body: T, headers: Headers) {
    this.body = body
    this.headers = headers
  }
}

export type Context<K extends OperationId> = {
  /** Undefined on routes that need no login. */
  principal: Routes[K]['access'] extends 'none' ? undefined : Principal
  params: ParamsOf<K>
  query: QueryOf<K>
  body: BodyOf<K>
  /** The bytes of the file as they arrive, on routes with `upload`. A handler need not read it to the end. */
  upload: Routes[K] extends { upload: object } ? Readable : undefined
  headers: FastifyRequest['headers']
  requestId: string
  log: Logger
  /** The caller's address as seen by the gateway. */
  clientAddress: string
}

export type Handler<K extends OperationId> = (context: Context<K>) => Promise<ReplyOf<K> | Reply<ReplyOf<K>>>

/** One handler per operation of the service: a row without one does not compile. */
export type Handlers<U extends Upstream> = { [K in OperationsOf<U>]: Handler<K> }

type AnyHandler = (context: Record<string, unknown>) => Promise<unknown>

/**
 * Registers the routes of the service, legacy ones below `/legacy`. Each request passes the steps of D2 in their order:
 * principal, media type, size, then path, query and body against the schemas of the row, then the handler.
 */
export function serve<U extends Upstream>(
  app: FastifyInstance,
  upstream: U,
  options: { verify: PrincipalVerifier; handlers: Handlers<U> },
): void {
  const handlers = options.handlers as unknown as Record<string, AnyHandler>
  serveRows(app, routesOf(upstream), { verify: options.verify, handlers })
}

/** `serve` without types, for rows that are not in the route table. */
export function serveRows(
  app: FastifyInstance,
  rows: Iterable<readonly [operationId: string, row: Route]>,
  { verify, handlers }: { verify: PrincipalVerifier; handlers: Readonly<Record<string, AnyHandler>> },
): void {
  for (const [operationId, row] of rows) {
    const handler = handlers[operationId]
    if (!handler) throw new Error(`${operationId} has no handler`)
    addRoute(app, row, {
      method: row.method,
      url: routePath(row).replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { operationId, ...uploadConfig(row) },
      onRequest: async (request) => {
        request.principal = await principalOf(row, request, verify)
        checkMediaType(row, request)
        checkAnnouncedSize(row, request)
      },
      handler: async (request, reply) => {
        const context = readRequest(row, request)
        return send(row, reply, await withTrace(scopeOf(row, request, reply), async () => handler(context)))
      },
    })
  }
}

/** Only reads end when their client leaves: a change that has begun is finished. */
function scopeOf(row: Route, request: FastifyRequest, reply: FastifyReply): Trace {
  const trace = request.trace ?? rootTrace()
  return row.method === 'GET' ? { ...trace, client: new RequestClient(reply.raw) } : trace
}

/** Rows with `upload` have their own scope, in which bodies are streams. */
function addRoute(app: FastifyInstance, row: Route, route: RouteOptions): void {
  if (!row.upload) app.route(route)
  else
    app.register(async (scope) => {
      streamBodies(scope)
      scope.route(route)
    })
}

async function principalOf(row: Route, request: FastifyRequest, verify: PrincipalVerifier) {
  if (row.access === 'none') return undefined
  const header = request.headers[PRINCIPAL_HEADER]
  const principal = await verify(typeof header === 'string' ? header : undefined)
  if (!principal) throw invalidToken()
  return principal
}

/** Throws 415 if the row takes a body and the body of the request has another media type. */
export function checkMediaType(row: Route, request: FastifyRequest): void {
  if (!row.body && !row.upload) return
  const allowed = row.upload?.mediaTypes ?? row.mediaTypes ?? [JSON_MEDIA_TYPE]
  if (!allowed.includes(mediaType(request))) throw unsupportedMediaType(allowed)
}

const mediaType = (request: FastifyRequest) =>
  (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

function readRequest(row: Route, request: FastifyRequest): Record<string, unknown> {
  return {
    principal: request.principal,
    params: row.params && parsePart(row.params, request.params, 'path'),
    query: readQuery(row, request),
    body: row.body && parsePart(row.body, readBody(row, request), 'body'),
    upload: row.upload && request.body,
    headers: request.headers,
    requestId: request.id,
    log: request.log,
    clientAddress: clientAddress(request),
  }
}

function readQuery(row: Route, request: FastifyRequest): unknown {
  const at = request.url.indexOf('?')
  const pairs = at === -1 ? {} : parsePairs(request.url.slice(at + 1))
  if (!pairs) throw new AppError('bad_request', 'The query string is not valid percent-encoded UTF-8')
  if (row.query && !row.hasFixedOrder) return parsePart(row.query, pairs, 'query')
  return parsePageOrNothing(row, pairs)
}

function readBody(row: Route, request: FastifyRequest): Record<string, unknown> {
  const bytes = request.body as Buffer | undefined
  const isForm = mediaType(request) === 'application/x-www-form-urlencoded'
  const body = isForm ? decodeForm(bytes) : decodeJsonObject(bytes)
  if (!row.emptyIsAbsent) return body
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ''))
}

function clientAddress(request: FastifyRequest): string {
  const forwarded = request.headers['x-forwarded-for']
  const list = Array.isArray(forwarded) ? forwarded.join(',') : forwarded
  return list?.split(',').at(-1)?.trim() ?? request.ip
}

async function send(row: Route, reply: FastifyReply, result: unknown): Promise<FastifyReply> {
  const answer = result instanceof Reply ? result : new Reply(result, {})
  reply.status(row.success.status).headers(answer.headers)
  if (row.success.download !== undefined) return sendFile(row.success.download, reply, answer.body)
  if (row.success.csv) return sendList(row.success.csv, reply, answer.body as List)
  return row.success.status === 204 ? reply.send() : reply.send(answer.body)
}

type List = { data: Parameters<typeof csvFile>[1]; total_count: number }

/** Sends CSV if the client prefers it, else JSON. */
function sendList(columns: readonly string[], reply: FastifyReply, list: List): FastifyReply {
  reply.header('vary', 'Accept')
  if (!prefers(reply.request.headers.accept, CSV_MEDIA_TYPE, JSON_MEDIA_TYPE)) return reply.send(list)
  reply.header(TOTAL_COUNT_HEADER, String(list.total_count))
  return reply.type(CSV_CONTENT_TYPE).send(csvFile(columns, list.data))
}

/**
 * Sends the file while it is made. A failure ends the connection, so that the client notices that the file is
 * incomplete. For HEAD no file is made.
 */
function sendFile(type: string | readonly string[], reply: FastifyReply, content: unknown): FastifyReply {
  const isHead = reply.request.method === 'HEAD'
  if (typeof type === 'string') reply.type(type)
  if (content instanceof Readable) {
    if (!isHead) return reply.send(content)
    content.destroy() // it may hold resources
  }
  const parts = isHead ? [] : (content as AsyncIterable<string>)
  return reply.send(Readable.from(parts, { objectMode: false }))
}
