import { routePath, routes } from '@whereabouts/contracts/routes'
import type { Route } from '@whereabouts/contracts/route'
import { describe, expect } from 'vitest'
import { test as base, type Surroundings } from '../../test/gateway.fixture.ts'

type Seen = Surroundings['services']['catalog']['seen']

const test = base.extend<{
  /** The last request that reached a service. */
  lastAt: (name: keyof Surroundings['services']) => Seen[number] | undefined
  everythingSeen: () => Seen
}>({
  lastAt: async ({ around }, use) => use((name) => around.services[name].seen.at(-1)),
  everythingSeen: async ({ around }, use) =>
    use(() => Object.values(around.services).flatMap((service) => service.seen)),
})
base.beforeEach(({ around }) => around.services.catalog.respondWith(() => ({})))

describe('every row of the route table', () => {
  const rows = Object.entries<Route>(routes)
  test.for(rows)('%s reaches its service, on its own path', async ([, row], { gateway, session, lastAt }) => {
    const path = routePath(row).replaceAll(/\{\w+\}/g, '5')
    const authorization =
      row.access === 'key' ? (await gateway.keyToken()).authorization : session.authorization
    const type = (row.upload ?? row).mediaTypes?.[0] ?? 'application/json'
    const body = row.body || row.upload ? '{"x":1}' : undefined
    const answer = await gateway.request(`${path}?a=1&b=%20`, {
      method: row.method,
      headers: { authorization, ...(body && { 'content-type': type }) },
      ...(body && { body }),
    })
    expect(answer.status).toBe(200)
    const seen = lastAt(row.upstream)
    expect([seen?.method, seen?.url]).toEqual([row.method, `${path}?a=1&b=%20`])
    expect(seen?.body?.toString()).toBe(body)
  })
})

