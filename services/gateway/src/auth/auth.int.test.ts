import { randomUUID } from 'node:crypto'
import { JWKS_PATH } from '@whereabouts/contracts/resources/keys/token-claims'
import { describe, expect } from 'vitest'
import {
  bearer,
  keyStateOf,
  memberStateOf,
  ORG_ID,
  sessionBearer,
  test as base,
} from '../../test/gateway.fixture.ts'
import type { Surroundings, TestGateway } from '../../test/gateway.fixture.ts'
import { KeyView } from './key-view.ts'
import type { Reply } from '../../test/raw-request.fixture.ts'
import { tokenMint } from '../../test/tokens.fixture.ts'

const PAST = '2020-01-01T00:00:00.000Z'

type Ask = (headers: Record<string, string>, path?: string) => Promise<Reply>
type Refusal = { status: number; challenge: unknown; passedOn: number } & Record<
  'type' | 'title' | 'detail',
  unknown
>

const test = base.extend<{
  ask: Ask
  /** The refusal of a request. */
  refusal: (headers: Record<string, string>, path?: string) => Promise<Refusal>
}>({
  ask: async ({ gateway }, use) =>
    use((headers, path = '/api/v1/assets') => gateway.request(path, { headers })),
  refusal: async ({ ask, around }, use) => {
    const { seen } = around.services.catalog
    await use(async (headers, path) => {
      const before = seen.length
      const answer = await ask(headers, path)
      const { type, title, detail } = answer.error()
      const challenge = answer.headers['www-authenticate']
      return { status: answer.status, challenge, type, title, detail, passedOn: seen.length - before }
    })
  },
})

const refused = (detail: string) => ({
  status: 401,
  challenge: 'Bearer realm="api"',
  type: 'unauthorized',
  title: 'Authentication required',
  detail,
  passedOn: 0,
})

describe('D3.4 D9.4 every 401 says what is wrong', () => {
  const MISSING = 'Missing authorization header'
  const BEARER = 'Use Authorization: Bearer <token>'
  const INVALID = 'Invalid or expired token'
  const someToken = async (gateway: TestGateway) =>
    (await gateway.keyToken()).authorization.slice('Bearer '.length)

  test('no header', async ({ refusal }) => expect(await refusal({})).toEqual(refused(MISSING)))
  test('an empty header', async ({ refusal }) =>
    expect(await refusal({ authorization: ' ' })).toEqual(refused(MISSING)))
  test.for(['X-API-Key', 'Api-Key', 'X-Auth-Token', 'X-Whatever'])(
    'a good token in %s',
    async (name, { gateway, refusal }) => {
      expect(await refusal({ [name]: await someToken(gateway) })).toEqual(refused(BEARER))
    },
  )
  test.for(['Basic', 'Token', 'JWT', 'ApiKey'])(
    'a good token with the scheme %s',
    async (scheme, { gateway, refusal }) => {
      expect(await refusal({ authorization: `${scheme} ${await someToken(gateway)}` })).toEqual(
        refused(BEARER),
      )
    },
  )
  test('the scheme without a token', async ({ refusal }) =>
    expect(await refusal({ authorization: 'Bearer' })).toEqual(refused(BEARER)))
  test('the token without a scheme', async ({ gateway, refusal }) =>
    expect(await refusal({ authorization: await someToken(gateway) })).toEqual(refused(BEARER)))
  test('a value that is not a token', async ({ refusal }) =>
    expect(await refusal({ authorization: 'Bearer wb_secret' })).toEqual(refused(INVALID)))

  const claims = { typ: 'key', sub: keyStateOf().jti, org_id: ORG_ID, scopes: [] }
  test('a token that has expired', async ({ around, refusal }) => {
    const token = await around.mint.mint(claims, { expiresIn: -1 })
    expect(await refusal({ authorization: `Bearer ${token}` })).toEqual(refused(INVALID))
  })
  test('D9.2 a token of the other environment', async ({ around, gateway, refusal }) => {
    const { jti } = await gateway.keyToken()
    const token = await around.mint.mint({ ...claims, sub: jti }, { environment: 'preview' })
    expect(await refusal({ authorization: `Bearer ${token}` })).toEqual(refused(INVALID))
  })
  test('a foreign signature, with a known and an unknown key id', async ({ gateway, refusal }) => {
    for (const kid of ['k1', 'k2']) {
      await gateway.sessionToken()
      const authorization = await sessionBearer(await tokenMint(kid), memberStateOf())
      expect(await refusal({ authorization })).toEqual(refused(INVALID))
    }
  })
  test('a token of an unsigned algorithm', async ({ gateway, refusal }) => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const [, payload] = (await someToken(gateway)).split('.')
    expect(
      await refusal({ authorization: `Bearer ${part({ alg: 'none', kid: 'k1' })}.${payload}.` }),
    ).toEqual(refused(INVALID))
  })
  test('a token of an unknown key', async ({ around, refusal }) => {
    expect(await refusal({ authorization: await bearer(around.mint, keyStateOf()) })).toEqual(
      refused(INVALID),
    )
  })
  test("a token that names another organization than its key's", async ({ around, gateway, refusal }) => {
    const { jti } = await gateway.keyToken()
    expect(
      await refusal({ authorization: await bearer(around.mint, keyStateOf({ jti, org_id: 8 })) }),
    ).toEqual(refused(INVALID))
  })
  test('a revoked key', async ({ gateway, refusal }) => {
    const { authorization } = await gateway.keyToken({ revoked_at: PAST })
    expect(await refusal({ authorization })).toEqual(refused('API key has been revoked'))
  })
  test('an expired key', async ({ gateway, refusal }) => {
    const { authorization } = await gateway.keyToken({ expires_at: PAST })
    expect(await refusal({ authorization })).toEqual(refused('API key has expired'))
  })
  test('D9.8 a session for a row that only keys may use', async ({ gateway, refusal }) => {
    expect(await refusal(await gateway.sessionToken(), '/api/v1/orgs/me')).toEqual(refused(INVALID))
  })
})

