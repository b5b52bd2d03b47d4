import type { RouteTable } from '@whereabouts/contracts/route'
import { API_PREFIX, LEGACY_PREFIX, routePath } from '@whereabouts/contracts/routes'
import { isReferencePath } from '../reference/paths.ts'

/** The API in both vocabularies, its descriptions and the sessions of browsers. */
export const isFilteredPath = (path: string): boolean =>
  /^\/(?:api|legacy|session)(?:\/|$)|^\/openapi\.(?:json|yaml)$/.test(path)

/** The order of `Allow` (D2.3). */
const ORDER = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/** Paths of the gateway, which are never forwarded to the console. */
const OWN = /^\/(?:api|legacy|mcp|\.well-known)(?:\/|$)|^\/openapi\.(?:json|yaml)$/

export const isOwnPath = (path: string): boolean => OWN.test(path)

export const isApiPath = (path: string): boolean =>
  path.startsWith(`${API_PREFIX}/`) || path.startsWith(`${LEGACY_PREFIX}/`)

/** Tools for assistants, by the Model Context Protocol (D12.17). */
export const MCP_PATH = '/mcp'

/** The console serves the sessions of browsers below it. */
export const SESSION_PATH = '/session/'

/** Methods of a path in the order of `Allow`; none if there is no such path. Other paths belong to the console. */
export type AllowedMethods = (path: string) => string[]

const isSession = (path: string) =>
  path.startsWith(SESSION_PATH) && /^[a-z-]+$/.test(path.slice(SESSION_PATH.length))

export function allowedMethodsOf(routes: RouteTable): AllowedMethods {
  const templates = templatesOf(routes)
  const literal = literalPaths(routes)
  return (path) => {
    if (isSession(path)) return ['GET', 'HEAD', 'POST']
    if (path === MCP_PATH) return ['POST']
    if (!isOwnPath(path) || isReferencePath(path)) return ['GET', 'HEAD']
    const found = literal.get(path) ?? templates.filter((t) => t.pattern.test(path)).map((t) => t.method)
    const methods = new Set<string>(found)
    if (methods.has('GET')) methods.add('HEAD')
    return ORDER.filter((method) => methods.has(method))
  }
}

/**
 * Paths such as `/locations/current`, which are operations and not locations (D12.4), with their methods. The router
 * would match other methods of such a path to `/locations/{location_id}`. In the legacy vocabulary, with external
 * keys in paths, they do name a location.
 */
export function literalPaths(routes: RouteTable): ReadonlyMap<string, readonly string[]> {
  const current = Object.values(routes).filter(
    (row) => row.vocabulary !== 'legacy' && !row.path.includes('{'),
  )
  const paths = [...new Set(current.map((row) => row.path))]
  const named = templatesOf(routes).filter(({ template }) => template.includes('{'))
  return new Map(
    paths
      .map((path) => [routePath({ path }), current.filter((row) => row.path === path)] as const)
      .filter(([path]) => named.some(({ pattern }) => pattern.test(path)))
      .map(([path, rows]) => [path, rows.map(({ method }) => method)]),
  )
}

const templatesOf = (routes: RouteTable) =>
  Object.values(routes).map((row) => ({
    method: row.method,
    template: row.path,
    // The paths of the table need no escaping: letters, underscores, slashes and hyphens.
    pattern: new RegExp(`^${routePath(row).replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
