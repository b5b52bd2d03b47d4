import { missingAuthorization, useBearer } from '@whereabouts/service-kit/errors/errors'
import type { IncomingHttpHeaders } from 'node:http'

/** Headers in which other APIs take a token. A caller that uses one is told where the token belongs. */
const MISPLACED = new Set([
  'x-api-key', 'api-key', 'apikey', 'x-apikey', 'x-api-token', 'x-auth-token', 'x-access-token', 'x-authorization',
  'x-token', 'token', 'access-token', 'proxy-authorization',
]) // oxfmt-ignore

const LOOKS_LIKE_JWT = /^(?:bearer\s+)?eyJ[\w-]*\.[\w-]+\.[\w-]*$/i

/** The token of `Authorization: Bearer <token>`, or a 401 that says what is wrong (D9.4). */
export function readBearer(headers: IncomingHttpHeaders): string {
  const { authorization } = headers
  if (authorization === undefined || authorization.trim() === '')
    throw hasMisplacedToken(headers) ? useBearer() : missingAuthorization()
  const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
  if (token === undefined) throw useBearer()
  return token
}

function hasMisplacedToken(headers: IncomingHttpHeaders): boolean {
  return Object.entries(headers).some(
    ([name, value]) => MISPLACED.has(name) || (typeof value === 'string' && LOOKS_LIKE_JWT.test(value)),
  )
}
