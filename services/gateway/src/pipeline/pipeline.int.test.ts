import { routes } from '@whereabouts/contracts/routes'
import type { Route } from '@whereabouts/contracts/route'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect } from 'vitest'
import { test, type TestGateway } from '../../test/gateway.fixture.ts'
import { edgeHeaders } from './edge-headers.ts'
import { legacy } from './legacy.ts'
import { protocolErrors } from './pipeline.ts'

const JSON_BODY = { 'content-type': 'application/json' }
const HUGE = Buffer.alloc(1024 * 1024 + 1, 0x20)

describe('D2 the first failing step decides', () => {
  type Case = {
    name: string
    path: string
    status: number
    sent: (gateway: TestGateway) => Promise<object> | object
  }
  const exhausted = async (gateway: TestGateway, scopes: string[]) => {
    const { authorization } = await gateway.keyToken({ scopes, rate_limit_per_minute: 1 })
    const headers = { authorization, ...JSON_BODY }
    await gateway.request('/api/v1/assets', { headers })
    await gateway.request('/api/v1/assets', { headers })
    return headers
  }
  const noScope = async (gateway: TestGateway) => ({
    ...(await gateway.keyToken({ scopes: [] })),
    ...JSON_BODY,
  })
  const cases: Case[] = [
    {
      name: 'web filter before an unknown route',
      path: '/api/v1/nowhere',
      status: 403,
      sent: () => ({ headers: { 'user-agent': 'axios/1.7' } }),
    },
    {
      name: 'web filter before a preflight',
      path: '/api/v1/assets',
      status: 403,
      sent: () => ({ method: 'OPTIONS', headers: { 'user-agent': 'node' } }),
    },
    { name: 'unknown route before 401', path: '/api/v1/nowhere', status: 404, sent: () => ({}) },
    { name: 'wrong method before 401', path: '/api/v1/assets', status: 405, sent: () => ({ method: 'PUT' }) },
    {
      name: '404 before 413',
      path: '/api/v1/nowhere',
      status: 404,
      sent: () => ({ method: 'POST', headers: JSON_BODY, body: HUGE }),
    },
    {
      name: '401 before 415 and 413',
      path: '/api/v1/assets',
      status: 401,
      sent: () => ({ method: 'POST', headers: { 'content-type': 'text/plain' }, body: HUGE }),
    },
    {
      name: '429 before 403',
      path: '/api/v1/locations',
      status: 429,
      sent: async (gateway) => ({ headers: await exhausted(gateway, ['assets:read']) }),
    },
    {
      name: '403 before 415 and 413',
      path: '/api/v1/assets',
      status: 403,
      sent: async (gateway) => ({
        method: 'POST',
        headers: { ...(await noScope(gateway)), 'content-type': 'text/plain' },
        body: HUGE,
      }),
    },
    {
      name: '415 before 413',
      path: '/api/v1/assets',
      status: 415,
      sent: async (gateway) => ({
        method: 'POST',
        headers: { ...(await gateway.sessionToken()), 'content-type': 'text/plain' },
        body: HUGE,
      }),
    },
    {
      name: '413 for a body over 1 MiB',
      path: '/api/v1/assets',
      status: 413,
      sent: async (gateway) => ({
        method: 'POST',
        headers: { ...(await gateway.sessionToken()), ...JSON_BODY },
        body: HUGE,
      }),
    },
    {
      name: '413 for a body over 1 MiB that hides its length',
      path: '/api/v1/assets',
      status: 413,
      sent: async (gateway) => ({
        method: 'POST',
        headers: { ...(await gateway.sessionToken()), ...JSON_BODY, 'transfer-encoding': 'chunked' },
        body: HUGE,
      }),
    },
    {
      name: 'a body of exactly 1 MiB passes',
      path: '/api/v1/assets',
      status: 200,
      sent: async (gateway) => ({
        method: 'POST',
        headers: { ...(await gateway.sessionToken()), ...JSON_BODY },
        body: HUGE.subarray(1),
      }),
    },
  ]
  test.for(cases)('$name', async ({ name, path, status, sent }, { gateway }) => {
    const answer = await gateway.request(path, await sent(gateway))
    expect(answer.status).toBe(status)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.headers['x-request-id']).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
    const inEnvelope = status >= 400 && !name.startsWith('web filter')
    const told = inEnvelope ? answer.error()['request_id'] : answer.headers['x-request-id']
    expect(told).toBe(answer.headers['x-request-id'])
  })
})

