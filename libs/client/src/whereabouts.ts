import { accessTokens } from './access-tokens.ts'
import { createClient, unwrap, type Client } from './client.ts'
import type { components, paths } from './api.d.ts'
import { consume, newestCursor, type ConsumeOptions } from './events.ts'
import {
  createExport,
  deleteExport,
  download,
  getExport,
  listExports,
  waitForExport,
  type Export,
  type ExportDetail,
  type ExportFile,
  type ExportRequest,
  type ExportWait,
} from './exports.ts'
import type { Movement } from './follow.ts'
import { follow, movements, type FollowOptions, type MovementsRequest } from './movements.ts'
import { retrying, type RetryOptions } from './retry.ts'
import {
  sync,
  type AssetItem,
  type AssetSyncOptions,
  type LocationItem,
  type SyncOptions,
  type SyncReport,
} from './sync.ts'
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
  /** Sends the key over `http:` to other machines, where anybody on the way can read it. */
  allowInsecureHttp?: boolean
  /** Default: that of the platform. */
  fetch?: (request: Request) => Promise<Response>
}

/** Some lists can also be followed with a cursor; a page has no total then. */
type Listed = { data: unknown[]; total_count?: number }
type ListOf<P extends keyof paths> = paths[P] extends {
  get: {
    parameters: { query?: infer Query; path?: infer Path }
    responses: { 200: { content: { 'application/json': infer Body extends Listed } } }
  }
}
  ? 'total_count' extends keyof Body
    ? { query: NonNullable<Query>; path: NonNullable<Path>; row: Body['data'][number] }
    : never
  : never

/** The paths that answer pages of a list. */
export type ListPath = { [P in keyof paths]: [ListOf<P>] extends [never] ? never : P }[keyof paths]
type Filters<P extends ListPath> = Omit<ListOf<P>['query'], 'limit' | 'offset'>
type PathParameters<P extends ListPath> = [ListOf<P>['path']] extends [never]
  ? { path?: never }
  : { path: ListOf<P>['path'] }

/** `signal` ends a call, also while it waits. */
export type Abortable = { signal?: AbortSignal }
export type InventorySaved = components['schemas']['InventorySaved']

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
    request?: { query?: Filters<P>; signal?: AbortSignal } & Partial<PathParameters<P>>,
  ): AsyncGenerator<ListOf<P>['row']>
  /**
   * Creates the asset with this key, or gives it these fields. What is left out stays as it is; `tags` are added, never taken
   * away. May be repeated, also by several programs at once. Throws `ApiError`, 409 if another asset or location has a tag.
   */
  upsertAsset(externalKey: string, fields: AssetFields, options?: Abortable): Promise<Upserted<Asset>>
  /** As `upsertAsset`. */
  upsertLocation(
    externalKey: string,
    fields: LocationFields,
    options?: Abortable,
  ): Promise<Upserted<Location>>
  assets: {
    /**
     * Makes assets what `items` say, by key, in batches that the rate of a key does not count: 10 000 in about a minute. May be repeated:
     * what is equal stays as it is. `tags`, if an item has them, are all tags afterwards. `dryRun` changes nothing. `retire` ends what is
     * missing, once all items succeeded. Resolves with how many were created, updated, unchanged, failed and retired. Throws `ApiError`.
     */
    sync(
      items: Iterable<AssetItem> | AsyncIterable<AssetItem>,
      options?: AssetSyncOptions,
    ): Promise<SyncReport>
  }
  locations: {
    /** As `assets.sync`, without `retire`. A parent comes before what it holds. */
    sync(
      items: Iterable<LocationItem> | AsyncIterable<LocationItem>,
      options?: SyncOptions,
    ): Promise<SyncReport>
  }
  /** Says that assets are at a location now: up to 10 000 keys, all or none. Resolves with their count. Throws `ApiError`. */
  saveInventory(
    assetKeys: readonly string[],
    locationKey: string,
    options?: Abortable,
  ): Promise<InventorySaved>
  /** What moved from where to where, of all pages, newest first. Throws `ApiError`. */
  movements(request?: MovementsRequest): AsyncGenerator<Movement>
  /**
   * Each movement once, oldest first of each question, without end: it asks again and again, and 5xx, 429 and broken connections
   * only delay it. Begins with `from`, or with what moves from now on; a program that was down gives the `occurred_at` that it
   * handled last, and gets that one again. `signal` ends it with its reason.
   *
   * Movements may come late, and are then inserted into the past. Those up to `overlapMs` older than the newest one are found, if
   * there are many movements within a minute; later ones are not. History has one location for each asset and minute: an asset that
   * leaves and is back within a minute has not moved, also if the first half was yielded already. So what matters for good is
   * compared with the report from time to time. Throws `ApiError` for a request that would fail again.
   */
  follow(options?: FollowOptions): AsyncGenerator<Movement>
  /** History, movements, assets and locations as files, which take seconds to minutes and are kept for a day. */
  exports: {
    /**
     * Begins an export. While others of the organization wait, it waits for its turn as for the rate (`maxWaitMs`). Not repeated
     * after a broken connection, because there would be two: see `list`. Throws `ApiError`.
     */
    create(request: ExportRequest, options?: Abortable): Promise<Export>
    /** An export, with its files so far. Throws `ApiError`. */
    get(id: number, options?: Abortable): Promise<ExportDetail>
    /** All exports, newest first. Throws `ApiError`. */
    list(options?: Abortable): Promise<Export[]>
    /** Stops an export that is not done, and removes its files. Throws `ApiError`. */
    delete(id: number, options?: Abortable): Promise<void>
    /**
     * Reads the export again and again until it is done, and resolves with its files. 5xx, 429 and broken connections only delay
     * it. Throws `ExportFailed`, whose message says what to do, or `ApiError`, 404 if somebody deleted it.
     */
    wait(id: number, options?: ExportWait): Promise<ExportDetail>
    /**
     * The bytes of a file, 4 MiB at a time. A connection that breaks costs one of them. Compare the checksum of all with `sha256`.
     * Throws `ApiError`, 404 if the export was removed.
     */
    download(file: ExportFile, options?: Abortable): AsyncGenerator<Uint8Array<ArrayBuffer>>
  }
  /** Everything that happens, in one order, without a gap: for a copy of your own that misses nothing. */
  events: {
    /**
     * Calls `onEvent` for each event, one after the other, and goes on where the cursor in `store` says. 5xx, 429 and broken
     * connections only delay it. The cursor is stored after each page, so after a crash the events of a page come again, with the
     * same `id`. Never resolves: rejects with the reason of `signal`, with what `onEvent` threw, or with an `ApiError`, whose
     * `status` is 410 if events after the cursor are no longer kept. Then read everything again, and go on from `cursor()`.
     */
    consume(options: ConsumeOptions): Promise<never>
    /** The place after the newest event. Take it before you read everything, and store it afterwards. Throws `ApiError`. */
    cursor(options?: Abortable): Promise<string>
  }
}

