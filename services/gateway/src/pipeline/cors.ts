import { TOTAL_COUNT_HEADER } from '@whereabouts/contracts/route'
import { LEGACY_BASE } from '@whereabouts/contracts/routes'

/** Headers that a browser may show to the page that asked. */
const EXPOSED = [
  'X-Request-ID',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Location',
  TOTAL_COUNT_HEADER,
  'WWW-Authenticate',
  'Deprecation',
  'Sunset',
]

/** On every response. Credentials travel in a header that pages set themselves, never in cookies, so `*` is safe. */
export const corsHeaders: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED.join(', '),
}

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
  'access-control-allow-headers': 'Content-Type, Authorization, X-Request-ID',
  'access-control-max-age': '3600',
}
/** Only the older vocabulary has PUT; unless it is named, no page of another origin could use it. */
const LEGACY_PREFLIGHT = {
  ...PREFLIGHT,
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
}

/** Beside them on a preflight. */
export const preflightHeaders = (path: string): Readonly<Record<string, string>> =>
  path.startsWith(`${LEGACY_BASE}/`) ? LEGACY_PREFLIGHT : PREFLIGHT
