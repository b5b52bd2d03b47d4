import type { z } from 'zod'
import type { ErrorType } from './errors.ts'

export const upstreams = ['catalog', 'tracking', 'keys', 'webhook-dispatcher'] as const
export type Upstream = (typeof upstreams)[number]

/** The scopes that can be minted (D9.5). `tracking:read` is the second name of `scans:read` (D8.4). */
export const scopes = [
  'assets:read',
  'assets:write',
  'locations:read',
  'locations:write',
  'scans:read',
  'scans:write',
  'keys:admin',
  'tracking:read',
] as const
export type Scope = (typeof scopes)[number]

/**
 * Who may call an operation. A scope: keys that carry it, and every session. `none`: anyone. `key`: any API key, no
 * session. `session`: any signed-in user. `admin`: an administrator's session. `session-or-keys-admin`: an
 * administrator's session or a key with `keys:admin`.
 */
export type Access = Scope | 'none' | 'key' | 'session' | 'admin' | 'session-or-keys-admin'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type Upload = { mediaTypes: readonly string[]; maxBytes: number }

/** One row of the route table: everything the edge, the services, the description and the client know of it. */
export type Route = {
  method: Method
  /** Below `/api/v1`, parameters in braces. */
  path: `/${string}`
  /** The older vocabulary is served below `/legacy` and announced as deprecated (D1.2); absent, the current one. */
  vocabulary?: 'legacy'
  upstream: Upstream
  access: Access
  /** Takes a token from an API key's bucket and carries the rate-limit headers (D9.9). Of a user everything does, and nothing carries them (D12.10). */
  counted: boolean
  /** In the public description. Console routes are not (D10). */
  described: boolean
  summary: string
  /** What an integrator should know besides; who may call and how it is counted is said by itself. */
  description?: string
  /** Media types of the body; JSON unless said. */
  mediaTypes?: readonly string[]
  params?: z.ZodType
  query?: z.ZodType
  /** A list that takes a page and nothing else: `sort` and the filters of other lists are known but out of place (D5.7). */
  hasFixedOrder?: true
  body?: z.ZodType
  /** A field of the body that is empty text counts as left out (RFC 6749, 3.2). */
  emptyIsAbsent?: true
  /** Instead of `body`: a file that its handler reads while it arrives. */
  upload?: Upload
  success: {
    status: 200 | 201 | 204
    schema?: z.ZodType
    /** Instead of `schema`: the answer is a file of this media type, sent while it is made. */
    download?: string
    /** Beside the JSON of a list, for who prefers `text/csv`: its rows as a file with these columns. */
    csv?: readonly string[]
  }
  /** Errors of this row beyond those that every row can raise. */
  errors: readonly ErrorType[]
}

/** Operation id → row. */
export type RouteTable = Readonly<Record<string, Route>>

export const JSON_MEDIA_TYPE = 'application/json'
/** What is asked for in `Accept`, and as what it comes. */
export const CSV_MEDIA_TYPE = 'text/csv'
export const CSV_CONTENT_TYPE = `${CSV_MEDIA_TYPE}; charset=utf-8` as const
export const EVENT_STREAM_MEDIA_TYPE = 'text/event-stream'

/** Its answer goes on until one of the sides ends it. */
export const isEndless = ({ success }: Pick<Route, 'success'>): boolean =>
  success.download === EVENT_STREAM_MEDIA_TYPE

/** Beside the CSV of a list, which has no place for it: what its JSON calls `total_count`. */
export const TOTAL_COUNT_HEADER = 'X-Total-Count'