describe('headers in which a client names itself are not forwarded', () => {
  const forged = {
    'x-principal': 'forged',
    'x-forwarded-for': '10.0.0.1',
    'x-forwarded-host': 'evil.example',
    forwarded: 'for=10.0.0.1',
    'x-real-ip': '10.0.0.1',
    cookie: 'session=1',
    'x-org-id': '1',
  }

  test('on a route with a token, which is not forwarded either', async ({ gateway, session, lastAt }) => {
    await gateway.request('/api/v1/assets', { headers: { ...session, ...forged } })
    const headers = lastAt('catalog')?.headers ?? {}
    expect(headers['x-principal']).not.toBe('forged')
    expect(await gateway.verifyPrincipal(String(headers['x-principal']))).toMatchObject({ userId: 1 })
    expect(headers['x-forwarded-for']).toBe('127.0.0.1')
    for (const name of ['authorization', 'cookie', 'forwarded', 'x-forwarded-host', 'x-real-ip', 'x-org-id'])
      expect(headers[name], name).toBeUndefined()
  })

  test('on a public route, which may get HTTP Basic, but no principal', async ({ gateway, lastAt }) => {
    const headers = { ...forged, authorization: 'Basic aWQ6c2VjcmV0', 'content-type': 'application/json' }
    await gateway.request('/api/v1/oauth/token', { method: 'POST', headers, body: '{}' })
    const seen = lastAt('keys')?.headers ?? {}
    expect(seen['x-principal']).toBeUndefined()
    expect(seen.authorization).toBe('Basic aWQ6c2VjcmV0')
    expect(seen['x-forwarded-for']).toBe('127.0.0.1')
  })

  test('except the cookie on the way back of a sign-on, whose answer passes as it is', async ({
    gateway,
    around,
    lastAt,
  }) => {
    const [to, cookie] = ['https://provider.example/auth?state=x', '__Host-whereabouts_sign_on=1; HttpOnly']
    around.respondFromKeys((_request, reply) =>
      reply.status(302).headers({ location: to, 'set-cookie': cookie }).send(),
    )
    const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)', cookie: 'a=1' }
    for (const path of ['start', 'callback?state=x&code=y']) {
      const answer = await gateway.request(`/api/v1/auth/oidc/${path}`, { headers: browser })
      expect(answer.status).toBe(302)
      expect(answer.headers).toMatchObject({
        location: to,
        'set-cookie': [cookie],
        'cache-control': 'private, no-store',
      })
      expect(lastAt('keys')?.headers['cookie']).toBe('a=1')
    }
    await gateway.request('/api/v1/auth/oidc', { headers: browser })
    expect(lastAt('keys')?.headers['cookie']).toBeUndefined()
    around.respondFromKeys(() => ({}))
  })

  test('by naming a header in Connection', async ({ gateway, session, lastAt }) => {
    const headers = { ...session, connection: 'close, x-principal, x-forwarded-for, x-request-id' }
    await gateway.request('/api/v1/assets', { headers })
    expect(lastAt('catalog')?.headers).toMatchObject({
      'x-principal': expect.any(String),
      'x-forwarded-for': '127.0.0.1',
    })
  })

  test('by a body on a GET as the next request', async ({ gateway, session, lastAt, everythingSeen }) => {
    const body = 'GET /internal/keys/x HTTP/1.1\r\nhost: x\r\n\r\n'
    const before = everythingSeen().length
    await gateway.request('/api/v1/assets', {
      headers: { ...session, 'content-length': String(body.length) },
      body,
    })
    await gateway.request('/api/v1/assets', { headers: session })
    expect(
      everythingSeen()
        .slice(before)
        .map((seen) => seen.url),
    ).not.toContain('/internal/keys/x')
    expect(lastAt('catalog')?.headers['content-length']).toBeUndefined()
  })

  test('unless a trusted proxy sends a client address', async ({ startGateway, lastAt }) => {
    const behind = await startGateway({ trustedProxies: ['127.0.0.1'] })
    const headers = { ...(await behind.sessionToken()), 'x-forwarded-for': '10.9.9.9, 203.0.113.7' }
    await behind.request('/api/v1/assets', { headers })
    expect(lastAt('catalog')?.headers['x-forwarded-for']).toBe('203.0.113.7')
  })

  test('its trace continues, unrecorded, in a new span', async ({ gateway, session, lastAt }) => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await gateway.request('/api/v1/assets', { headers: { ...session, traceparent } })
    const seen = String(lastAt('catalog')?.headers['traceparent'])
    expect(seen).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[\da-f]{16}-00$/)
    expect(seen).not.toContain('b7ad6b7169203331')
  })
})

