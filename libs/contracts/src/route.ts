import type { z } from 'zod'
import type { ErrorType } from './errors.ts'
import type { Role } from './principal.ts'

export const upstreams = ['catalog', 'tracking', 'keys', 'webhook-dispatcher'] as const
export type Upstream = (typeof upstreams)[number]

/** The scopes that a key can have (D9.5). `tracking:read` is another name of `scans:read` (D8.4). */
export const scopes = [
  'assets:read',
  'assets:write',
  'locations:read',
  'locations:write',
  'scans:read',
  'scans:write',
  'keys:admin',
  'webhooks:admin',
  'tracking:read',
  'events:read',
  'audit:read',
  'rules:read',
  'rules:write',
] as const
export type Scope = (typeof scopes)[number]

/**
 * Which credential opens an operation. A scope: keys with that scope, and sessions. `none`: anyone. `key`: any API key, but
 * no session. `session`: sessions alone. `any`: any API key, and sessions. `leastRole` says which sessions.
 */
export type Access = Scope | 'none' | 'any' | 'key' | 'session'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Upload = { mediaTypes: readonly string[]; maxBytes: number }

/** One row of the route table, for the gateway, the services, the description and the client. */
export type Route = {
  method: Method
  /** Below `/api/v1`, parameters in braces. */
  path: `/${string}`
  /** Legacy rows are served below `/legacy` and marked as deprecated (D1.2). The current vocabulary if left out. */
  vocabulary?: 'legacy'
  upstream: Upstream
  access: Access
  /** The least role of sessions, where it is not the one of the method: see `leastRole`. */
  role?: Role
  /**
   * Takes a token from the bucket of an API key and has the rate-limit headers (D9.9). Requests of users always take a
   * token and never have the headers (D12.10).
   */
  counted: boolean
  /** In the public description. Console routes are not (D10). */
  described: boolean
  summary: string
  /** Further information for integrators. Who may call and whether it is counted is added automatically. */
  description?: string
  /** Media types of the body; JSON if left out. */
  mediaTypes?: readonly string[]
  params?: z.ZodType
  query?: z.ZodType
  /**
   * A list with only `limit` and `offset`: `sort` and the filters of other lists are `invalid_context` or not supported
   * (D5.7).
   */
  hasFixedOrder?: true
  body?: z.ZodType
  /** The body as the description shows it, if its parts are checked by the handler. */
  describedBody?: z.ZodType
  /** An empty text in the body counts as left out (RFC 6749, 3.2). */
  emptyIsAbsent?: true
  /** Instead of `body`: a file that its handler reads while it arrives. */
  upload?: Upload
  /**
   * Instead of `body`: a message of a device, whose bytes its handler gets, unpacked. Devices send what they can: any media
   * type, gzip or deflate, and a query of their own, of which only the parameters of the row are read.
   */
  message?: { maxBytes: number }
  /**
   * Of a thing with an entity tag (D12.7): GET sends it and answers `If-None-Match` with 304, PATCH and DELETE honour
   * `If-Match`.
   */
  conditional?: true
  /** Takes an `Idempotency-Key`: a repeat gets the first answer again (D12.8). */
  idempotent?: true
  /** For devices and the people who set them up: any `User-Agent`, and credentials of a key by HTTP Basic. */
  forDevices?: true
  /**
   * The query has a signature, which the service checks, in place of a credential. For links that are opened by any program:
   * any `User-Agent`.
   */
  bySignature?: true
  success: {
    /**
     * 302: opened by a browser as a page, which is sent on to another one. It gets the cookies of the browser, reads its own
     * parameters among those of others, and is finished even if the browser leaves.
     */
    status: 200 | 201 | 202 | 204 | 302
    schema?: z.ZodType
    /** With `check=true` in the query, the response is 200 with this body instead, and nothing is done. */
    checked?: z.ZodType
    /**
     * Instead of `schema`: the response is a file of this media type, sent while it is made. Of several, the handler sends
     * the `content-type`.
     */
    download?: string | readonly string[]
    /** Clients that prefer `text/csv` get the rows of the list as a file with these columns. */
    csv?: readonly string[]
    /** Clients that ask for `text/event-stream` get the rows as they come; others may wait for the first one. */
    streamed?: true
  }
  /** Errors of this row in addition to those of all rows. */
  errors: readonly ErrorType[]
}

/**
 * The least role of a session that may use an operation (D15.3). A row of another method than GET is for members unless it
 * says otherwise, so that viewers can use a new one only if it was decided.
 */
export const leastRole = ({ method, role }: Pick<Route, 'method' | 'role'>): Role =>
  role ?? (method === 'GET' ? 'viewer' : 'member')

/** Whether a session may call it, if its role is enough. */
export const admitsSessions = ({ access }: Pick<Route, 'access'>): boolean =>
  access !== 'none' && access !== 'key'

/** Operation id → row. */
export type RouteTable = Readonly<Record<string, Route>>

export const JSON_MEDIA_TYPE = 'application/json'
/** The media type in `Accept`, and the content type of the response. */
export const CSV_MEDIA_TYPE = 'text/csv'
export const CSV_CONTENT_TYPE = `${CSV_MEDIA_TYPE}; charset=utf-8` as const
/** One JSON object a line. */
export const NDJSON_MEDIA_TYPE = 'application/x-ndjson'
export const EVENT_STREAM_MEDIA_TYPE = 'text/event-stream'

/** The response may wait, or does not end until client or server end it. */
export const isEndless = ({ success }: Pick<Route, 'success'>): boolean =>
  success.download === EVENT_STREAM_MEDIA_TYPE || success.streamed === true

/** The browser is sent on to another page. See `success`. */
export const sendsOn = ({ success }: Pick<Route, 'success'>): boolean => success.status === 302

/** For the CSV of a list: `total_count` of its JSON, for which CSV has no field. */
export const TOTAL_COUNT_HEADER = 'X-Total-Count'