describe('D9.3 a revocation', () => {
  test('binds the next request, and an older state does not undo it', async ({ gateway, ask, refusal }) => {
    const { authorization, jti } = await gateway.keyToken({ revision: 5 })
    expect((await ask({ authorization })).status).toBe(200)
    gateway.view.states.apply(`keys.key.${jti}`, keyStateOf({ jti, revision: 6, revoked_at: PAST }))
    gateway.view.states.apply(`keys.key.${jti}`, keyStateOf({ jti, revision: 5 }))
    expect(await refusal({ authorization })).toEqual(refused('API key has been revoked'))
  })

  test('that the view has missed binds within a second', async ({ around, gateway, ask }) => {
    const { authorization, jti } = await gateway.keyToken()
    gateway.setCurrent(false)
    try {
      around.keys.set(jti, keyStateOf({ jti }))
      expect((await ask({ authorization })).status).toBe(200)
      around.keys.set(jti, keyStateOf({ jti, revision: 2, revoked_at: PAST }))
      await expect.poll(async () => (await ask({ authorization })).status, { timeout: 1_000 }).toBe(401)
    } finally {
      gateway.setCurrent(true)
    }
  })
})

test('a key that the view lacks is looked up once for many requests', async ({ around, ask }) => {
  const state = keyStateOf()
  around.keys.set(state.jti, state)
  const authorization = await bearer(around.mint, state)
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask({ authorization })))
  expect(answers.map((a) => a.status)).toEqual(Array.from({ length: 10 }, () => 200))
  const lookups = around.services.keys.seen.filter((seen) => seen.url === `/internal/keys/${state.jti}`)
  expect(lookups.length).toBe(1)
})

