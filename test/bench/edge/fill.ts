import { createClient, exchangeKey, unwrap, type Client } from '@whereabouts/client/client'
import type { Stack } from '@whereabouts/deploy/local/stack'
import { headersSignedWith } from '@whereabouts/testing/caller'
import pg from 'pg'

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
  await untilLimited(stack, others)
  const assetIds = await newAssets(stack, others, assets)
  // Like autovacuum within minutes; until then PostgreSQL plans without statistics.
  await withDatabase(stack, (client) => client.query('vacuum analyze catalog.asset, catalog.tag'))
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

/**
 * Sets the limits of keys by SQL, as an operator can, and in the same statement their new state for the gateway, as the
 * service itself writes it.
 */
function setLimits(stack: Stack, limits: ReadonlyMap<string, number>): Promise<void> {
  return withDatabase(stack, (client) =>
    client.query(
      `with changed as (
         update keys.api_key k set rate_limit_per_minute = l.per_minute, revision = nextval('keys.revision_seq')
           from unnest($1::uuid[], $2::integer[]) as l (jti, per_minute) where k.jti = l.jti returning k.*)
       insert into keys.outbox (subject, msg_id, keep, payload, headers)
         select 'keys.key.' || jti, gen_random_uuid(), 'last', jsonb_build_object('org_id', org_id, 'id', id,
           'jti', jti, 'revision', revision, 'name', name, 'scopes', scopes, 'expires_at', expires_at,
           'revoked_at', revoked_at, 'rate_limit_per_minute', rate_limit_per_minute), '{}' from changed`,
      [[...limits.keys()], [...limits.values()]],
    ),
  )
}

async function withDatabase(stack: Stack, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const url = new URL(stack.urls.postgres)
  url.pathname = '/whereabouts'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

/** The gateway learns of a key's limit through the broker. */
async function untilLimited(stack: Stack, callers: readonly Caller[]): Promise<void> {
  const deadline = Date.now() + 10_000
  for (const { through } of callers)
    while ((await limitOf(stack, through)) <= 60)
      if (Date.now() > deadline) throw new Error('the gateway did not learn of the raised limits')
}

async function limitOf(stack: Stack, headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${stack.urls.base}/api/v1/assets?limit=1`, { headers })
  await response.body?.cancel()
  return Number(response.headers.get('x-ratelimit-limit'))
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