describe('D2.3 methods', () => {
  const order = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
  const table = Object.values<Route>(routes).filter(({ vocabulary }) => vocabulary === undefined)
  const concrete = (path: string) => path.replaceAll(/\{\w+\}/g, '5')
  const paths = [...new Set(table.map((row) => row.path))]
  const refusedMethod = (instance: string, detail: string) => ({
    type: 'method_not_allowed',
    title: 'Method not allowed',
    instance,
    detail,
  })
  /** D12.4: a path without parameters is separate, though `/locations/current` looks like a location. */
  const methodsOf = (address: string) => {
    const isItsOwn = table.some((row) => row.path === address)
    const belongs = (path: string) =>
      isItsOwn ? path === address : new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(address)
    const matching = new Set<string>(table.filter((row) => belongs(row.path)).map((row) => row.method))
    return order.filter((m) => matching.has(m) || (m === 'HEAD' && matching.has('GET')))
  }

  test.for(paths)(
    '%s returns 405 with Allow for every other method, and for no own one',
    async (path, { gateway }) => {
      const url = `/api/v1${concrete(path)}`
      const own = methodsOf(concrete(path))
      const allow = own.join(', ')
      for (const method of own) {
        const { status } = await gateway.request(url, { method })
        expect([404, 405], method).not.toContain(status)
      }
      for (const method of [...order, 'TRACE', 'PROPFIND'].filter((m) => !own.includes(m))) {
        const answer = await gateway.request(url, { method })
        expect([answer.status, answer.headers.allow], method).toEqual([405, allow])
        const detail = `Allowed methods: ${allow}`
        const { type, title, instance, ...rest } =
          method === 'HEAD' ? refusedMethod(url, detail) : answer.error()
        expect({ type, title, instance, detail: rest['detail'] }).toEqual(refusedMethod(url, detail))
      }
    },
  )

  test.for([
    '/api/v1/nowhere',
    '/api/v1',
    '/api/v1/',
    '/api/reference',
    '/api/v2/assets',
    '/legacy/api/v1/webhooks',
    '/.well-known/x',
  ])('%s is unknown with any method', async (path, { gateway }) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const answer = await gateway.request(`${path}?a=1`, { method })
      expect(answer.status).toBe(404)
      expect(answer.error()).toMatchObject({
        type: 'not_found',
        detail: `Unknown API route: ${path}`,
        instance: path,
      })
    }
  })

  test('D12.4 /locations/current is only a location in the legacy vocabulary', async ({ gateway }) => {
    const headers = { ...(await gateway.sessionToken()), ...JSON_BODY }
    for (const method of ['PATCH', 'DELETE', 'POST', 'PUT']) {
      const answer = await gateway.request('/api/v1/locations/current', { method, headers })
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, HEAD'])
    }
    const old = await gateway.request('/legacy/api/v1/locations/current', {
      method: 'PUT',
      headers,
      body: '{}',
    })
    expect(old.status).toBe(200)
  })

  test('a path with an empty id is unknown', async ({ gateway }) => {
    const answer = await gateway.request('/api/v1/assets/', { headers: await gateway.sessionToken() })
    expect(answer.error()['detail']).toBe('Unknown API route: /api/v1/assets/')
  })

  test('D2.2 a preflight of any API path is 204 with CORS, without body or Allow', async ({ gateway }) => {
    for (const path of ['/api/v1/assets', '/api/v1/nowhere', '/api/v1/assets/5/tags/6']) {
      const answer = await gateway.request(path, { method: 'OPTIONS' })
      expect(answer.status).toBe(204)
      expect(answer.text).toBe('')
      expect(answer.headers.allow).toBeUndefined()
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE, OPTIONS',
        'access-control-allow-headers':
          'Content-Type, Authorization, X-Request-ID, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID',
        'access-control-max-age': '3600',
      })
    }
  })
})

describe('D2.1 web filter', () => {
  const refused = [
    '',
    'python-requests/2.32',
    'PYTHON-REQUESTS/2',
    'Go-http-client/1.1',
    'node',
    'undici',
    'Java/21',
  ]
  test.for(refused)('User-Agent %j is refused in plain text', async (agent, { gateway }) => {
    const answer = await gateway.request('/api/v1/assets', { headers: { 'user-agent': agent } })
    expect(answer.status).toBe(403)
    expect(answer.headers['content-type']).toMatch(/^text\/plain/)
    expect(answer.headers['access-control-expose-headers']).toContain('X-Request-ID')
  })
  test.for(['curl/8.5', 'Wget/1.21', 'Mozilla/5.0 (X11; Linux)', 'acme-sync/2'])(
    'User-Agent %j passes',
    async (agent, { gateway }) => {
      const answer = await gateway.request('/api/v1/assets', { headers: { 'user-agent': agent } })
      expect(answer.status).toBe(401)
    },
  )
})

