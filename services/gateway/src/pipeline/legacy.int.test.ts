import { JSON_MEDIA_TYPE, type Route } from '@whereabouts/contracts/route'
import { routes } from '@whereabouts/contracts/routes'
import { describe, expect } from 'vitest'
import { test as base, type TestGateway } from '../../test/gateway.fixture.ts'

const SUNSET = '2126-06-01T00:00:00Z'
const SUNSET_HEADER = 'Sat, 01 Jun 2126 00:00:00 GMT'

/** Gateways with a date of withdrawal ahead, with none, and with one in the past. */
type Legacy = { announced: TestGateway; undated: TestGateway; withdrawn: TestGateway }

const test = base.extend<Legacy>({
  announced: async ({ startGateway }, use) => use(await startGateway({ legacySunset: new Date(SUNSET) })),
  undated: async ({ gateway }, use) => use(gateway),
  withdrawn: async ({ startGateway }, use) =>
    use(await startGateway({ legacySunset: new Date('2026-01-01T00:00:00Z') })),
})

const deprecationOf = ({ headers }: { headers: Record<string, unknown> }) => [
  headers['deprecation'],
  headers['sunset'],
]

describe('D1.2 the second base URL', () => {
  test('a legacy row passes the same pipeline, on its own path', async ({ around, announced }) => {
    const { authorization } = await announced.keyToken({ scopes: ['assets:read', 'assets:write'] })
    const headers = { authorization }
    const list = await announced.request('/legacy/api/v1/assets?limit=2', { headers })
    expect(list.status).toBe(200)
    expect(list.headers['x-ratelimit-limit']).toBe('60')
    expect(around.services.catalog.seen.at(-1)?.url).toBe('/legacy/api/v1/assets?limit=2')
    await announced.request('/legacy/api/v1/assets/FORK%2F7', {
      method: 'PUT',
      headers: { ...headers, 'content-type': JSON_MEDIA_TYPE },
      body: '{}',
    })
    expect(around.services.catalog.seen.at(-1)).toMatchObject({
      method: 'PUT',
      url: '/legacy/api/v1/assets/FORK%2F7',
    })
  })

  const answers = [
    { name: 'success', path: '/legacy/api/v1/assets', status: 200, authorized: true },
    { name: '401', path: '/legacy/api/v1/assets', status: 401 },
    { name: '404', path: '/legacy/api/v1/users/me', status: 404 },
    { name: '404 of the base itself', path: '/legacy', status: 404 },
    { name: '405', path: '/legacy/api/v1/assets', method: 'DELETE', status: 405 },
    { name: 'a preflight', path: '/legacy/api/v1/anything', method: 'OPTIONS', status: 204 },
    { name: 'the web filter', path: '/legacy/api/v1/assets', agent: 'undici', status: 403 },
    { name: 'broken percent-encoding', path: '/legacy/api/v1/assets/%ff', status: 400 },
    { name: 'the description', path: '/legacy/api/openapi.json', status: 200 },
    { name: 'the reference', path: '/legacy/api', status: 200 },
  ]
  test.for(answers)(
    '$name has Deprecation, and Sunset if the date is set',
    async (answer, { announced, undated }) => {
      for (const [gateway, sunset] of [
        [announced, SUNSET_HEADER],
        [undated, undefined],
      ] as const) {
        const headers = {
          ...(answer.authorized === true && (await gateway.keyToken())),
          'user-agent': answer.agent ?? 'acme/1',
        }
        const { method = 'GET' } = answer
        const got = await gateway.request(answer.path, { method, headers })
        expect(got.status).toBe(answer.status)
        expect(deprecationOf(got)).toEqual(['true', sunset])
        expect(got.headers['access-control-allow-origin']).toBe('*')
        expect(got.headers['access-control-expose-headers']).toContain('Sunset')
      }
    },
  )

  test('no response of the current vocabulary has Deprecation', async ({ around, announced }) => {
    around.services.catalog.respondWith((_request, reply) =>
      reply.headers({ deprecation: 'true', sunset: SUNSET_HEADER }).send({}),
    )
    const headers = await announced.keyToken()
    for (const path of ['/api/v1/assets', '/api/v1/nowhere', '/api', '/api/openapi.json', '/legacyx'])
      expect(deprecationOf(await announced.request(path, { headers }))).toEqual([undefined, undefined])
  })

  test('an operation without a legacy row is 404', async ({ undated }) => {
    const answer = await undated.request('/legacy/api/v1/users/me', { headers: await undated.keyToken() })
    expect(answer.error()).toMatchObject({
      type: 'not_found',
      detail: 'Unknown API route: /legacy/api/v1/users/me',
      instance: '/legacy/api/v1/users/me',
    })
  })

  test('D17.1 tokens are issued there as at the current path', async ({ around, undated }) => {
    const authorization = `Basic ${Buffer.from('id:secret').toString('base64')}`
    const headers = { authorization, 'content-type': JSON_MEDIA_TYPE }
    const answer = await undated.request('/legacy/api/v1/oauth/token', {
      method: 'POST',
      headers,
      body: '{}',
    })
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store'])
    const seen = around.services.keys.seen.at(-1)
    expect(seen?.url).toBe('/legacy/api/v1/oauth/token')
    expect(seen?.headers.authorization).toBe(authorization)
    const got = await undated.request('/legacy/api/v1/oauth/token')
    expect([got.status, got.headers['allow'], got.headers['cache-control']]).toEqual([
      405,
      'POST',
      'no-store',
    ])
  })

  test('D17.1 API keys there need keys:admin and are counted', async ({ undated }) => {
    const path = '/legacy/api/v1/orgs/1/api-keys'
    const reader = await undated.keyToken({ scopes: ['assets:read'] })
    const refused = await undated.request(path, { headers: { authorization: reader.authorization } })
    expect([refused.status, refused.headers['x-ratelimit-limit']]).toEqual([403, '60'])
    const admin = await undated.keyToken({ scopes: ['keys:admin'] })
    const listed = await undated.request(path, { headers: { authorization: admin.authorization } })
    expect([listed.status, ...deprecationOf(listed)]).toEqual([200, 'true', undefined])
    const own = await undated.request('/legacy/api/v1/orgs/me', {
      headers: { authorization: reader.authorization },
    })
    expect([own.status, own.headers['x-ratelimit-limit']]).toEqual([200, undefined])
  })

  test('D2.3 Allow names PUT there, in its order, and nowhere else', async ({ undated }) => {
    const allowOf = async (path: string, method: string) =>
      (await undated.request(path, { method })).headers['allow']
    expect(await allowOf('/legacy/api/v1/assets/A', 'PATCH')).toBe('GET, HEAD, PUT, DELETE')
    expect(await allowOf('/api/v1/assets/1', 'PUT')).not.toContain('PUT')
  })

  test('a preflight there names PUT, which the current vocabulary lacks', async ({ undated }) => {
    const methodsOf = async (path: string) =>
      (await undated.request(path, { method: 'OPTIONS' })).headers['access-control-allow-methods']
    expect(await methodsOf('/legacy/api/v1/assets/1')).toContain('PUT')
    expect(await methodsOf('/api/v1/assets/1')).not.toContain('PUT')
  })

  test('its description has only the legacy rows, below its base URL', async ({ announced }) => {
    const json = JSON.parse((await announced.request('/legacy/api/openapi.json')).text)
    expect(json.openapi).toBe('3.0.3')
    expect(json.servers[0].url).toBe('http://whereabouts.example/legacy')
    const rows = Object.values<Route>(routes).filter(({ vocabulary }) => vocabulary === 'legacy')
    expect(new Set(Object.keys(json.paths))).toEqual(new Set(rows.map(({ path }) => `/api/v1${path}`)))
    const { responses, deprecated } = json.paths['/api/v1/assets'].get
    expect(deprecated).toBe(true)
    expect(Object.keys(responses['200'].headers)).toEqual(
      expect.arrayContaining(['Deprecation', 'Sunset', 'X-RateLimit-Limit']),
    )
    expect(responses['410']).toBeDefined()
    const current = (await announced.request('/api/openapi.json')).text
    expect(current).not.toMatch(/Legacy|\{identifier\}/)
    const yaml = await announced.request('/legacy/api/openapi.yaml')
    expect(yaml.text).toContain('"url": "http://whereabouts.example/legacy"')
    const bare = await announced.request('/legacy/openapi.yaml')
    expect([bare.status, bare.headers.location]).toEqual([301, '/legacy/api/openapi.yaml'])
  })
})

