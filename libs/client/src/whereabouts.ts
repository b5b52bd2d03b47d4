import { accessTokens, type AccessTokens } from './access-tokens.ts'
import { createClient, unwrap, type Client } from './client.ts'
import type { paths } from './api.d.ts'
import { retrying, type RetryOptions } from './retry.ts'
import { upsertAsset, upsertLocation, type Asset, type AssetFields, type Location } from './upsert.ts'
import type { LocationFields, Upserted } from './upsert.ts'

export type WhereaboutsOptions = RetryOptions & {
  /** The address before `/api/v1`, such as `https://api.example.com`. */
  baseUrl: string
  /** Of an API key. */
  clientId: string
  clientSecret: string
  /** Names your product, as in `my-warehouse/1.0`. Browsers send their own. */
  userAgent: string
  /** Default: that of the platform. */
  fetch?: (request: Request) => Promise<Response>
}

type Listed = { data: unknown[]; total_count: number }
type ListOf<P extends keyof paths> = paths[P] extends {
  get: {
    parameters: { query?: infer Query; path?: infer Path }
    responses: { 200: { content: { 'application/json': infer Body extends Listed } } }
  }
}
  ? { query: NonNullable<Query>; path: NonNullable<Path>; row: Body['data'][number] }
  : never

/** The paths that answer pages of a list. */
export type ListPath = { [P in keyof paths]: [ListOf<P>] extends [never] ? never : P }[keyof paths]
type Filters<P extends ListPath> = Omit<ListOf<P>['query'], 'limit' | 'offset'>
type PathParameters<P extends ListPath> = [ListOf<P>['path']] extends [never]
  ? { path?: never }
  : { path: ListOf<P>['path'] }

export type Whereabouts = {
  /**
   * All public operations, as in `api.GET('/api/v1/assets/{asset_id}', …)`: typed, with tokens, timeouts and retries. A call
   * resolves with `{ data }` or `{ error }`; `unwrap` returns the one and throws the other.
   */
  api: Client
  /**
   * The rows of all pages of a list, 200 at a time, without holding more than a page. Rows that others create or delete
   * meanwhile may shift: sort by a field that does not change. Throws `ApiError`.
   */
  rows<P extends ListPath>(
    path: P,
    request?: { query?: Filters<P> } & Partial<PathParameters<P>>,
  ): AsyncGenerator<ListOf<P>['row']>
  /**
   * Creates the asset with this key, or gives it these fields. What is left out stays as it is; `tags` are added, never taken
   * away. May be repeated, also by several programs at once. Throws `ApiError`, 409 if another asset or location has a tag.
   */
  upsertAsset(externalKey: string, fields: AssetFields): Promise<Upserted<Asset>>
  /** As `upsertAsset`. */
  upsertLocation(externalKey: string, fields: LocationFields): Promise<Upserted<Location>>
  /** Says that assets are at a location now: up to 10 000 keys, all or none. Throws `ApiError`. */
  saveInventory(assetKeys: readonly string[], locationKey: string): Promise<void>
}

const PAGE = 200

/**
 * The API for programs that have an API key. Exchanges it for tokens and renews them; repeats a request once with a new token
 * after a 401; waits and retries as `retrying` says. `unwrap` and everything here throw `ApiError`.
 */
export function createWhereabouts(options: WhereaboutsOptions): Whereabouts {
  const { baseUrl, clientId, clientSecret, userAgent } = options
  const send = retrying(options.fetch ?? ((request) => fetch(request)), options)
  const tokens = accessTokens(createClient({ baseUrl, userAgent, fetch: send }), { clientId, clientSecret })
  const api = createClient({ baseUrl, userAgent, fetch: authorized(send, tokens) })

  async function* rows<P extends ListPath>(
    path: P,
    { query, path: parameters }: { query?: Filters<P>; path?: unknown } = {},
  ): AsyncGenerator<ListOf<P>['row']> {
    const ask = api.GET as (
      path: P,
      init: object,
    ) => Promise<{ data?: Listed; error?: unknown; response: Response }>
    for (let offset = 0, total = 1; offset < total; offset += PAGE) {
      const params = { path: parameters, query: { ...query, limit: PAGE, offset } }
      const page = unwrap(await ask(path, { params }))
      total = page.total_count
      yield* page.data as ListOf<P>['row'][]
    }
  }

  return {
    api,
    rows,
    upsertAsset: (externalKey, fields) => upsertAsset(api, externalKey, fields),
    upsertLocation: (externalKey, fields) => upsertLocation(api, externalKey, fields),
    async saveInventory(assetKeys, locationKey) {
      const body = { asset_identifiers: [...assetKeys], location_identifier: locationKey }
      unwrap(await api.POST('/api/v1/inventory/save', { body }))
    },
  }
}

/** Sends requests with the current token, and once more with a new one after a 401. */
function authorized(send: (request: Request) => Promise<Response>, tokens: AccessTokens) {
  return async (request: Request): Promise<Response> => {
    const again = request.clone()
    const token = await tokens()
    request.headers.set('authorization', `Bearer ${token}`)
    const response = await send(request)
    if (response.status !== 401) return response
    await response.body?.cancel()
    again.headers.set('authorization', `Bearer ${await tokens.replace(token)}`)
    return send(again)
  }
}
