import { describe, expect } from 'vitest'
import { keyStateOf, test as base, bearer, type TestGateway } from '../../test/gateway.fixture.ts'

const PATH = '/mcp'
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const REVISION = '2026-07-28'

/** A message of the current revision, with the headers that it needs. */
function message(method: string, params: object = {}) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const headers: Record<string, string> = {
    ...HEADERS,
    'mcp-protocol-version': REVISION,
    'mcp-method': method,
    ...('name' in params && { 'mcp-name': String(params.name) }),
  }
  return {
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  }
}

type Answer = {
  result?: { isError?: boolean; content: { text: string }[]; tools: { name: string }[] }
  error?: { code: number }
}

async function send(gateway: TestGateway, authorization: string, method: string, params?: object, more = {}) {
  const { headers, body } = message(method, params)
  const reply = await gateway.request(PATH, {
    method: 'POST',
    headers: { ...headers, authorization, ...more },
    body,
  })
  return { ...reply, json: () => JSON.parse(reply.text) as Answer }
}

const call = (gateway: TestGateway, authorization: string, name: string, sent: object = {}) =>
  send(gateway, authorization, 'tools/call', { name, arguments: sent })

const SCOPES = ['assets:read', 'locations:read', 'scans:read']
const EMPTY = { data: [], limit: 20, offset: 0, total_count: 0 }

/** `key`: a key that may read, and its token. Catalog has no asset. */
const test = base.extend<{ key: { jti: string; authorization: string } }>({
  key: async ({ gateway, around }, use) => {
    around.services.catalog.respondWith(() => EMPTY)
    await use(await gateway.keyToken({ scopes: SCOPES }))
  },
})

