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
import type { Actor } from '@whereabouts/contracts/messages/audit'
import type { Principal } from '@whereabouts/contracts/principal'
import { sendsOn, type Route, type RouteTable, type Upstream } from '@whereabouts/contracts/route'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Readable } from 'node:stream'
import { unpack } from './headers/content-encoding.ts'
import { compress } from './headers/encoding.ts'
import { toAppError } from './error-handler.ts'
import {
  AnsweredBefore,
  isKept,
  keyedRequest,
  REPLAYED,
  type AnswerKeeper,
  type KeyedRequest,
} from './headers/idempotency.ts'
import type { Logger } from '../observe/logging.ts'
import type { PrincipalVerifier } from './principal.ts'
import { checkMediaType, clientAddress, readPrincipal, readRequest } from './read-request.ts'
import { RequestClient } from '../observe/request-client.ts'
import { sendReply, type ListText } from './send-reply.ts'
import { rootTrace, withTrace, type Trace } from '../observe/trace.ts'
import { checkAnnouncedSize, streamBodies, uploadConfig } from './upload.ts'

/** A handler returns it to send headers with the body. */
export class Reply<T> {
  readonly body: T
  readonly headers: Record<string, string>
  constructor(body: T, headers: Record<string, string>) {
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
  /** The bytes of a device's message, on routes with `message`. */
  message: Routes[K] extends { message: object } ? Buffer : undefined
  headers: FastifyRequest['headers']
  /** The header, on rows with `conditional`. */
  ifMatch?: string | undefined
  /** The name that the caller gave to the request, on rows with `idempotent`. */
  once?: KeyedRequest | undefined
  requestId: string
  log: Logger
  /** The caller's address as seen by the gateway. */
  clientAddress: string
  /** The client wants the headers alone. */
  isHead: boolean
}

export type Handler<K extends OperationId> = (
  context: Context<K>,
) => Promise<ReplyOf<K> | Reply<ReplyOf<K> | ListText | StreamOf<K>> | ListText>

/** On routes with `streamed`. */
type StreamOf<K extends OperationId> = Routes[K]['success'] extends { streamed: true } ? Readable : never

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
  options: { verify: PrincipalVerifier; handlers: Handlers<U>; answers?: AnswerKeeper },
): void {
  const handlers = options.handlers as unknown as Record<string, AnyHandler>
  serveRows(app, routesOf(upstream), { ...options, handlers })
}

type Options = {
  verify: PrincipalVerifier
  handlers: Readonly<Record<string, AnyHandler>>
  /** For rows with `idempotent`. */
  answers?: AnswerKeeper
}

/** Handlers of rows that are not in the route table, and that answer the gateway with a file. */
export type RowsHandlers<T extends RouteTable, U extends Upstream> = {
  [K in keyof T as T[K]['upstream'] extends U ? K : never]: (context: {
    principal: Principal
  }) => Promise<AsyncIterable<string>>
}

/** `serve` for the rows of a service in another table. */
export function serveRowsOf<T extends RouteTable, U extends Upstream>(
  app: FastifyInstance,
  upstream: U,
  table: T,
  options: { verify: PrincipalVerifier; handlers: RowsHandlers<T, U> },
): void {
  const rows = Object.entries(table).filter(([, row]) => row.upstream === upstream)
  const handlers = options.handlers as unknown as Record<string, AnyHandler>
  serveRows(app, rows, { ...options, handlers })
}

/** `serve` without types, for rows that are not in the route table. */
export function serveRows(
  app: FastifyInstance,
  rows: Iterable<readonly [operationId: string, row: Route]>,
  { verify, handlers, answers }: Options,
): void {
  for (const [operationId, row] of rows) {
    const handler = handlers[operationId]
    if (!handler) throw new Error(`${operationId} has no handler`)
    addRoute(app, row, {
      method: row.method,
      url: routePath(row).replaceAll(/\{(\w+)\}/g, ':$1'),
      config: { operationId, ...uploadConfig(row) },
      ...messageLimit(row),
      onSend: compress,
      onRequest: async (request) => {
        request.principal = await readPrincipal(row, request, verify)
        checkMediaType(row, request)
        checkAnnouncedSize(row, request)
      },
      handler: async (request, reply) => {
        const scope = scopeOf(row, request, reply)
        const result = await withTrace(scope, () => answered(row, request, answers, handler))
        if (!(result instanceof Reply)) return sendReply(row, reply, result)
        return sendReply(row, reply.headers(result.headers), result.body)
      },
    })
  }
}

/** What the handler returns, or what was answered to the request before (D12.8). */
async function answered(
  row: Route,
  request: FastifyRequest,
  answers: AnswerKeeper | undefined,
  handler: AnyHandler,
): Promise<unknown> {
  const { principal } = request
  const once = row.idempotent && principal && keyedRequest(request, principal)
  if (once === undefined) return handler(await contextOf(row, request))
  if (!answers) throw new Error('this service keeps no answers')
  try {
    await answers.answer(once)
    return await handler({ ...(await contextOf(row, request)), once })
  } catch (error) {
    if (error instanceof AnsweredBefore) return new Reply(error.body, { ...error.headers, ...REPLAYED })
    const refusal = toAppError(error)
    if (isKept(refusal)) await answers.keepRefusal(once, refusal)
    throw error
  }
}

async function contextOf(row: Route, request: FastifyRequest): Promise<Record<string, unknown>> {
  const context = readRequest(row, request)
  if (row.message) context['message'] = await unpack(request, row.message.maxBytes)
  return context
}

/** The limit of the body, for rows with `message`. */
export const messageLimit = ({ message }: Route) => (message ? { bodyLimit: message.maxBytes } : {})

/** Only reads end when their client leaves: a change that has begun is finished. */
function scopeOf(row: Route, request: FastifyRequest, reply: FastifyReply): Trace {
  const trace = request.trace ?? rootTrace()
  const client = row.method === 'GET' && !sendsOn(row) && { client: new RequestClient(reply.raw) }
  if (client && row.success.download === undefined) return { ...trace, ...client } // only files leave an audit row
  const actor = actorOf(request.principal)
  return { ...trace, ...client, caller: { ip: clientAddress(request), ...(actor && { actor }) } }
}

/** Named in the audit. */
function actorOf(principal: Principal | undefined): Actor | undefined {
  if (principal?.userId !== undefined) return { type: 'user', id: principal.userId }
  return principal?.keyId === undefined ? undefined : { type: 'key', id: principal.keyId }
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
