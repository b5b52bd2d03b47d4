import { createClient, exchangeKey, unwrap, type Client } from '@whereabouts/client/client'
import type { Stack } from '@whereabouts/deploy/local/stack'
import { headersSignedWith } from '@whereabouts/testing/caller'
import { asAdministrator } from '../load/database.ts'
import { setLimits, untilLimited } from '../load/rate-limits.ts'

/** An API key, for requests to the gateway and to the services behind it. */
export type Caller = {
  jti: string
  token: string
  /** Headers of its requests to the gateway, and headers that the gateway sends on. */
  through: Record<string, string>
  direct: Record<string, string>
}

export type Filled = {
  assetIds: number[]
  /** Keys with a limit that no run reaches. */
  callers: Caller[]
  /** A key with a limit of one request a minute. */
  limited: Caller
}

const AGENT = 'whereabouts-bench/1'
const SCOPES = ['assets:read', 'assets:write'] as const

/** Creates an organization with assets and keys through the public API, except for the limits of the keys. */
export async function fillOrganization(
  stack: Stack,
  { assets, keys }: { assets: number; keys: number },
): Promise<Filled> {
  const anyone = createClient({ baseUrl: stack.urls.base })
  const body = { org_name: 'Bench', name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
  const { access_token, org } = unwrap(await anyone.POST('/api/v1/auth/signup', { body })).data
  const admin = createClient({ baseUrl: stack.urls.base, token: access_token })
  const callers: Caller[] = []
  for (let i = 0; i <= keys; i += 1) callers.push(await newCaller(stack, admin, org.id))
  const [limited, ...others] = callers
  if (!limited) throw new Error('no keys were created')
  await setLimits(stack, new Map([[limited.jti, 1], ...others.map((c) => [c.jti, 10_000_000] as const)]))
  await untilLimited(stack, others.map(({ through }) => through)) // oxfmt-ignore
  const assetIds = await newAssets(stack, others, assets)
  // Like autovacuum within minutes; until then PostgreSQL plans without statistics.
  await asAdministrator(stack, (client) => client.query('vacuum analyze catalog.asset, catalog.tag'))
  return { assetIds, callers: others, limited }
}

async function newCaller(stack: Stack, admin: Client, orgId: number): Promise<Caller> {
  const created = await admin.POST('/api/v1/orgs/{org_id}/api-keys', {
    params: { path: { org_id: orgId } },
    body: { name: 'bench', scopes: [...SCOPES] },
  })
  const { client_id: jti, client_secret } = unwrap(created).data
  const anyone = createClient({ baseUrl: stack.urls.base })
  const { access_token } = await exchangeKey(anyone, { clientId: jti, clientSecret: client_secret })
  const principal = { kind: 'key' as const, orgId, scopes: [...SCOPES], keyId: jti }
  return {
    jti,
    token: access_token,
    through: { 'user-agent': AGENT, authorization: `Bearer ${access_token}` },
    direct: {
      'user-agent': AGENT,
      ...(await headersSignedWith(stack.secrets.principal_private_key, principal, 'catalog')),
    },
  }
}

async function newAssets(stack: Stack, callers: readonly Caller[], count: number): Promise<number[]> {
  const ids: number[] = []
  const numbers = Array.from({ length: count }, (_, i) => i).values()
  const work = async ({ token }: Caller) => {
    const client = createClient({ baseUrl: stack.urls.base, token })
    for (const i of numbers) ids.push(await newAsset(client, i))
  }
  await Promise.all(callers.map(work))
  return ids
}

async function newAsset(client: Client, i: number): Promise<number> {
  const body = {
    name: `Pallet ${i}`,
    description: 'Euro pallet, wood, 1200 by 800 mm',
    metadata: { batch: i % 40, supplier: 'Example GmbH' },
    tags: [{ tag_type: 'rfid' as const, value: i.toString(16).toUpperCase().padStart(24, '0') }],
  }
  return unwrap(await client.POST('/api/v1/assets', { body })).data.id
}
