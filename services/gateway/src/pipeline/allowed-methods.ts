import type { Route } from '@whereabouts/contracts/route'
import { API_PREFIX, routes } from '@whereabouts/contracts/routes'
import { REFERENCE_PATHS } from '../reference/reference.ts'

/** The order in which `Allow` names them (D2.3). */
const ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

const templates = Object.values<Route>(routes).map(({ method, path }) => ({
  method,
  // Names come from the table: letters and underscores, slashes and hyphens; nothing in them needs escaping.
  pattern: new RegExp(`^${API_PREFIX}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

/** What belongs to us and never to the console. */
const OWN = /^\/(?:api|legacy|\.well-known)(?:\/|$)|^\/openapi\.(?:json|yaml)$/

export const isOwnPath = (path: string): boolean => OWN.test(path)

export const isApiPath = (path: string): boolean => path.startsWith(`${API_PREFIX}/`)

/** Methods of a path in the order of `Allow`; none when there is no such path. What is not ours is the console's. */
export function allowedMethods(path: string): string[] {
  if (!isOwnPath(path) || REFERENCE_PATHS.includes(path)) return ['GET', 'HEAD']
  const found = new Set<string>(templates.filter((t) => t.pattern.test(path)).map((t) => t.method))
  if (found.has('GET')) found.add('HEAD')
  return ORDER.filter((method) => found.has(method))
}
