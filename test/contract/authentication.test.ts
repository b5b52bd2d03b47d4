import { setTimeout as delay } from 'node:timers/promises'
import { API_PREFIX, routes, type OperationId } from '@whereabouts/contracts/routes'
import type { Route } from '@whereabouts/contracts/route'
import { describe, expect, inject } from 'vitest'
import { startGateway } from '../system/gateways.ts'
import { jwtParts } from '../system/jwt.ts'
import { createApi, type Api } from './support/api.ts'
import { test as base } from './support/fixtures.ts'
import type { Key, Organization } from './support/organization.ts'

const table = Object.entries<Route>(routes) as [OperationId, Route][]
const guarded = table.filter(([, row]) => row.access !== 'none').map(([operationId]) => operationId)
const someParams = (row: Route) =>
  Object.fromEntries([...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 5]))

const test = base.extend('key', { scope: 'file' }, ({ org }) => org.key())

const MISSING = 'Missing authorization header'
const USE_BEARER = 'Use Authorization: Bearer <token>'
const INVALID = 'Invalid or expired token'

describe('D9.4 no token', () => {
  test.for(guarded)('%s answers 401', async (operationId, { api }) => {
    const reply = await api.call(operationId, { params: someParams(routes[operationId]) })
    expect(reply.status).toBe(401)
    expect(reply.body.error).toMatchObject({ type: 'unauthorized', detail: MISSING })
  })

  const open = table.filter(([, row]) => row.access === 'none').map(([operationId]) => operationId)
  test.for(open)('%s needs none', async (operationId, { api }) => {
    const reply = await api.call(operationId, { params: someParams(routes[operationId]), body: {} })
    expect(reply.status).not.toBe(401)
  })
})

describe('D9.4 not a bearer token', () => {
  type Headers = (key: Key) => Record<string, string>
  const basicOf = (key: Key) => Buffer.from(`${key.clientId}:${key.clientSecret}`).toString('base64')
  const cases: { name: string; detail: string; headers: Headers }[] = [
    { name: 'an empty Authorization header', detail: MISSING, headers: () => ({ authorization: '' }) },
    { name: 'spaces only', detail: MISSING, headers: () => ({ authorization: '   ' }) },
    { name: 'X-API-Key', detail: USE_BEARER, headers: ({ token }) => ({ 'x-api-key': token }) },
    {
      name: 'X-API-Key with the client secret',
      detail: USE_BEARER,
      headers: ({ clientSecret }) => ({ 'x-api-key': clientSecret }),
    },
    { name: 'X-Auth-Token', detail: USE_BEARER, headers: ({ token }) => ({ 'x-auth-token': token }) },
    { name: 'any other header', detail: USE_BEARER, headers: ({ token }) => ({ 'x-session': token }) },
    {
      name: 'any other header, as a bearer',
      detail: USE_BEARER,
      headers: ({ token }) => ({ 'x-forwarded-authorization': `Bearer ${token}` }),
    },
    { name: 'a cookie', detail: MISSING, headers: () => ({ cookie: 'session=abc' }) },
    {
      name: 'HTTP Basic with the credentials of the key',
      detail: USE_BEARER,
      headers: (key) => ({ authorization: `Basic ${basicOf(key)}` }),
    },
    { name: 'Digest', detail: USE_BEARER, headers: () => ({ authorization: 'Digest username="x"' }) },
    { name: 'the bare token', detail: USE_BEARER, headers: ({ token }) => ({ authorization: token }) },
    { name: 'Bearer without a token', detail: USE_BEARER, headers: () => ({ authorization: 'Bearer' }) },
    { name: 'Bearer and spaces', detail: USE_BEARER, headers: () => ({ authorization: 'Bearer   ' }) },
    {
      name: 'Bearer and two words',
      detail: USE_BEARER,
      headers: ({ token }) => ({ authorization: `Bearer ${token} ${token}` }),
    },
    {
      name: 'the scheme without a space',
      detail: USE_BEARER,
      headers: ({ token }) => ({ authorization: `Bearer${token}` }),
    },
    {
      name: 'Token as the scheme',
      detail: USE_BEARER,
      headers: ({ token }) => ({ authorization: `Token ${token}` }),
    },
    { name: 'an invented token', detail: INVALID, headers: () => ({ authorization: 'Bearer nonsense' }) },
    {
      name: 'the client secret as a bearer',
      detail: INVALID,
      headers: ({ clientSecret }) => ({ authorization: `Bearer ${clientSecret}` }),
    },
    {
      name: 'the refresh token as a bearer',
      detail: INVALID,
      headers: ({ refreshToken }) => ({ authorization: `Bearer ${refreshToken}` }),
    },
    {
      name: 'a token as long as a header may be',
      detail: INVALID,
      headers: () => ({ authorization: `Bearer ${'a'.repeat(12_000)}` }),
    },
  ]
  test.for(cases)('$name: $detail', async ({ detail, headers }, { api, key }) => {
    const reply = await api.call('listAssets', { headers: headers(key) })
    expect(reply.status).toBe(401)
    expect(reply.body.error).toMatchObject({
      type: 'unauthorized',
      title: 'Authentication required',
      detail,
    })
  })

  test.for(['bearer', 'BEARER', 'Bearer', 'bEaReR'])(
    'the scheme may be written %s',
    async (scheme, { api, key }) => {
      const headers = { authorization: `${scheme} ${key.token}` }
      expect((await api.call('getCurrentOrg', { headers })).status).toBe(200)
    },
  )

  test('a further token in another header changes nothing', async ({ api, key }) => {
    const reply = await api.call('getCurrentOrg', { token: key.token, headers: { 'x-api-key': 'nonsense' } })
    expect(reply.status).toBe(200)
  })

  test('a token in the query is ignored', async ({ api, key }) => {
    const reply = await api.request(`${API_PREFIX}/assets?access_token=${key.token}`)
    expect(reply.body.error).toMatchObject({ type: 'unauthorized', detail: MISSING })
  })
})