describe('internal routes of services', () => {
  const spellings = [
    '/internal/keys/x',
    '//internal/keys/x',
    '/\\internal/keys/x',
    '/..internal/keys/x',
    '/internal../keys/x',
    '/./internal/keys/x',
    '/api/../internal/keys/x',
    '/api/v1/../../internal/keys/x',
    '/api/v1/assets/../../../internal/keys/x',
    '/api/v1/assets/%2e%2e/%2e%2e/%2e%2e/internal/keys/x',
    '/api/v1/assets/..%2f..%2f..%2finternal%2fkeys%2fx',
    '/api/v1/assets/%2e%2e%2f%2e%2e%2f%2e%2e%2finternal',
    '/api/v1/assets/..%5c..%5c..%5cinternal',
    '/api/v1//internal/keys/x',
    '/%69nternal/keys/x',
    '/screens/../../internal/keys/x',
    '/screens/%2e%2e/%2E%2e/internal/keys/x',
    '/screens/..%2f..%2finternal',
    '/api/v1/orgs/%2e%2e/api-keys',
    '/api/v1/orgs/..%2f..%2f..%2finternal%2fkeys%2fx%3f/api-keys',
    '/.well-known/../internal/keys/x',
    '/.well-known/jwks.json/../../internal/keys/x',
    '/.well-known/%2e%2e/internal/keys/x',
    '/api/v1/assets/5%00',
    '/api/v1/assets/5#/../../internal/keys/x',
    '/api/v1/assets/5;/../../internal/keys/x',
    'http://127.0.0.1/internal/keys/x',
  ]
  test.for(spellings)('%s cannot be reached', async (path, { around, gateway, session, everythingSeen }) => {
    const admin = { ...session, 'content-type': 'application/json' }
    for (const method of ['GET', 'POST', 'DELETE']) {
      const before = everythingSeen().length
      const answer = await gateway.request(path, {
        method,
        headers: admin,
        ...(method === 'POST' && { body: '{}' }),
      })
      expect(answer.status).toBeLessThan(500)
      for (const seen of everythingSeen().slice(before)) {
        if (around.services.console.seen.includes(seen)) continue // has no internal routes
        // Each forwarded path is a row of the table, also after normalisation.
        const { pathname } = new URL(seen.url, 'http://service')
        expect(pathname).toBe(seen.url.split('?')[0])
        expect(pathname).toMatch(/^\/api\/v1\/(assets\/[^/]+|orgs\/[^/]+\/api-keys)$/)
        expect(decodeURIComponent(pathname)).not.toMatch(/\.\.\//)
      }
    }
  })
})

describe('responses', () => {
  test('pass unchanged, except for the headers of the gateway', async ({ around, gateway, session }) => {
    around.services.catalog.respondWith((_request, reply) =>
      reply
        .status(201)
        .headers({ location: '/api/v1/assets/9', server: 'nginx', 'x-powered-by': 'x' })
        .headers({
          'x-request-id': 'theirs',
          'access-control-allow-origin': 'http://evil',
          'x-ratelimit-limit': '1',
        })
        .type('application/json')
        .send('{"data": {"exact":  "bytes"}}'),
    )
    const headers = { ...session, 'content-type': 'application/json' }
    const answer = await gateway.request('/api/v1/assets', { method: 'POST', headers, body: '{}' })
    expect([answer.status, answer.text]).toEqual([201, '{"data": {"exact":  "bytes"}}'])
    expect(answer.headers['location']).toBe('/api/v1/assets/9')
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['x-request-id']).not.toBe('theirs')
    for (const name of ['server', 'x-powered-by', 'x-ratelimit-limit', 'x-principal'])
      expect(answer.headers[name], name).toBeUndefined()
  })

  test('HEAD has the headers of GET and no body', async ({ around, gateway, session }) => {
    around.services.catalog.respondWith((_request, reply) =>
      reply.type('application/json').send('{"data":[1,2,3]}'),
    )
    const get = await gateway.request('/api/v1/assets', { headers: session })
    const head = await gateway.request('/api/v1/assets', { method: 'HEAD', headers: session })
    expect([head.status, head.text]).toEqual([200, ''])
    const comparable = ({
      'x-request-id': _id,
      date: _date,
      'x-ratelimit-reset': _reset,
      ...rest
    }: object & Record<string, unknown>) => rest
    expect(comparable(head.headers)).toEqual(comparable(get.headers))
  })

  test('errors of a service pass unchanged', async ({ around, gateway, session }) => {
    const error = { type: 'conflict', title: 'Conflict', status: 409, detail: 'taken' }
    around.services.catalog.respondWith((_request, reply) => reply.status(409).send({ error }))
    const answer = await gateway.request('/api/v1/assets', { headers: session })
    expect([answer.status, answer.error()]).toEqual([409, error])
  })
})