describe('D12.11 data is never cached or sniffed', () => {
  const PRIVATE = { 'x-content-type-options': 'nosniff', 'cache-control': 'private, no-store' }

  test.for([
    { what: 'success', path: '/api/v1/assets', status: 200 },
    { what: 'success of the legacy vocabulary', path: '/legacy/api/v1/assets', status: 200 },
    { what: 'unknown route', path: '/api/v1/nowhere', status: 404 },
    { what: 'wrong method', path: '/api/v1/assets', status: 405, method: 'PUT' },
    { what: 'broken percent-encoding', path: '/api/v1/assets/%zz', status: 400 },
    { what: 'refused agent', path: '/api/v1/assets', status: 403, agent: 'axios/1' },
    { what: 'no token', path: '/api/v1/assets', status: 401, token: false },
  ])('$what', async ({ path, status, method = 'GET', agent = 'acme/1', token = true }, { gateway }) => {
    const headers = { 'user-agent': agent, ...(token && (await gateway.sessionToken())) }
    const answer = await gateway.request(path, { method, headers })
    expect([answer.status, answer.headers]).toMatchObject([status, PRIVATE])
    expect(answer.headers['strict-transport-security']).toBeUndefined()
  })

  test.for([
    ['another cache-control of the service', { 'cache-control': 'public, max-age=60' }, 'private, no-store'],
    ['a service that sends an ETag', { etag: '"1"' }, 'private, no-cache'],
  ] as const)('%s: the gateway sets cache-control', async ([, sent, wanted], { around, gateway }) => {
    around.services.catalog.respondWith((_request, reply) => reply.headers(sent).send({}))
    const answer = await gateway.request('/api/v1/assets', { headers: await gateway.sessionToken() })
    around.services.catalog.respondWith(() => ({}))
    expect(answer.headers['cache-control']).toBe(wanted)
  })

  test('the type and the policy of a file are those of its service', async ({ around, gateway }) => {
    const sent = { 'content-type': 'image/svg+xml', 'content-security-policy': 'sandbox' }
    around.services.catalog.respondWith((_request, reply) => reply.headers(sent).send('<svg/>'))
    const path = `/api/v1/floor-plans/images/${'0'.repeat(64)}`
    const { headers } = await gateway.request(path, { headers: await gateway.sessionToken() })
    around.services.catalog.respondWith(() => ({}))
    expect(headers).toMatchObject({ ...sent, 'cache-control': 'private, no-store' })
  })

  test('D9.1 the token endpoint has the headers of OAuth, also on errors', async ({ gateway }) => {
    for (const method of ['POST', 'GET']) {
      const sent = { method, headers: JSON_BODY, ...(method === 'POST' && { body: '{}' }) }
      const answer = await gateway.request('/api/v1/oauth/token', sent)
      expect(answer.headers).toMatchObject({
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
    }
  })

  test('over https every response has HSTS, also pages and malformed requests', async ({ startGateway }) => {
    const secure = await startGateway({ publicUrl: 'https://whereabouts.example' })
    const headers = await secure.sessionToken()
    for (const path of [
      '/api/v1/assets',
      '/api/v1/nowhere',
      '/',
      '/assets',
      '/api',
      '/api/openapi.json',
      '/%zz',
    ])
      expect((await secure.request(path, { headers })).headers['strict-transport-security'], path).toBe(
        'max-age=31536000',
      )
    expect(await exchange(secure, 'GET / HTTP/1.1\r\nbroken header\r\n\r\n')).toContain(
      'strict-transport-security: max-age=31536000',
    )
  })
})

test('D12.12 pages of other origins may read the response headers', async ({ gateway }) => {
  const { headers } = await gateway.request('/api/v1/assets')
  const exposed = String(headers['access-control-expose-headers']).split(', ')
  expect(exposed).toEqual(
    expect.arrayContaining(['ETag', 'Idempotent-Replayed', 'Retry-After', 'Link', 'Location']),
  )
})

describe('S11 d a request id that is too long for the services', () => {
  test('is returned whole, also in the envelope; services get its beginning', async ({ around, gateway }) => {
    const id = `${'x'.repeat(9_000)} end`
    const headers = { ...(await gateway.sessionToken()), 'x-request-id': id }
    around.services.catalog.respondWith((request, reply) =>
      reply.status(404).send({ error: { type: 'not_found', request_id: request.headers['x-request-id'] } }),
    )
    const answer = await gateway.request('/api/v1/assets/5', { headers })
    around.services.catalog.respondWith(() => ({}))
    expect([answer.status, answer.headers['x-request-id'], answer.error()]).toEqual([
      404,
      id,
      { type: 'not_found', request_id: id },
    ])
    const passed = around.services.catalog.seen.at(-1)?.headers ?? {}
    expect(passed['x-request-id']).toBe('x'.repeat(1024))
    expect(JSON.stringify(passed).length).toBeLessThan(4_000)
  })

  test('a head that a service finds too large is a 400 in the envelope', async ({ around, gateway }) => {
    const agent = `acme/${'x'.repeat(8_000)}`
    const path = `/api/v1/assets?q=${'y'.repeat(5_000)}&external_key=${'z'.repeat(1_000)}`
    around.services.catalog.respondWith((_request, reply) => reply.status(431).send({ error: 'too large' }))
    const headers = { ...(await gateway.sessionToken()), 'user-agent': agent }
    const answer = await gateway.request(path, { headers })
    around.services.catalog.respondWith(() => ({}))
    expect([answer.status, answer.error()]).toMatchObject([
      400,
      { type: 'bad_request', request_id: answer.headers['x-request-id'] },
    ])
  })

  test('a head that Node finds too large is a 400 in the envelope, too', async ({ gateway }) => {
    const answer = await exchange(
      gateway,
      `GET /api/v1/assets HTTP/1.1\r\nhost: a\r\nx-request-id: ${'x'.repeat(20_000)}\r\n\r\n`,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('cache-control: private, no-store')
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error).toMatchObject({
      type: 'bad_request',
      status: 400,
    })
  })
})

describe('a request head that does not arrive in time', () => {
  /** What the client receives until the connection ends. */
  async function received(sent: string): Promise<string> {
    const server = createServer({ headersTimeout: 50, connectionsCheckingInterval: 10 })
    const { clientErrorHandler } = protocolErrors(legacy(undefined), edgeHeaders(true))
    server.on('clientError', clientErrorHandler)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.write(sent)
    const answer = await text(socket)
    server.close()
    return answer
  }

  test('an idle connection is closed without an answer', async () => expect(await received('')).toBe(''))

  test('half a head is answered', async () =>
    expect(await received('GET / HTTP/1.1\r\n')).toMatch(/^HTTP\/1\.1 400 /))
})

/** Sends raw bytes, and returns all that was received. */
function exchange(to: TestGateway, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(to.origin).port), '127.0.0.1')
  socket.end(bytes)
  return text(socket)
}

