import createFetchClient, { type Client as FetchClient } from 'openapi-fetch'
import type { components, operations, paths } from './api.d.ts'

export type { components, operations, paths } from './api.d.ts'

/** Every operation of the API as `client.GET('/api/v1/assets', …)`; a call resolves with `{ data }` or `{ error }`. */
export type Client = FetchClient<paths>

export type ClientOptions = {
  /** `https://api.example.com`: the address before `/api/v1`. */
  baseUrl: string
  /** An access token that does not change; `getToken` is for those that do. */
  token?: string
  /** Asked before every request; undefined sends the request without a token. */
  getToken?: () => Promise<string | undefined> | string | undefined
  fetch?: (request: Request) => Promise<Response>
  /** Names the product that calls: the API refuses the defaults of HTTP libraries. */
  userAgent?: string
}

const USER_AGENT = 'whereabouts-client/1'

/**
 * The typed client. Runs in Node and in browsers, which send their own User-Agent: naming one there would only make
 * every request need a preflight that refuses it.
 */
export function createClient(options: ClientOptions): Client {
  const client = createFetchClient<paths>({
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    ...(options.fetch && { fetch: options.fetch }),
  })
  const inBrowser = 'window' in globalThis
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

export type ErrorBody = components['schemas']['Error']['error']

/** An answer that is not 2xx, as an exception. `error` is undefined when the answer was not the API's own envelope. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly error: ErrorBody | undefined

  constructor(status: number, error: ErrorBody | undefined) {
    super(error ? `${error.type}: ${error.detail} (request ${error.request_id})` : `HTTP status ${status}`)
    this.status = status
    this.error = error
  }
}

/** The data of an answer; throws `ApiError` for an error. */
export function unwrap<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.response.ok) return answer.data as T
  const envelope = answer.error as Partial<components['schemas']['Error']> | undefined
  throw new ApiError(answer.response.status, envelope?.error)
}

type Reply<K extends keyof operations> = operations[K] extends {
  responses: { 200: { content: { 'application/json': infer Body } } }
}
  ? Body
  : never

/** Signs a user in. The access token lives one hour; the refresh token is good for one use. Throws `ApiError`. */
export async function signIn(
  client: Client,
  credentials: { email: string; password: string },
): Promise<Reply<'logIn'>['data']> {
  return unwrap(await client.POST('/api/v1/auth/login', { body: credentials })).data
}

/** Exchanges an API key for an access token that lives 15 minutes. Throws `ApiError`. */
export async function exchangeKey(
  client: Client,
  key: { clientId: string; clientSecret: string },
): Promise<Reply<'issueToken'>> {
  const body = {
    grant_type: 'client_credentials',
    client_id: key.clientId,
    client_secret: key.clientSecret,
  } as const
  return unwrap(await client.POST('/api/v1/oauth/token', { body }))
}
