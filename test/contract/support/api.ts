import type { ErrorEnvelope } from '@whereabouts/contracts/errors'
import { JSON_MEDIA_TYPE, type Route } from '@whereabouts/contracts/route'
import { routePath, routes, type OperationId, type ReplyOf } from '@whereabouts/contracts/routes'
import { fromNewAddress } from '../../system/addresses.ts'
import type { Description } from './description.ts'
import { checkReply, isWebFilter } from './envelope.ts'
import { send, type HttpReply, type HttpRequest } from './http.ts'

type Value = string | number | boolean

export type CallOptions = {
  /** Path parameters by name; percent-encoded. */
  params?: Record<string, string | number>
  /** By name, or raw without the question mark. A list is sent as a repeated parameter. */
  query?: Record<string, Value | readonly Value[]> | string
  /** An object is sent as JSON; text and bytes are sent as they are. */
  body?: unknown
  /** An access token. Undefined or absent: no Authorization header. */
  token?: string | undefined
  /** Added last, so that they win; undefined leaves a header out. */
  headers?: Record<string, string | undefined>
  /** Instead of the row's own. */
  method?: string
}

/** Success and error fields together, so that a test can read either without a cast. */
type Body<T> = (T extends undefined ? object : T) & Partial<ErrorEnvelope> & { error: ErrorEnvelope['error'] }

export type Reply<T = object> = HttpReply & {
  /** The parsed JSON; an empty object where there is none. */
  body: Body<T>
}

export type Api = {
  /**
   * Calls an operation of the route table. Checks every reply against the general rules and the description, but a
   * reply to another method than the row's (or HEAD for GET) only against the general rules.
   */
  call<K extends OperationId>(operationId: K, options?: CallOptions): Promise<Reply<ReplyOf<K>>>
  /** Calls any path below the base URL. Checks only the general rules. Default method: GET. */
  request(path: string, options?: Omit<CallOptions, 'params' | 'query'>): Promise<Reply>
}

/** Operations that are limited by client address. Each call has its own address unless the test sets one. */
const ATTEMPTS = new Set<OperationId>([
  'signUp',
  'logIn',
  'describeInvitation',
  'acceptInvitation',
  'joinOrg',
  'createToken',
  'createLegacyToken',
  'changePassword',
  'resetPassword',
  'forgotPassword',
  'verifyEmail',
  'changeEmail',
  'confirmEmail',
  'deleteTotp',
  'provisionReader',
])

/** `base` is the public address, without a slash at its end. */
export function createApi(base: string, description: Description): Api {
  async function exchange<T>(request: HttpRequest): Promise<Reply<T>> {
    const reply = await send(base, request)
    checkReply(request, reply)
    return { ...reply, body: parse(reply) as Body<T> }
  }
  return {
    async call<K extends OperationId>(operationId: K, options: CallOptions = {}) {
      const row: Route = routes[operationId]
      const path = pathOf(row, options)
      const [mediaType] = (row.upload ?? row).mediaTypes ?? []
      const headers = { ...(ATTEMPTS.has(operationId) && fromNewAddress()), ...options.headers }
      const request = requestTo(path, { method: row.method, ...options, headers }, mediaType)
      const reply = await exchange<ReplyOf<K>>(request)
      const asDescribed = request.method === row.method || (request.method === 'HEAD' && row.method === 'GET')
      if (asDescribed && !isWebFilter(reply)) description.check(operationId, reply, request.method !== 'HEAD')
      return reply
    },
    request: (path, options = {}) => exchange(requestTo(path, options)),
  }
}

function parse({ text, headers }: HttpReply): unknown {
  const isJson = headers.get('content-type')?.startsWith('application/json')
  return isJson && text !== '' ? JSON.parse(text) : {}
}

/** The path of a row with its parameters filled in, and the query string. */
function pathOf(row: Route, { params = {}, query }: Pick<CallOptions, 'params' | 'query'>): string {
  const path = routePath(row).replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${row.path} needs the parameter ${name}`)
    return encodeURIComponent(value)
  })
  const text = queryText(query)
  return `${path}${text === '' ? '' : `?${text}`}`
}

function queryText(query: CallOptions['query'] = ''): string {
  if (typeof query === 'string') return query
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    (Array.isArray(value) ? value : [value]).map((one: Value) => [name, String(one)]),
  )
  return new URLSearchParams(pairs).toString()
}

function requestTo(path: string, options: CallOptions, mediaType: string = JSON_MEDIA_TYPE): HttpRequest {
  const { body, token, method = 'GET' } = options
  const isRaw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
  const headers = {
    'user-agent': 'contract-suite/1',
    ...(body !== undefined && { 'content-type': mediaType }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...options.headers,
  }
  const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return { method, path, headers: Object.fromEntries(sent), body: isRaw ? body : JSON.stringify(body) }
}