describe('outside the API', () => {
  test("all other paths are the console's, without a token", async ({ around, gateway, session, lastAt }) => {
    around.services.console.respondWith((_request, reply) => reply.type('text/html').send('<h1>hello</h1>'))
    const answer = await gateway.request('/screens/assets?x=1', { headers: session })
    expect([answer.status, answer.text]).toEqual([200, '<h1>hello</h1>'])
    expect(lastAt('console')).toMatchObject({ method: 'GET', url: '/screens/assets?x=1' })
    expect(lastAt('console')?.headers['x-principal']).toBeUndefined()
    expect(lastAt('console')?.headers.authorization).toBeUndefined()
    const post = await gateway.request('/screens/assets', { method: 'POST' })
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD'])
  })

  test('a 404 page of the console passes', async ({ around, gateway }) => {
    around.services.console.respondWith((_request, reply) =>
      reply.status(404).type('text/html').send('<p>no'),
    )
    const answer = await gateway.request('/nowhere')
    expect([answer.status, answer.text]).toEqual([404, '<p>no'])
  })

  test('the public signing keys are those of the keys service', async ({ around, gateway }) => {
    const answer = await gateway.request('/.well-known/jwks.json')
    expect(JSON.parse(answer.text)).toEqual(around.mint.jwks)
  })
})

test('stopping lets a running request finish', async ({ around, session, startGateway }) => {
  const stopping = await startGateway()
  const held = Promise.withResolvers<object>()
  around.services.catalog.respondWith(() => held.promise)
  const before = around.services.catalog.seen.length
  const underWay = stopping.request('/api/v1/assets', { headers: session })
  await expect.poll(() => around.services.catalog.seen.length).toBe(before + 1)
  const stopped = stopping.stop()
  held.resolve({ data: 'late' })
  const answer = await underWay
  // Closed, because an open connection would delay the shutdown.
  expect([answer.text, answer.headers.connection]).toEqual(['{"data":"late"}', 'close'])
  await stopped
})

describe('the console', () => {
  const sent = { cookie: 'whereabouts_session=1', 'sec-fetch-site': 'same-origin', 'accept-encoding': 'br' }

  test('gets the session cookie below /session only', async ({ around, gateway, lastAt }) => {
    around.services.console.respondWith(() => ({}))
    const headers = {
      ...sent,
      origin: 'http://here.example',
      'x-forwarded-host': 'forged.example',
      'content-type': 'application/json',
      authorization: 'Bearer x',
    }
    const answer = await gateway.request('/session/refresh', { method: 'POST', headers, body: '{"a":1}' })
    expect(answer.status).toBe(200)
    expect(lastAt('console')).toMatchObject({ method: 'POST', url: '/session/refresh' })
    expect(lastAt('console')?.body?.toString()).toBe('{"a":1}')
    expect(lastAt('console')?.headers).toMatchObject({
      cookie: sent.cookie,
      'sec-fetch-site': 'same-origin',
      origin: 'http://here.example',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': new URL(gateway.origin).host,
    })
    expect(lastAt('console')?.headers['authorization']).toBeUndefined()
    await gateway.request('/assets/7', { headers: sent })
    expect(lastAt('console')).toMatchObject({ url: '/assets/7', headers: { 'accept-encoding': 'br' } })
    expect(lastAt('console')?.headers['cookie']).toBeUndefined()
  })

  test('sets its cookie, and gets no other writes', async ({ around, gateway, everythingSeen }) => {
    around.services.console.respondWith((_request, reply) =>
      reply.header('set-cookie', 'whereabouts_session=2; HttpOnly').send({}),
    )
    const answer = await gateway.request('/session/refresh', { method: 'POST', headers: sent })
    expect(answer.headers['set-cookie']).toEqual(['whereabouts_session=2; HttpOnly'])
    const before = everythingSeen().length
    for (const [method, path, status] of [
      ['POST', '/assets', 405],
      ['DELETE', '/session/refresh', 405],
      ['POST', '/session/', 405],
      ['POST', '/session/a/b', 405],
      ['POST', '/session/..%2fassets', 404],
    ] as const)
      expect([path, (await gateway.request(path, { method, headers: sent })).status]).toEqual([path, status])
    expect(everythingSeen()).toHaveLength(before)
  })
})
