import type { LoadRequest } from '../load/load.ts'
import { AGENT, type Key, type Organization } from './fill.ts'

type Request = Omit<LoadRequest, 'headers'>

/** One operation of the API, and the `n`-th request of an organization. */
export type Operation = {
  name: string
  status: 200 | 201
  mediaType?: string
  isAnonymous?: true
  ask(organization: Organization, n: number, key: Key): Request
}

const JSON_BODY = 'application/json'

function nth<T>(things: readonly T[], n: number): T {
  const thing = things[n % things.length]
  if (thing === undefined) throw new Error('an organization lacks keys, locations or assets with history')
  return thing
}

const get = (name: string, path: (organization: Organization, n: number) => string): Operation => ({
  name,
  status: 200,
  ask: (organization, n) => ({ path: `/api/v1${path(organization, n)}` }),
})

/** Reads first, because writes change what they read. */
export const OPERATIONS: readonly Operation[] = [
  get('asset', ({ assets }, n) => `/assets/${nth(assets, n).id}`),
  get('list', () => '/assets?limit=50'),
  get('history', ({ assets }, n) => `/assets/${nth(assets, n).id}/history?limit=40`),
  get('report', () => '/reports/asset-locations?limit=50'),
  get('tree', ({ rootId }) => `/locations/${rootId}/descendants?limit=50`),
  get('current', () => '/locations/current?limit=50'),
  {
    name: 'token',
    status: 200,
    mediaType: JSON_BODY,
    isAnonymous: true,
    ask(_organization, _n, { clientId: client_id, clientSecret: client_secret }) {
      const body = { grant_type: 'client_credentials', client_id, client_secret }
      return { path: '/api/v1/oauth/token', body: JSON.stringify(body) }
    },
  },
  {
    name: 'patch',
    status: 200,
    mediaType: 'application/merge-patch+json',
    ask: ({ writtenAssets }, n) => ({
      method: 'PATCH',
      path: `/api/v1/assets/${nth(writtenAssets, n).id}`,
      body: JSON.stringify({ name: `Pallet ${n}` }),
    }),
  },
  {
    name: 'save',
    status: 201,
    mediaType: JSON_BODY,
    ask({ writtenAssets, locationKeys }, n) {
      // At each turn of the assets the next location of each, so that every save is a movement with an event.
      const assets = writtenAssets.length
      const location_identifier = nth(locationKeys, (n % assets) + Math.floor(n / assets))
      const body = { asset_identifiers: [nth(writtenAssets, n).key], location_identifier }
      return { path: '/api/v1/inventory/save', body: JSON.stringify(body) }
    },
  },
  {
    name: 'create',
    status: 201,
    mediaType: JSON_BODY,
    ask(_organization, n) {
      const metadata = { batch: n % 40, supplier: 'Example GmbH' }
      const body = { name: `Pallet ${n}`, description: 'Euro pallet, wood, 1200 by 800 mm', metadata }
      return { path: '/api/v1/assets', body: JSON.stringify(body) }
    },
  },
]

const REQUESTS = 10_000

/** Requests of all organizations, their keys and their assets in turn. */
export function requestsOf(organizations: readonly Organization[], operation: Operation): LoadRequest[] {
  const { mediaType, isAnonymous } = operation
  const body = mediaType === undefined ? {} : { 'content-type': mediaType }
  return Array.from({ length: REQUESTS }, (_, i) => {
    const organization = nth(organizations, i)
    const n = Math.floor(i / organizations.length)
    const key = nth(organization.keys, n)
    const headers = { ...(isAnonymous ? AGENT : key.headers), ...body }
    return { ...operation.ask(organization, n, key), headers }
  })
}
