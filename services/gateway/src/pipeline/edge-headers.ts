import { routePath, routes } from '@whereabouts/contracts/routes'
import { isApiPath, MCP_PATH } from './allowed-methods.ts'
import { corsHeaders } from './cors.ts'

/** JSON and CSV contain nothing to run. */
const NO_SNIFFING = { 'x-content-type-options': 'nosniff' }

/** Responses belong to one caller, and no cache may keep them (D12.11). */
const DATA = { ...corsHeaders, ...NO_SNIFFING, 'cache-control': 'private, no-store' }
/** As RFC 6749 words it (D9.1). */
const TOKENS = { ...DATA, 'cache-control': 'no-store' }
const OTHER = { ...corsHeaders, ...NO_SNIFFING }

/** For a client that keeps a response and revalidates it. */
export const REVALIDATED = 'private, no-cache'

const TOKEN_PATHS = new Set([routes.createToken, routes.createLegacyToken].map(routePath))

/** A year, in which browsers do not use plain HTTP. */
const STRICT_TRANSPORT = { 'strict-transport-security': 'max-age=31536000' }

export type EdgeHeaders = (path: string) => Readonly<Record<string, string>>

/** Headers of every response to a path, errors included. `isSecure`: the public address is https. */
export function edgeHeaders(isSecure: boolean): EdgeHeaders {
  const strict = isSecure ? STRICT_TRANSPORT : {}
  const tokens = { ...TOKENS, ...strict }
  const data = { ...DATA, ...strict }
  const other = { ...OTHER, ...strict }
  return (path) => {
    if (TOKEN_PATHS.has(path)) return tokens
    return isApiPath(path) || path === MCP_PATH ? data : other
  }
}
