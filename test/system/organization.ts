import { fromNewAddress } from './addresses.ts'
import { createClient, exchangeKey, unwrap, type Client } from '@whereabouts/client/client'

export type ApiKey = { clientId: string; clientSecret: string }

/** An organization as its people and programs see it. */
export type Organization = {
  id: number
  /** Of its administrator. */
  login: { email: string; password: string }
  /** Signed in as the administrator. */
  admin: Client
  /** With an API key of all scopes, as an integrator. */
  integrator: Client
  integratorKey: ApiKey
  /** What readers log in with. */
  readerKey: ApiKey
}

let count = 0

/** Signs up, creates an integrator's and a reader's key, and exchanges the first for a token. */
export async function newOrganization(
  stack: { urls: { base: string } },
  name: string,
): Promise<Organization> {
  count += 1
  const anyone = clientFromNewAddress(stack)
  const signUp = {
    org_name: name,
    name: 'Ada',
    email: `ada-${process.pid}-${count}@example.com`,
    password: 'correct horse battery',
  }
  const { access_token, org } = unwrap(await anyone.POST('/api/v1/auth/signup', { body: signUp })).data
  const admin = createClient({ baseUrl: stack.urls.base, token: access_token })
  const all = [
    'assets:read',
    'assets:write',
    'locations:read',
    'locations:write',
    'scans:read',
    'events:read',
    'scans:write',
  ] as const
  const key = await mintKey(admin, org.id, 'integrator', [...all])
  const tokens = await exchangeKey(anyone, key)
  return {
    id: org.id,
    login: { email: signUp.email, password: signUp.password },
    admin,
    integrator: createClient({ baseUrl: stack.urls.base, token: tokens.access_token }),
    integratorKey: key,
    readerKey: await mintKey(admin, org.id, 'readers', ['scans:write']),
  }
}

/** The same organization with new tokens, as after a restore, which ends all sessions. */
export async function signInAgain(
  stack: { urls: { base: string } },
  org: Organization,
): Promise<Organization> {
  const anyone = clientFromNewAddress(stack)
  const session = unwrap(await anyone.POST('/api/v1/auth/login', { body: org.login })).data
  const tokens = await exchangeKey(anyone, org.integratorKey)
  return {
    ...org,
    admin: createClient({ baseUrl: stack.urls.base, token: session.access_token }),
    integrator: createClient({ baseUrl: stack.urls.base, token: tokens.access_token }),
  }
}

/** A client from a new address: attempts to sign in are limited by address. */
export function clientFromNewAddress({ urls }: { urls: { base: string } }): Client {
  const headers = Object.entries(fromNewAddress())
  return createClient({
    baseUrl: urls.base,
    fetch: (request) => {
      for (const [name, value] of headers) request.headers.set(name, value)
      return fetch(request)
    },
  })
}

/** `bound`: to one reader. */
export async function mintKey(
  admin: Client,
  orgId: number,
  name: string,
  scopes: string[],
  bound: { reader_key?: string } = {},
): Promise<ApiKey> {
  const created = await admin.POST('/api/v1/orgs/{org_id}/api-keys', {
    params: { path: { org_id: orgId } },
    body: { name, scopes: scopes as 'scans:write'[], ...bound },
  })
  const { client_id, client_secret } = unwrap(created).data
  return { clientId: client_id, clientSecret: client_secret }
}

export async function newLocation(org: Organization, name: string, externalKey: string): Promise<number> {
  return unwrap(await org.integrator.POST('/api/v1/locations', { body: { name, external_key: externalKey } }))
    .data.id
}

export type Tag = { tag_type: 'rfid' | 'ble' | 'barcode'; value: string }

export async function newAsset(org: Organization, name: string, tags: Tag[]) {
  return unwrap(await org.integrator.POST('/api/v1/assets', { body: { name, tags } })).data
}

/** A configured reader whose first `antennas` antennas are assigned to one location. Returns its id. */
export async function newReader(
  org: Organization,
  reader: { key: string; format: 'canonical' | 'impinj' | 'zebra'; locationId: number; antennas: number },
): Promise<number> {
  const body = { reader_key: reader.key, name: reader.key, format: reader.format }
  const { id } = unwrap(await org.admin.POST('/api/v1/readers', { body })).data
  if (id === null) throw new Error('a configured reader has an id')
  for (let antenna = 1; antenna <= reader.antennas; antenna += 1)
    unwrap(
      await org.admin.POST('/api/v1/readers/{reader_id}/scan-points', {
        params: { path: { reader_id: id } },
        body: { antenna, name: `antenna ${antenna}`, location_id: reader.locationId },
      }),
    )
  return id
}

/** Returns the secret, which is shown only once. */
export async function newWebhook(org: Organization, url: string): Promise<string> {
  return unwrap(await org.admin.POST('/api/v1/webhooks', { body: { url } })).data.secret
}

export async function reportRows(org: Organization) {
  const query = { limit: 200, sort: 'asset_external_key' }
  return unwrap(await org.integrator.GET('/api/v1/reports/asset-locations', { params: { query } })).data
}

export async function historyRows(org: Organization, assetId: number) {
  const path = { asset_id: assetId }
  return unwrap(await org.integrator.GET('/api/v1/assets/{asset_id}/history', { params: { path } })).data
}

export async function readerViews(org: Organization) {
  return unwrap(await org.admin.GET('/api/v1/readers', { params: { query: { limit: 200 } } })).data
}