describe('a session', () => {
  const member = (user_id: number, revision: number, deleted_at: string | null = null) =>
    memberStateOf({ user_id, revision, deleted_at })
  const hear = (gateway: TestGateway, state: ReturnType<typeof member>) =>
    gateway.view.states.apply(`keys.member.${ORG_ID}.${state.user_id}`, state)
  const statusOf = async (ask: Ask, authorization: string) => (await ask({ authorization })).status
  const INVALID = 'Invalid or expired token'

  test.for([
    { change: 'a change of role', deleted_at: null },
    { change: 'the removal of its member', deleted_at: PAST },
  ])(
    'ends with $change at the next request, and an older state does not undo it',
    async ({ deleted_at }, { gateway, ask, refusal }) => {
      const { authorization } = await gateway.sessionToken({ userId: 50, revision: 5 })
      expect(await statusOf(ask, authorization)).toBe(200)
      hear(gateway, member(50, 6, deleted_at))
      hear(gateway, member(50, 5))
      expect(await refusal({ authorization })).toEqual(refused(INVALID))
      gateway.view.states.clear()
    },
  )

  test('of a removed member stays invalid after a re-join', async ({ around, gateway, ask, refusal }) => {
    const { authorization } = await gateway.sessionToken({ userId: 51, revision: 5 })
    hear(gateway, member(51, 6, PAST))
    const again = member(51, 7)
    // The token arrives before its state.
    expect(await statusOf(ask, await sessionBearer(around.mint, again))).toBe(200)
    hear(gateway, again)
    expect(await statusOf(ask, await sessionBearer(around.mint, again))).toBe(200)
    expect(await refusal({ authorization })).toEqual(refused(INVALID))
  })

  test('of another organization stays valid', async ({ gateway, ask }) => {
    const { authorization } = await gateway.sessionToken({ userId: 52 })
    gateway.view.states.apply('keys.member.8.52', memberStateOf({ org_id: 8, user_id: 52, revision: 9 }))
    expect(await statusOf(ask, authorization)).toBe(200)
  })

  test('of a member whom the view lacks is looked up at keys', async ({ around, ask, refusal }) => {
    around.members.set(`${ORG_ID}/53`, member(53, 2))
    expect(await statusOf(ask, await sessionBearer(around.mint, member(53, 2)))).toBe(200)
    expect(await refusal({ authorization: await sessionBearer(around.mint, member(53, 1)) })).toEqual(
      refused(INVALID),
    )
    expect(await refusal({ authorization: await sessionBearer(around.mint, member(54, 1)) })).toEqual(
      refused(INVALID),
    )
  })

  test('whose end the view has missed ends within a second', async ({ around, gateway, ask }) => {
    const { authorization } = await gateway.sessionToken({ userId: 55 })
    gateway.setCurrent(false)
    try {
      around.members.set(`${ORG_ID}/55`, member(55, 1))
      expect(await statusOf(ask, authorization)).toBe(200)
      around.members.delete(`${ORG_ID}/55`)
      await expect.poll(() => statusOf(ask, authorization), { timeout: 1_000 }).toBe(401)
    } finally {
      gateway.setCurrent(true)
    }
  })

  test('without a revision of a membership is refused', async ({ around, gateway, refusal }) => {
    await gateway.sessionToken()
    const token = await around.mint.mint({ typ: 'session', sub: '1', org_id: ORG_ID, role: 'admin' })
    expect(await refusal({ authorization: `Bearer ${token}` })).toEqual(refused(INVALID))
  })
})

test('without stream and keys: 503, or 401 for known ends', async ({ startGateway, ownSurroundings }) => {
  const lonely = await startGateway({}, ownSurroundings)
  const { authorization } = await lonely.keyToken()
  const session = await lonely.sessionToken()
  const { authorization: revoked } = await lonely.keyToken({ revoked_at: PAST })
  const status = async (headers: Record<string, string>) => lonely.request('/api/v1/assets', { headers })
  expect((await status({ authorization })).status).toBe(200)
  lonely.setCurrent(false)
  await ownSurroundings.services.keys.stop()
  const answer = await status({ authorization })
  expect(answer.status).toBe(503)
  expect(answer.headers['retry-after']).toBe('1')
  expect(answer.error()).toMatchObject({ type: 'service_unavailable' })
  expect((await status({ authorization: revoked })).status).toBe(401)
  expect((await status(session)).status).toBe(503)
  lonely.view.states.apply(`keys.member.${ORG_ID}.1`, memberStateOf({ revision: 2, deleted_at: PAST }))
  expect((await status(session)).status).toBe(401)
})

test('D9.2 a new signing key needs no restart', async ({ startGateway, ownSurroundings }) => {
  const rotating = await startGateway({}, ownSurroundings)
  const fetches = () => ownSurroundings.services.keys.seen.filter((seen) => seen.url === JWKS_PATH).length
  for (let i = 0; i < 5; i += 1)
    await rotating.request('/api/v1/assets', { headers: await rotating.sessionToken() })
  expect(fetches()).toBe(1)
  const next = await tokenMint('k2')
  ownSurroundings.mint.jwks.keys.push(...next.jwks.keys)
  const authorization = await sessionBearer(next, memberStateOf())
  const status = async () => (await rotating.request('/api/v1/assets', { headers: { authorization } })).status
  await expect.poll(status, { timeout: 5_000 }).toBe(200)
})

