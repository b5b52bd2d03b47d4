import { TOTAL_COUNT_HEADER } from '@whereabouts/contracts/route'
import { LEGACY_BASE } from '@whereabouts/contracts/routes'

/** Response headers that a page may read. */
const EXPOSED = [
  'X-Request-ID',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit-Policy',
  'Retry-After',
  'Location',
  TOTAL_COUNT_HEADER,
  'WWW-Authenticate',
  'Deprecation',
  'Sunset',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'X-Content-Type-Options',
]

/** For every response. `*` is safe, because credentials are in a header. The cookie of a sign-on opens no data. */
export const corsHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED.join(', '),
}

/** Request headers that a page of another origin may send (D2, D12.12). */
const ALLOWED = [
  'Content-Type',
  'Authorization',
  'X-Request-ID',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Last-Event-ID',
]

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': ALLOWED.join(', '),
  'access-control-max-age': '3600',
}
/** Only the legacy vocabulary has PUT, which pages of other origins can use only if it is listed. */
const LEGACY_PREFLIGHT = {
  ...PREFLIGHT,
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
}

/** Further headers of a preflight. */
export const preflightHeaders = (path: string): Readonly<Record<string, string>> =>
  path.startsWith(`${LEGACY_BASE}/`) ? LEGACY_PREFLIGHT : PREFLIGHT