const PAGE = 200

/**
 * The API for programs that have an API key. Exchanges it for tokens and renews them; repeats a request once with a new token
 * after a 401; waits and retries as `retrying` says, all calls in one queue under the rate limit. `unwrap` and everything here throw `ApiError`.
 */
export function createWhereabouts(options: WhereaboutsOptions): Whereabouts {
  const { baseUrl, clientId, clientSecret, userAgent, allowInsecureHttp = false } = options
  const to = { baseUrl, userAgent, allowInsecureHttp }
  const send = options.fetch ?? ((request) => fetch(request))
  // Apart from the others, so that a token can be renewed while they wait for their turn.
  const exchange = createClient({ ...to, fetch: retrying(send, options) })
  const tokens = accessTokens(exchange, { clientId, clientSecret })
  const api = createClient({ ...to, fetch: retrying(send, options, tokens) })

  // Apart, because a link needs no token and files no turn under the rate.
  const fetchLink = retrying(send, options)

  async function* rows<P extends ListPath>(
    path: P,
    { query, path: parameters, signal }: { query?: Filters<P>; path?: unknown; signal?: AbortSignal } = {},
  ): AsyncGenerator<ListOf<P>['row']> {
    const ask = api.GET as (
      path: P,
      init: object,
    ) => Promise<{ data?: Listed; error?: unknown; response: Response }>
    for (let offset = 0, total = 1; offset < total; offset += PAGE) {
      const params = { path: parameters, query: { ...query, limit: PAGE, offset } }
      const page = unwrap(await ask(path, { params, ...(signal && { signal }) }))
      total = page.total_count ?? 0
      yield* page.data as ListOf<P>['row'][]
    }
  }

  return {
    api,
    rows,
    movements: (request) => movements(api, request),
    follow: (following) => follow(api, following),
    events: {
      consume: (consuming) => consume(api, consuming),
      cursor: ({ signal } = {}) => newestCursor(api, signal),
    },
    exports: {
      create: (request, creating) => createExport(api, request, creating),
      get: (id, getting) => getExport(api, id, getting),
      list: (listing) => listExports(api, listing),
      delete: (id, deleting) => deleteExport(api, id, deleting),
      wait: (id, waiting) =>
        waitForExport(api, id, { ...(options.wait && { wait: options.wait }), ...waiting }),
      download: (file, downloading) =>
        download(fetchLink, `${baseUrl.replace(/\/+$/, '')}${file.url}`, file, downloading),
    },
    upsertAsset: (externalKey, fields, { signal } = {}) => upsertAsset(api, externalKey, fields, signal),
    upsertLocation: (externalKey, fields, { signal } = {}) =>
      upsertLocation(api, externalKey, fields, signal),
    assets: { sync: (items, syncing) => sync(api, 'assets', items, syncing) },
    locations: { sync: (items, syncing) => sync(api, 'locations', items, syncing) },
    async saveInventory(assetKeys, locationKey, { signal } = {}) {
      const body = { asset_identifiers: [...assetKeys], location_identifier: locationKey }
      return unwrap(await api.POST('/api/v1/inventory/save', { body, ...(signal && { signal }) })).data
    },
  }
}