test("a client's request id is unchanged in response, envelope and service", async ({ around, gateway }) => {
  const id = 'order 42 / "weird" value'
  const headers = { ...(await gateway.sessionToken()), 'x-request-id': id }
  const refused = await gateway.request('/api/v1/nowhere', { headers })
  expect(refused.headers['x-request-id']).toBe(id)
  expect(refused.error()['request_id']).toBe(id)
  const passed = await gateway.request('/api/v1/assets', { headers })
  expect(passed.headers['x-request-id']).toBe(id)
  expect(around.services.catalog.seen.at(-1)?.headers['x-request-id']).toBe(id)
})

test.for(['/api/v1/assets/%ff', '/api/v1/assets/%zz', '/%ff', '/console/%zz', '/api/v1/%c3%28/x'])(
  'D3.3 broken percent-encoding in %s is a 4xx in the envelope',
  async (path, { gateway }) => {
    const answer = await gateway.request(path, { headers: await gateway.sessionToken() })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    expect(answer.error()['request_id']).toBe(answer.headers['x-request-id'])
  },
)

test('a request that is not HTTP gets the envelope, too', async ({ gateway }) => {
  const answer = await exchange(gateway, 'GET / HTTP/1.1\r\nbroken header\r\n\r\n')
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer.toLowerCase()).toContain('access-control-allow-origin: *')
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error.type).toBe('bad_request')
})