describe('S11a the end of a session or token chain', () => {
  const chainOf = () => randomUUID()
  type Both = { gateway: TestGateway; around: Surroundings }
  const end = (gateway: TestGateway, chain_id: string, ended_at = new Date().toISOString()) =>
    gateway.view.states.apply(`keys.chain.${chain_id}`, { org_id: ORG_ID, chain_id, ended_at })
  const keyBearer = async ({ gateway, around }: Both, sid: string) => {
    const { jti } = await gateway.keyToken()
    return `Bearer ${await around.mint.mint({ typ: 'key', sub: jti, org_id: ORG_ID, scopes: ['assets:read'], sid })}`
  }
  const sessionOf = async ({ gateway, around }: Both, sid: string) => {
    await gateway.sessionToken({ userId: 70 })
    const claims = { typ: 'session', sub: '70', org_id: ORG_ID, role: 'admin', member_revision: 1, sid }
    return `Bearer ${await around.mint.mint(claims)}`
  }

  test.for([
    { name: 'a session', bearerOf: sessionOf },
    { name: 'a key', bearerOf: keyBearer },
  ])(
    'binds the next request of $name, and no other chain',
    async ({ bearerOf }, { around, gateway, ask, refusal }) => {
      const [ended, alive] = [chainOf(), chainOf()]
      const authorization = await bearerOf({ gateway, around }, ended)
      const other = await bearerOf({ gateway, around }, alive)
      expect((await ask({ authorization })).status).toBe(200)
      end(gateway, ended)
      expect(await refusal({ authorization })).toEqual(refused('Invalid or expired token'))
      expect((await ask({ authorization: other })).status).toBe(200)
    },
  )

  test('that the view has missed binds within a second', async ({ around, gateway, ask }) => {
    const sid = chainOf()
    const authorization = await sessionOf({ gateway, around }, sid)
    gateway.setCurrent(false)
    try {
      expect((await ask({ authorization })).status).toBe(200)
      around.endedChains.add(`${ORG_ID}/${sid}`)
      await expect.poll(async () => (await ask({ authorization })).status, { timeout: 1_000 }).toBe(401)
    } finally {
      gateway.setCurrent(true)
    }
  })

  test('is deleted when its tokens have expired', () => {
    let now = Date.parse('2026-11-22T10:00:00.000Z')
    const view = new KeyView(undefined, () => now)
    const ending = (chain_id: string) =>
      view.states.apply(`keys.chain.${chain_id}`, {
        org_id: 7,
        chain_id,
        ended_at: new Date(now).toISOString(),
      })
    const [first, second] = [chainOf(), chainOf()]
    ending(first)
    now += 3_600_000
    ending(second)
    expect([view.isChainEnded(first), view.isChainEnded(second)]).toEqual([true, true])
    now += 400_000
    ending(chainOf())
    expect([view.isChainEnded(first), view.isChainEnded(second)]).toEqual([false, true])
  })
})

test('S11l a lookup at keys has a credential of the gateway', async ({ around, gateway, ask }) => {
  const { jti } = await gateway.keyToken()
  gateway.setCurrent(false)
  around.keys.set(jti, keyStateOf({ jti }))
  try {
    const authorization = await bearer(around.mint, keyStateOf({ jti }))
    expect((await ask({ authorization })).status).toBe(200)
  } finally {
    gateway.setCurrent(true)
  }
  const lookups = around.services.keys.seen.filter(({ url }) => url === `/internal/keys/${jti}`)
  expect(lookups).toHaveLength(1)
  expect(await gateway.verifyGateway(String(lookups[0]?.headers['x-principal']))).toBe(true)
})

test('D12.1 a narrowed token allows only its scopes', async ({ around, gateway, ask }) => {
  const { jti } = await gateway.keyToken({ scopes: ['assets:read', 'locations:read'] })
  const claims = { typ: 'key', sub: jti, org_id: ORG_ID, scopes: ['assets:read', 'keys:admin'] }
  const authorization = `Bearer ${await around.mint.mint(claims)}`
  expect((await ask({ authorization })).status).toBe(200)
  expect((await ask({ authorization }, '/api/v1/locations')).status).toBe(403)
  expect((await ask({ authorization }, '/api/v1/orgs/7/api-keys')).status).toBe(403) // the key never had it
})

