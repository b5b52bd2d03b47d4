import { z } from 'zod'
import { accountRoutes } from './resources/keys/accounts.ts'
import { secondFactorRoutes } from './resources/keys/second-factor.ts'
import { apiKeyRoutes } from './resources/keys/api-keys.ts'
import { assetRoutes } from './resources/catalog/assets.ts'
import { alertRoutes } from './resources/rules/alerts.ts'
import { auditRoutes } from './resources/keys/audit.ts'
import { batchRoutes } from './resources/catalog/batches.ts'
import { exportRoutes } from './resources/tracking/exports.ts'
import { floorRoutes } from './resources/tracking/floor.ts'
import { floorPlanRoutes } from './resources/catalog/floor-plans.ts'
import { importRoutes } from './resources/catalog/imports.ts'
import { inventoryRoutes } from './resources/tracking/inventory.ts'
import { legacyAssetRoutes } from './legacy/assets.ts'
import { legacyIdentifierRoutes } from './legacy/identifiers.ts'
import { legacyKeyRoutes } from './legacy/keys.ts'
import { legacyLocationTreeRoutes } from './legacy/location-tree.ts'
import { legacyLocationRoutes } from './legacy/locations.ts'
import { legacyTrackingRoutes } from './legacy/tracking.ts'
import { liveRoutes } from './resources/tracking/live.ts'
import { locationTreeRoutes } from './resources/catalog/location-tree.ts'
import { locationRoutes } from './resources/catalog/locations.ts'
import { lookupRoutes } from './resources/catalog/lookup.ts'
import { memberRoutes } from './resources/keys/members.ts'
import { movementRoutes } from './resources/tracking/movements.ts'
import { occupancyRoutes } from './resources/tracking/occupancy.ts'
import { eraseRoutes } from './resources/tracking/erase.ts'
import { placementRoutes } from './resources/tracking/placement.ts'
import { provisioningRoutes } from './resources/keys/provisioning.ts'
import { readerMessageRoutes } from './resources/tracking/reader-messages.ts'
import { readerPresetRoutes } from './resources/tracking/reader-presets.ts'
import { readerRoutes } from './resources/tracking/readers.ts'
import { restoreRoutes } from './resources/catalog/restore.ts'
import { ruleRoutes } from './resources/rules/rules.ts'
import { scanRoutes } from './resources/tracking/scans.ts'
import { signOnRoutes } from './resources/keys/sign-on.ts'
import { testReadRoutes } from './resources/tracking/test-reads.ts'
import type { Route, Upstream } from './route.ts'
import { sightingRoutes } from './resources/tracking/sightings.ts'
import { limitRoutes } from './resources/keys/storage-limits.ts'
import { tagRoutes } from './resources/catalog/tags.ts'
import { tokenRoutes } from './resources/keys/tokens.ts'
import { trackingRoutes } from './resources/tracking/tracking.ts'
import { unknownTagRoutes } from './resources/tracking/unknown-tags.ts'
import { visitRoutes } from './resources/tracking/visits.ts'
import { unsteadyRoutes } from './resources/tracking/unsteady.ts'
import { deliveryRoutes } from './resources/webhooks/deliveries.ts'
import { eventRoutes } from './resources/webhooks/events.ts'
import { webhookEndpointRoutes } from './resources/webhooks/webhook-endpoints.ts'
import { webhookRoutes } from './resources/webhooks/webhooks.ts'

/** All rows of the table are served below this prefix. */
export const API_PREFIX = '/api/v1'

/** The base URL of legacy rows, which have the same prefix below it (D1.2). */
export const LEGACY_BASE = '/legacy'
export const LEGACY_PREFIX = `${LEGACY_BASE}${API_PREFIX}`

/** The path of a row, with parameters in braces. */
export const routePath = ({ vocabulary, path }: Pick<Route, 'vocabulary' | 'path'>): string =>
  `${vocabulary === 'legacy' ? LEGACY_PREFIX : API_PREFIX}${path}`

/** The route table: operation id → row. Gateway, services, description and client derive from it. */
export const routes = {
  ...tokenRoutes,
  ...memberRoutes,
  ...accountRoutes,
  ...secondFactorRoutes,
  ...signOnRoutes,
  ...apiKeyRoutes,
  ...provisioningRoutes,
  ...limitRoutes,
  ...auditRoutes,
  ...eraseRoutes,
  ...placementRoutes,
  ...batchRoutes,
  ...assetRoutes,
  ...locationRoutes,
  ...locationTreeRoutes,
  ...tagRoutes,
  ...restoreRoutes,
  ...lookupRoutes,
  ...floorPlanRoutes,
  ...floorRoutes,
  ...importRoutes,
  ...trackingRoutes,
  ...sightingRoutes,
  ...occupancyRoutes,
  ...unsteadyRoutes,
  ...movementRoutes,
  ...visitRoutes,
  ...exportRoutes,
  ...liveRoutes,
  ...inventoryRoutes,
  ...ruleRoutes,
  ...alertRoutes,
  ...readerRoutes,
  ...readerMessageRoutes,
  ...readerPresetRoutes,
  ...scanRoutes,
  ...testReadRoutes,
  ...unknownTagRoutes,
  ...eventRoutes,
  ...webhookRoutes,
  ...webhookEndpointRoutes,
  ...deliveryRoutes,
  ...legacyAssetRoutes,
  ...legacyLocationRoutes,
  ...legacyLocationTreeRoutes,
  ...legacyIdentifierRoutes,
  ...legacyTrackingRoutes,
  ...legacyKeyRoutes,
} as const satisfies Record<string, Route>

export type Routes = typeof routes
export type OperationId = keyof Routes

export type OperationsOf<U extends Upstream> = {
  [K in OperationId]: Routes[K]['upstream'] extends U ? K : never
}[OperationId]

type Parsed<R, Part extends string> =
  R extends Record<Part, infer S extends z.ZodType> ? z.output<S> : undefined

export type ParamsOf<K extends OperationId> = Parsed<Routes[K], 'params'>
export type QueryOf<K extends OperationId> = Parsed<Routes[K], 'query'>
export type BodyOf<K extends OperationId> = Parsed<Routes[K], 'body'>
export type ReplyOf<K extends OperationId> = Routes[K]['success'] extends {
  schema: infer S extends z.ZodType
}
  ? z.output<S>
  : Routes[K]['success'] extends { checked: infer S extends z.ZodType }
    ? z.output<S> | undefined
    : Routes[K]['success'] extends { download: string | readonly string[] }
      ? AsyncIterable<string>
      : undefined

/** The rows of one service, in the order of the table. */
export function routesOf<U extends Upstream>(upstream: U): [OperationsOf<U>, Route][] {
  const rows = Object.entries(routes) as [OperationId, Route][]
  return rows.filter(([, row]) => row.upstream === upstream) as [OperationsOf<U>, Route][]
}

/**
 * All parameters of the lists of a vocabulary. On a route that is not a list, such a parameter is a known one in the
 * wrong context, not an unknown one (D7.3).
 */
export const listParametersOf = (vocabulary: Route['vocabulary']): ReadonlySet<string> =>
  listParameters[vocabulary ?? 'current']

const parametersOfLists = (vocabulary: Route['vocabulary']): ReadonlySet<string> =>
  new Set(
    Object.values<Route>(routes)
      .filter((row) => row.vocabulary === vocabulary && row.method === 'GET')
      .flatMap(({ query }) => (query instanceof z.ZodObject ? Object.keys(query.shape) : [])),
  )

const listParameters = { current: parametersOfLists(undefined), legacy: parametersOfLists('legacy') }