describe('past the sunset', () => {
  test.for([
    { path: '/legacy/api/v1/assets', method: 'GET' },
    { path: '/legacy/api/v1/assets', method: 'DELETE' },
    { path: '/legacy/api/v1/nowhere', method: 'POST' },
    { path: '/legacy/api/v1', method: 'GET' },
    { path: '/legacy/api/v1/assets/%ff', method: 'GET' },
  ])('$method $path returns 410 without a token check', async ({ path, method }, { withdrawn }) => {
    const answer = await withdrawn.request(path, { method, headers: { 'content-type': JSON_MEDIA_TYPE } })
    expect(answer.status).toBe(410)
    expect(answer.error()).toMatchObject({ type: 'gone', title: 'Gone', status: 410, instance: path })
    expect(deprecationOf(answer)).toEqual(['true', 'Thu, 01 Jan 2026 00:00:00 GMT'])
  })

  test('a preflight still succeeds, so that a page can read the 410', async ({ withdrawn }) => {
    const answer = await withdrawn.request('/legacy/api/v1/assets', { method: 'OPTIONS' })
    expect(answer.status).toBe(204)
  })

  test('the current vocabulary and both descriptions stay available', async ({ withdrawn }) => {
    const headers = await withdrawn.keyToken()
    expect((await withdrawn.request('/api/v1/assets', { headers })).status).toBe(200)
    expect((await withdrawn.request('/legacy/api/openapi.json')).status).toBe(200)
  })
})
