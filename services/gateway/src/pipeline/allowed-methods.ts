import type { RouteTable } from '@whereabouts/contracts/route'
import { API_PREFIX, LEGACY_PREFIX, routePath } from '@whereabouts/contracts/routes'
import { isReferencePath } from '../reference/paths.ts'

/** The order in which `Allow` names them (D2.3). */
const ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** What belongs to us and never to the console. */
const OWN = /^\/(?:api|legacy|\.well-known)(?:\/|$)|^\/openapi\.(?:json|yaml)$/

export const isOwnPath = (path: string): boolean => OWN.test(path)

export const isApiPath = (path: string): boolean =>
  path.startsWith(`${API_PREFIX}/`) || path.startsWith(`${LEGACY_PREFIX}/`)

/** Below it the console keeps the sessions of browsers. */
export const SESSION_PATH = '/session/'

/** Methods of a path in the order of `Allow`; none when there is no such path. What is not ours is the console's. */
export type AllowedMethods = (path: string) => string[]

const isSession = (path: string) =>
  path.startsWith(SESSION_PATH) && /^[a-z-]+$/.test(path.slice(SESSION_PATH.length))

export function allowedMethodsOf(routes: RouteTable): AllowedMethods {
  const templates = Object.values(routes).map((row) => ({
    method: row.method,
    // Names come from the table: letters and underscores, slashes and hyphens; nothing in them needs escaping.
    pattern: new RegExp(`^${routePath(row).replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
  return (path) => {
    if (isSession(path)) return ['GET', 'HEAD', 'POST']
    if (!isOwnPath(path) || isReferencePath(path)) return ['GET', 'HEAD']
    const found = new Set<string>(templates.filter((t) => t.pattern.test(path)).map((t) => t.method))
    if (found.has('GET')) found.add('HEAD')
    return ORDER.filter((method) => found.has(method))
  }
}