describe('D2.6 who may do what', () => {
  test.for([
    { scopes: ['assets:read'], path: '/api/v1/assets', status: 200 },
    { scopes: ['assets:write'], path: '/api/v1/assets', status: 403, scope: 'assets:read' },
    { scopes: ['tracking:read'], path: '/api/v1/reports/asset-locations', status: 200 },
    { scopes: ['scans:read'], path: '/api/v1/assets/5/history', status: 200 },
    { scopes: ['scans:write'], path: '/api/v1/reports/asset-locations', status: 403, scope: 'scans:read' },
    { scopes: ['assets:read'], path: '/api/v1/orgs/7/api-keys', status: 403, scope: 'keys:admin' },
    { scopes: ['keys:admin'], path: '/api/v1/orgs/7/api-keys', status: 200 },
    { scopes: ['keys:admin'], path: '/api/v1/assets', status: 403, scope: 'assets:read' },
    { scopes: [], path: '/api/v1/orgs/me', status: 200 },
  ])(
    'a key with $scopes gets $status from $path',
    async ({ scopes, path, status, scope }, { gateway, ask }) => {
      const { authorization } = await gateway.keyToken({ scopes })
      const answer = await ask({ authorization }, path)
      expect(answer.status).toBe(status)
      const detail = status === 403 && answer.error()['detail']
      expect(detail).toBe(scope !== undefined && `Missing required scope: ${scope}`)
    },
  )

  test.for([
    { role: 'viewer', method: 'GET', path: '/api/v1/assets', status: 200 },
    { role: 'viewer', method: 'POST', path: '/api/v1/assets', status: 403, needs: 'member' },
    { role: 'viewer', method: 'DELETE', path: '/api/v1/webhooks/5', status: 403, needs: 'admin' },
    { role: 'member', method: 'GET', path: '/api/v1/assets', status: 200 },
    { role: 'member', method: 'GET', path: '/api/v1/webhooks', status: 200 },
    { role: 'member', method: 'DELETE', path: '/api/v1/webhooks/5', status: 403, needs: 'admin' },
    { role: 'member', method: 'GET', path: '/api/v1/orgs/7/api-keys', status: 403, needs: 'admin' },
    { role: 'admin', method: 'GET', path: '/api/v1/orgs/7/api-keys', status: 200 },
    { role: 'admin', method: 'DELETE', path: '/api/v1/webhooks/5', status: 200 },
  ] as const)(
    'a session of a $role gets $status from $method $path',
    async ({ role, method, path, status, needs }, { gateway }) => {
      const answer = await gateway.request(path, { method, headers: await gateway.sessionToken({ role }) })
      expect(answer.status).toBe(status)
      const detail =
        needs &&
        `Organization ${needs} role required. An administrator of the organization can give it to you`
      expect(status === 403 ? answer.error()['detail'] : undefined).toBe(detail)
    },
  )

  test('a key cannot use the routes of the console with any scopes', async ({ gateway, ask }) => {
    const { authorization } = await gateway.keyToken({ scopes: ['keys:admin', 'assets:write'] })
    for (const path of ['/api/v1/webhooks', '/api/v1/readers'])
      expect((await ask({ authorization }, path)).status).toBe(403)
  })
})

describe('the principal', () => {
  const principalOf = async ({ gateway, around }: { gateway: TestGateway; around: Surroundings }) =>
    gateway.verifyPrincipal(String(around.services.catalog.seen.at(-1)?.headers['x-principal']))

  test("is signed once per token, with the key's current scopes", async ({ around, gateway, ask }) => {
    const { authorization, jti } = await gateway.keyToken({ scopes: ['assets:read', 'locations:read'] })
    await ask({ authorization })
    const first = around.services.catalog.seen.at(-1)?.headers['x-principal']
    expect(await principalOf({ gateway, around })).toEqual({
      expiresAtMs: expect.any(Number),
      kind: 'key',
      orgId: ORG_ID,
      scopes: ['assets:read', 'locations:read'],
      keyId: jti,
    })
    await ask({ authorization })
    expect(around.services.catalog.seen.at(-1)?.headers['x-principal']).toBe(first)
    gateway.view.states.apply(`keys.key.${jti}`, keyStateOf({ jti, revision: 2, scopes: ['assets:read'] }))
    await ask({ authorization })
    expect(await principalOf({ gateway, around })).toMatchObject({ scopes: ['assets:read'] })
  })

  test('S11l is for one service, and signed once for each', async ({ around, gateway, ask }) => {
    const { authorization } = await gateway.keyToken({ scopes: ['assets:read', 'scans:read'] })
    const sentTo = async (name: 'catalog' | 'tracking', path: string) => {
      await ask({ authorization }, path)
      return String(around.services[name].seen.at(-1)?.headers['x-principal'])
    }
    const forCatalog = await sentTo('catalog', '/api/v1/assets')
    const forTracking = await sentTo('tracking', '/api/v1/reports/asset-locations')
    expect(await gateway.verifyPrincipal(forCatalog)).toMatchObject({ orgId: ORG_ID })
    expect(await gateway.verifyPrincipal(forTracking)).toBeUndefined() // catalog verifies
    expect(await sentTo('catalog', '/api/v1/assets')).toBe(forCatalog)
    expect(await sentTo('tracking', '/api/v1/reports/asset-locations')).toBe(forTracking)
  })

  test('of a session contains the user and the role', async ({ around, gateway, ask }) => {
    await ask(await gateway.sessionToken({ userId: 42, role: 'member' }))
    expect(await principalOf({ gateway, around })).toEqual({
      expiresAtMs: expect.any(Number),
      kind: 'session',
      orgId: ORG_ID,
      scopes: [],
      userId: 42,
      role: 'member',
    })
  })
})