describe('identity headers of clients', () => {
  test.for(['x-principal', 'X-Principal', 'x-org-id', 'x-user-id', 'x-scopes'])(
    '%s does not change the caller',
    async (name, { api, newOrg }) => {
      const [victim, intruder] = [await newOrg(), await newOrg()]
      const claim = Buffer.from(JSON.stringify({ kind: 'session', org_id: victim.id })).toString('base64url')
      const headers = { [name]: `e30.${claim}.e30` }
      expect((await api.call('getCurrentOrg', { headers })).status).toBe(401)
      const { token } = await intruder.key()
      const reply = await api.call('getCurrentOrg', { token, headers })
      expect(reply.body.data.id).toBe(intruder.id)
    },
  )
})

describe('D9.8 GET /orgs/me', () => {
  test('shows organization, scopes and key, and has no rate-limit headers', async ({ api, newOrg }) => {
    const org = await newOrg('Blue Dock')
    const { token, jti } = await org.key({ scopes: ['scans:read', 'assets:read'] })
    const reply = await api.call('getCurrentOrg', { token })
    expect(reply.body).toEqual({
      data: { id: org.id, name: 'Blue Dock', scopes: ['scans:read', 'assets:read'], api_key_id: jti },
    })
    expect([...reply.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
  })

  test('takes no token of the bucket', async ({ api, org }) => {
    const { token } = await org.key()
    await Promise.all(Array.from({ length: 130 }, () => api.call('getCurrentOrg', { token })))
    expect((await api.call('getCurrentOrg', { token })).status).toBe(200)
    const counted = await api.call('listAssets', { token })
    expect(counted.headers.get('x-ratelimit-remaining')).toBe('60')
  })

  test('refuses a session with 401', async ({ api, org }) => {
    const reply = await api.call('getCurrentOrg', { token: org.admin })
    expect(reply.status).toBe(401)
    expect(reply.body.error.type).toBe('unauthorized')
  })
})

describe('D9.3 D9.4 a key that ended', () => {
  const revoke = (api: Api, org: Organization, key: Key) =>
    api.call('revokeApiKey', { params: { org_id: org.id, key_id: key.jti }, token: org.admin })

  test('revoked: every gateway refuses it within a second, for good', async ({ api, description, org }) => {
    const second = await startGateway(inject('place'))
    try {
      const gateways = [api, createApi(second.base, description)]
      for (let round = 0; round < 5; round += 1) {
        const key = await org.key()
        const use = (gateway: Api) => gateway.call('getCurrentOrg', { token: key.token })
        for (const gateway of gateways) expect((await use(gateway)).status).toBe(200)
        expect((await revoke(api, org, key)).status).toBe(204)
        const revokedAt = performance.now()
        const delays = await Promise.all(
          gateways.map(async (gateway) => {
            await expect
              .poll(async () => (await use(gateway)).status, { interval: 5, timeout: 3_000 })
              .toBe(401)
            return performance.now() - revokedAt
          }),
        )
        for (const ms of delays) expect(ms).toBeLessThan(1_000)
        for (const gateway of gateways)
          expect((await use(gateway)).body.error.detail).toBe('API key has been revoked')
      }
    } finally {
      await second.stop()
    }
  })

  test('expired: refused from that instant on', async ({ api, org }) => {
    const expiresAt = Date.now() + 2_500
    const { token } = await org.key({ expiresAt: new Date(expiresAt).toISOString() })
    expect((await api.call('getCurrentOrg', { token })).status).toBe(200)
    await delay(expiresAt - Date.now()) // real time is the subject of this test
    await expect
      .poll(() => api.call('getCurrentOrg', { token }), { timeout: 1_000 })
      .toMatchObject({ status: 401, body: { error: { detail: 'API key has expired' } } })
  })
})

describe('D9.2 signing keys', () => {
  test('anyone can read the public keys, which contain nothing else', async ({ api, key }) => {
    const reply = await api.request('/.well-known/jwks.json')
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/)
    const { keys } = JSON.parse(reply.text) as { keys: Record<string, string>[] }
    for (const jwk of keys) {
      expect(Object.keys(jwk).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
      expect(jwk).toMatchObject({ kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA' })
      expect(Buffer.from(jwk['x'] ?? '', 'base64url')).toHaveLength(32)
    }
    const kids = keys.map(({ kid }) => kid)
    expect(new Set(kids).size).toBe(keys.length)
    expect(keys.length).toBeGreaterThan(1) // the next one is published before it signs
    expect(kids).toContain(jwtParts(key.token).header['kid'])
  })
})
