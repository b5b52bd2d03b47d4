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

const assetOf = ({ assets }: Organization, n: number) => {
  const asset = assets[n % assets.length]
  if (!asset) throw new Error('an organization has no asset with history')
  return asset
}

const get = (name: string, path: (organization: Organization, n: number) => string): Operation => ({
  name,
  status: 200,
  ask: (organization, n) => ({ path: `/api/v1${path(organization, n)}` }),
})

/** Reads first, because writes change what they read. */
export const OPERATIONS: readonly Operation[] = [
  get('asset', (organization, n) => `/assets/${assetOf(organization, n).id}`),
  get('list', () => '/assets?limit=50'),
  get('history', (organization, n) => `/assets/${assetOf(organization, n).id}/history?limit=40`),
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
    ask: (organization, n) => ({
      method: 'PATCH',
      path: `/api/v1/assets/${assetOf(organization, n).id}`,
      body: JSON.stringify({ name: `Pallet ${n}` }),
    }),
  },
  {
    name: 'save',
    status: 201,
    mediaType: JSON_BODY,
    ask(organization, n) {
      const { assets, locationKeys } = organization
      // Another location at each turn of the assets, so that nearly every save is a movement with an event.
      const location_identifier = locationKeys[(n + Math.floor(n / assets.length)) % locationKeys.length]
      const body = { asset_identifiers: [assetOf(organization, n).key], location_identifier }
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

/** Prime, so that every key asks about every asset. */
const REQUESTS = 10_007

/** Requests of all organizations, their keys and their assets in turn. */
export function requestsOf(organizations: readonly Organization[], operation: Operation): LoadRequest[] {
  const { mediaType, isAnonymous } = operation
  const body = mediaType === undefined ? {} : { 'content-type': mediaType }
  return Array.from({ length: REQUESTS }, (_, i) => {
    const organization = organizations[i % organizations.length]
    const n = Math.floor(i / organizations.length)
    const key = organization?.keys[n % organization.keys.length]
    if (!organization || !key) throw new Error('an organization has no key')
    const headers = { ...(isAnonymous ? AGENT : key.headers), ...body }
    return { ...operation.ask(organization, n, key), headers }
  })
}