describe('D12.17 /mcp as a path', () => {
  test('takes POST alone, and never answers with the console', async ({ gateway }) => {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const reply = await gateway.request(PATH, { method })
      expect(reply.status, method).toBe(405)
      expect(reply.headers['allow'], method).toBe('POST')
    }
    for (const path of ['/mcp/', '/mcp/x']) expect((await gateway.request(path)).status, path).toBe(404)
  })

  test('challenges who has no credentials, wrong ones or a revoked key, before it reads anything', async ({
    gateway,
    key,
  }) => {
    const sent = { method: 'POST', headers: { ...HEADERS, 'content-length': '9' }, body: 'no JSON: {' }
    const none = await gateway.request(PATH, { ...sent, headers: HEADERS })
    expect(none.status).toBe(401)
    expect(none.headers['www-authenticate']).toMatch(/^Basic realm="api".*Bearer realm="api"$/)
    const wrong = await send(gateway, 'Bearer abc', 'tools/list')
    expect(wrong.status).toBe(401)
    expect(wrong.headers['www-authenticate']).toBe('Bearer realm="api"')
    gateway.view.states.apply(
      `keys.key.${key.jti}`,
      keyStateOf({ jti: key.jti, revision: 2, revoked_at: '2026-01-01T00:00:00.000Z' }),
    )
    const revoked = await send(gateway, key.authorization, 'tools/list')
    expect(revoked.error()).toMatchObject({ detail: 'API key has been revoked' })
  })

  test('refuses pages of other origins, and serves its own and programs of any name', async ({
    gateway,
    key,
  }) => {
    for (const origin of [
      'https://evil.example',
      'http://whereabouts.example.evil.example',
      'null',
      'http://localhost:6274',
    ])
      expect((await send(gateway, key.authorization, 'tools/list', {}, { origin })).status, origin).toBe(403)
    const own = await send(
      gateway,
      key.authorization,
      'tools/list',
      {},
      { origin: 'http://whereabouts.example' },
    )
    expect(own.status).toBe(200)
    for (const agent of ['', 'node', 'python-httpx/0.28'])
      expect((await send(gateway, key.authorization, 'tools/list', {}, { 'user-agent': agent })).status).toBe(
        200,
      )
  })

  test('takes 16 KiB, and keeps its answers out of caches', async ({ gateway, key }) => {
    const large = await send(gateway, key.authorization, 'tools/list', { filler: 'x'.repeat(16 * 1_024) })
    expect(large.status).toBe(413)
    const { headers } = await send(gateway, key.authorization, 'tools/list')
    expect(headers).toMatchObject({
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
  })

  test('answers what is no message, a batch, a foreign revision and an unknown method as the protocol says', async ({
    gateway,
    key,
  }) => {
    const { authorization } = key
    const raw = async (body: string, headers = {}) => {
      const reply = await gateway.request(PATH, {
        method: 'POST',
        headers: { ...HEADERS, authorization, ...headers },
        body,
      })
      return { status: reply.status, code: (JSON.parse(reply.text) as Answer).error?.code }
    }
    expect(await raw('{')).toEqual({ status: 400, code: -32_700 })
    expect(await raw('[]')).toEqual({ status: 400, code: -32_600 })
    const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    expect(await raw(JSON.stringify([listing, listing]))).toEqual({ status: 400, code: -32_600 })
    const { body, headers } = message('tools/list')
    expect(
      await raw(body.replaceAll(REVISION, '1900-01-01'), {
        ...headers,
        'mcp-protocol-version': '1900-01-01',
      }),
    ).toEqual({ status: 400, code: -32_022 })
    expect(await raw(body, { ...headers, 'mcp-method': 'tools/call' })).toEqual({
      status: 400,
      code: -32_020,
    })
    expect((await send(gateway, authorization, 'resources/list')).json().error).toMatchObject({
      code: -32_601,
    })
    expect((await call(gateway, authorization, 'delete_asset')).json().error).toMatchObject({ code: -32_602 })
  })

  test('opens no stream that would outlive the check of its caller', async ({ gateway, key }) => {
    const reply = await send(gateway, key.authorization, 'subscriptions/listen', { notifications: {} })
    expect(reply.headers['content-type']).toMatch(/^application\/json/)
    expect(reply.json().error).toBeDefined()
  })
})

describe('D12.17 a call of a tool', () => {
  test('reads as its caller, under the id of its request, and passes no header of the client', async ({
    gateway,
    around,
    key,
  }) => {
    const { headers, body } = message('tools/call', { name: 'find_assets', arguments: { text: 'a&b=c' } })
    const { seen } = around.services.catalog
    const before = seen.length
    await gateway.request(PATH, {
      method: 'POST',
      headers: {
        ...headers,
        authorization: key.authorization,
        'x-request-id': 'mine',
        'x-forwarded-for': '203.0.113.9',
        'if-none-match': '*',
        'idempotency-key': 'k',
      },
      body,
    })
    expect(seen.length).toBe(before + 1)
    const read = seen.at(-1)
    expect(read).toMatchObject({
      method: 'GET',
      url: '/api/v1/assets?q=a%26b%3Dc&window=any&limit=20&offset=0',
      headers: { 'x-request-id': 'mine', 'user-agent': 'whereabouts-mcp', 'x-forwarded-for': '127.0.0.1' },
    })
    expect(read?.headers).not.toHaveProperty('if-none-match')
    expect(read?.headers).not.toHaveProperty('idempotency-key')
    const principal = await gateway.verifyPrincipal(String(read?.headers['x-principal']))
    expect(principal).toMatchObject({ kind: 'key', keyId: key.jti })
  })

  test('reads from the address of its client, behind a trusted proxy too', async ({
    startGateway,
    around,
  }) => {
    around.services.catalog.respondWith(() => EMPTY)
    const gateway = await startGateway({ trustedProxies: ['127.0.0.1'] })
    const { authorization } = await gateway.keyToken({ scopes: SCOPES })
    const { headers, body } = message('tools/call', { name: 'find_assets', arguments: {} })
    const proxied = { ...headers, authorization, 'x-forwarded-for': '203.0.113.9' }
    await gateway.request(PATH, { method: 'POST', headers: proxied, body })
    expect(around.services.catalog.seen.at(-1)?.headers['x-forwarded-for']).toBe('203.0.113.9')
  })

  test('says what is wrong with its arguments, and makes no read then', async ({ gateway, around, key }) => {
    const before = around.services.catalog.seen.length
    for (const sent of [
      { limit: 51 },
      { limit: 0 },
      { offset: -1 },
      { nope: 1 },
      { text: 'a', key: 'b' },
      { key: 7 },
    ]) {
      const { result } = (await call(gateway, key.authorization, 'find_assets', sent)).json()
      expect(result, JSON.stringify(sent)).toMatchObject({ isError: true })
    }
    for (const sent of [{}, { id: 1, key: 'A' }]) {
      const { result } = (await call(gateway, key.authorization, 'where_is', sent)).json()
      expect(result?.content[0]?.text).toMatch(/^Name one asset/)
    }
    expect(around.services.catalog.seen.length).toBe(before)
  })

  test('takes a token for each read, and says three times when to come back, until there is one', async ({
    gateway,
    around,
  }) => {
    around.services.catalog.respondWith(() => EMPTY)
    const { authorization } = await gateway.keyToken({ scopes: SCOPES, rate_limit_per_minute: 1 })
    // A key that gains one a minute holds two.
    for (const _ of [1, 2]) {
      const { result } = (await call(gateway, authorization, 'find_assets')).json()
      expect(result?.isError).toBeUndefined()
    }
    for (const _ of [1, 2, 3]) {
      const { result } = (await call(gateway, authorization, 'find_assets')).json()
      expect(result).toMatchObject({ isError: true })
      expect(result?.content[0]?.text).toMatch(/^rate_limited: Retry after \d+ seconds\./)
      const listing = await send(gateway, authorization, 'tools/list')
      expect(listing.status).toBe(429)
      expect(Number(listing.headers['retry-after'])).toBeGreaterThan(0)
    }
  })

  test('tells that a service is away, and works again once it is back', async ({ startGateway, around }) => {
    const away = await startGateway({ upstreams: { catalog: 'http://127.0.0.1:1' } })
    const key = await away.keyToken({ scopes: SCOPES })
    for (const _ of [1, 2, 3]) {
      const { result } = (await call(away, key.authorization, 'find_assets')).json()
      expect(result?.content[0]?.text).toMatch(/^service_unavailable: /)
    }
    let isBroken = true
    around.services.catalog.respondWith((_request, reply) =>
      isBroken ? reply.status(200).send({ something: 'else' }) : EMPTY,
    )
    const gateway = await startGateway()
    const other = await gateway.keyToken({ scopes: SCOPES })
    const { result } = (await call(gateway, other.authorization, 'find_assets')).json()
    expect(result).toMatchObject({ isError: true, content: [{ text: 'The tool failed. Try again later.' }] })
    isBroken = false
    expect((await call(gateway, other.authorization, 'find_assets')).json().result?.isError).toBeUndefined()
  })

  test('of a key of another organization reads as that organization, by HTTP Basic too', async ({
    gateway,
    around,
  }) => {
    around.services.catalog.respondWith(() => EMPTY)
    const keys = [keyStateOf({ scopes: SCOPES }), keyStateOf({ scopes: SCOPES, org_id: 8 })]
    for (const key of keys) gateway.view.states.apply(`keys.key.${key.jti}`, key)
    around.respondFromKeys(async (request, reply) => {
      const sent = Buffer.from(
        String(request.headers.authorization).slice('Basic '.length),
        'base64',
      ).toString()
      const key = keys.find(({ jti }) => sent === `${jti}:secret`)
      if (!key) return reply.status(401).send({})
      return { access_token: (await bearer(around.mint, key)).slice('Bearer '.length), expires_in: 900 }
    })
    const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
    // At the same time, so that none reads with the credentials of another.
    const answers = await Promise.all(
      keys.map(({ jti }) => call(gateway, basic(jti, 'secret'), 'find_assets')),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const principals = await Promise.all(
      around.services.catalog.seen
        .slice(-2)
        .map(({ headers }) => gateway.verifyPrincipal(String(headers['x-principal']))),
    )
    expect(new Set(principals.map((principal) => principal?.orgId))).toEqual(new Set([7, 8]))
    expect((await call(gateway, basic(keys[0]?.jti ?? '', 'wrong'), 'find_assets')).status).toBe(401)
  })
})
