import type { LoadRequest } from '../load/load.ts'
import { AGENT, type Key, type Organization } from './fill.ts'

type Request = Omit<LoadRequest, 'headers'>
type Headers = LoadRequest['headers']

/** One operation of the API, and the `n`-th request of an organization. */
export type Operation = {
  name: string
  status: 200 | 201 | 401 | 429
  /** Only on request (`--only`), because it is a question for many assets. */
  isRare?: true
  /** It reads all data of the organization, so it has no target. */
  readsAll?: true
  mediaType?: string
  /** Default: those of the key. */
  headers?: (key: Key, organization: Organization) => Headers
  ask(organization: Organization, n: number, key: Key): Request
}

const JSON_BODY = 'application/json'

const anonymous = () => AGENT

/** Signed by nobody: the most expensive refusal. */
function forged({ headers }: Key): Headers {
  const token = headers['authorization'] ?? ''
  const at = token.lastIndexOf('.') + 1
  const authorization = token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1)
  return { ...AGENT, authorization }
}

function nth<T>(things: readonly T[], n: number): T {
  const thing = things[n % things.length]
  if (thing === undefined) throw new Error('an organization lacks keys, locations or assets with history')
  return thing
}

type Path = (organization: Organization, n: number) => string

const get = (name: string, path: Path): Operation => ({
  name,
  status: 200,
  ask: (organization, n) => ({ path: `/api/v1${path(organization, n)}` }),
})

const refused = (name: string, status: 401 | 429, headers: NonNullable<Operation['headers']>): Operation => ({
  ...get(name, ({ assets }, n) => `/assets/${nth(assets, n).id}`),
  status,
  headers,
})

/** A page of a list, with the rest of its query. */
const rare = (name: string, list: string, query: Path): Operation => ({
  ...get(name, (organization, n) => `${list}?limit=50${query(organization, n)}`),
  isRare: true,
})
const report = (name: string, query: Path) => rare(`report-${name}`, '/reports/asset-locations', query)
const current = (name: string, query: Path) => rare(`current-${name}`, '/locations/current', query)

/** Of neighbouring requests, far apart. */
const some = (name: string, of: readonly { id: number }[], n: number, count: number) =>
  Array.from({ length: count }, (_, i) => `&${name}=${nth(of, (n * count + i) * 7_919).id}`).join('')
const middle = ({ size }: Organization, n: number) => `&offset=${Math.floor(size.assets * 0.46) + n % 20}` // oxfmt-ignore
const daysAgo = ({ size }: Organization, share: number) =>
  new Date(Date.now() - size.days * share * 86_400_000).toISOString()
const WORDS = ['forklift', 'pallet', 'drill', 'trolley', 'pump', 'laptop', 'crate', 'ladder']
/** Some day of the history. */
const then = (organization: Organization, n: number) => `&at=${daysAgo(organization, 0.1 + (n % 80) / 100)}`

const RARE: readonly Operation[] = [
  report('middle', middle),
  report('by-location', () => '&sort=location_external_key'),
  report('by-location-middle', (of, n) => `&sort=location_external_key${middle(of, n)}`),
  report('by-key-middle', (of, n) => `&sort=asset_external_key${middle(of, n)}`),
  report('at', ({ locations }, n) => some('location_id', locations, n, 1)),
  report('at-200', ({ locations }, n) => some('location_id', locations, n, 200)),
  report('below', ({ locations }, n) => `&location_id=${nth(locations, 1 + (n % 8)).id}&include_descendants=true`),
  report('of-200', ({ assets }, n) => some('asset_id', assets, n, 200)),
  report('search', (_, n) => `&q=${nth(WORDS, n)}%20${n % 1_000}`),
  report('search-wide', (_, n) => `&q=${nth(WORDS, n)}`),
  report('search-below', ({ locations }, n) => `&q=${nth(WORDS, n)}&location_id=${nth(locations, 1).id}&include_descendants=true`),
  { ...report('past', then), readsAll: true },
  report('past-of-200', (of, n) => then(of, n) + some('asset_id', of.assets, n, 200)),
  { ...report('past-at', (of, n) => then(of, n) + some('location_id', of.locations, n, 1)), readsAll: true },
  current('middle', middle),
  current('by-location', () => '&sort=location'),
  current('at', ({ locations }, n) => `&location=${nth(locations, n * 7_919).key}`),
  current('search', (_, n) => `&q=${nth(WORDS, n)}%20${n % 1_000}`),
  { ...get('history-window', (of, n) => `/assets/${nth(of.assets, n).id}/history?limit=50&from=${daysAgo(of, 0.6)}&to=${daysAgo(of, 0.5)}`), isRare: true },
  { name: 'assets-at', isRare: true, status: 200, ask: ({ locations }, n) => ({ path: `/legacy/api/v1/assets?limit=50&location=${nth(locations, n * 7_919).key}` }) },
] // oxfmt-ignore

/** Reads first, because writes change what they read. */
export const OPERATIONS: readonly Operation[] = [
  get('asset', ({ assets }, n) => `/assets/${nth(assets, n).id}`),
  get('list', () => '/assets?limit=50'),
  get('history', ({ assets }, n) => `/assets/${nth(assets, n).id}/history?limit=40`),
  get('report', () => '/reports/asset-locations?limit=50'),
  get('tree', ({ locations }) => `/locations/${nth(locations, 0).id}/descendants?limit=50`),
  get('current', () => '/locations/current?limit=50'),
  ...RARE,
  refused('401', 401, anonymous),
  refused('401-forged', 401, forged),
  refused('429', 429, (_, { limitedKey }) => limitedKey.headers),
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
    ask({ writtenAssets, locations }, n) {
      // At each turn of the assets the next location of each, so that every save is a movement with an event.
      const assets = writtenAssets.length
      const location_identifier = nth(locations, (n % assets) + Math.floor(n / assets)).key
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
  const { mediaType, headers: headersOf } = operation
  const body = mediaType === undefined ? {} : { 'content-type': mediaType }
  return Array.from({ length: REQUESTS }, (_, i) => {
    const organization = nth(organizations, i)
    const n = Math.floor(i / organizations.length)
    const key = nth(organization.keys, n)
    const headers = { ...(headersOf?.(key, organization) ?? key.headers), ...body }
    return { ...operation.ask(organization, n, key), headers }
  })
}
