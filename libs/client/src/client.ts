import createFetchClient, { type Client as FetchClient } from 'openapi-fetch'
import type { operations, paths } from './api.d.ts'
import { errorOf } from './errors.ts'

export { ApiError, ConnectionError, type ErrorBody } from './errors.ts'
export type { components, operations, paths } from './api.d.ts'

/**
 * All operations of the API, as in `client.GET('/api/v1/assets', …)`. A call resolves with `{ data }` or `{ error }`.
 */
export type Client = FetchClient<paths>

export type ClientOptions = {
  /** The address before `/api/v1`, such as `https://api.example.com`. */
  baseUrl: string
  /** An access token that does not change. For changing tokens use `getToken`. */
  token?: string
  /** Called before each request. If it returns undefined, the request has no token. */
  getToken?: () => Promise<string | undefined> | string | undefined
  fetch?: (request: Request) => Promise<Response>
  /** The name of the calling product. The API refuses the defaults of HTTP libraries. */
  userAgent?: string
  /** Sends tokens and credentials over `http:` to other machines, where anybody on the way can read them. */
  allowInsecureHttp?: boolean
}

const USER_AGENT = 'whereabouts-client/1'
const ALLOW = 'allow it (allowInsecureHttp, or --insecure-http of the command)'

/**
 * The typed client, for Node and browsers. Browsers send their own User-Agent: setting one would cause a preflight for
 * each request, which would refuse it. Outside of browsers, throws `TypeError` for an address that is `http:` and on another machine.
 */
export function createClient(options: ClientOptions): Client {
  const inBrowser = 'window' in globalThis
  if (!inBrowser && options.allowInsecureHttp !== true && isInsecureHttp(options.baseUrl))
    throw new TypeError(`${options.baseUrl} would send the key unencrypted. Use https, or ${ALLOW}.`)
  const client = createFetchClient<paths>({
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    ...(options.fetch && { fetch: options.fetch }),
  })
  client.use({
    async onRequest({ request }) {
      if (!inBrowser) request.headers.set('user-agent', options.userAgent ?? USER_AGENT)
      if (request.method === 'PATCH') request.headers.set('content-type', 'application/merge-patch+json')
      const token = options.getToken ? await options.getToken() : options.token
      if (token !== undefined) request.headers.set('authorization', `Bearer ${token}`)
      return request
    },
  })
  return client
}

/** Whether this is an `http:` address of another machine. */
function isInsecureHttp(baseUrl: string): boolean {
  if (!URL.canParse(baseUrl)) return false // no request can be sent to it
  const { protocol, hostname } = new URL(baseUrl)
  return protocol === 'http:' && !/^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
}

/** Returns the data of a response. Throws `ApiError` for an error. */
export function unwrap<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.response.ok) return answer.data as T
  throw errorOf(answer.response, answer.error)
}

export type Reply<K extends keyof operations> = operations[K] extends {
  responses: { 200: { content: { 'application/json': infer Body } } }
}
  ? Body
  : never

/** Exchanges an API key for an access token that is valid for 15 minutes. Throws `ApiError`. */
export async function exchangeKey(
  client: Client,
  key: { clientId: string; clientSecret: string },
): Promise<Reply<'createToken'>> {
  const body = {
    grant_type: 'client_credentials',
    client_id: key.clientId,
    client_secret: key.clientSecret,
  } as const
  return unwrap(await client.POST('/api/v1/oauth/token', { body }))
}
