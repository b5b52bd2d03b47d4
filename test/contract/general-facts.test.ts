import { scopes } from '@whereabouts/contracts/route'
import { describe, expect } from 'vitest'
import { ULID } from './support/envelope.ts'
import { test } from './support/fixtures.ts'
import { isForSessions, protectedRows, rows, rowsWith, unknownParams } from './support/rows.ts'

type Property = { properties?: Record<string, unknown> }
type Schema = { properties: Record<string, Property> }

describe('general fact 4: the machine-readable description', () => {
  test('general fact 4 JSON and YAML are served to anyone, and are 3.0.3', async ({ api }) => {
    const json = await api.request('/api/openapi.json')
    expect(json.headers.get('content-type')).toMatch(/^application\/json/)
    expect(json.body).toMatchObject({ openapi: '3.0.3' })
    const yaml = await api.request('/api/openapi.yaml')
    expect(yaml.status).toBe(200)
    expect(yaml.headers.get('content-type')).toMatch(/yaml/)
    expect(yaml.text).toMatch(/^"?openapi"?: "?3\.0\.3"?$/m)
  })

  test('general fact 4 the messages of readers and webhooks are described as AsyncAPI', async ({ api }) => {
    const json = await api.request('/api/asyncapi.json')
    expect(json.headers.get('content-type')).toMatch(/^application\/json/)
    expect(json.body).toMatchObject({ asyncapi: '3.0.0' })
    const yaml = await api.request('/api/asyncapi.yaml')
    expect([yaml.status, yaml.headers.get('content-type')]).toEqual([200, 'application/yaml; charset=utf-8'])
  })

  test.for(['openapi.json', 'openapi.yaml'])(
    'general fact 4 /%s without a prefix redirects with 301',
    async (name, { api }) => {
      const reply = await api.request(`/${name}`)
      expect([reply.status, reply.headers.get('location')]).toEqual([301, `/api/${name}`])
    },
  )

  test('versioning 7 every described operation is a row of the table, and no row of the console is described', async ({
    api,
  }) => {
    const { paths } = JSON.parse((await api.request('/api/openapi.json')).text) as {
      paths: Record<string, Record<string, { operationId: string }>>
    }
    const described = Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId }]) => `${operationId} ${method} ${path}`),
    )
    const expected = rows
      .filter((row) => row.described && row.vocabulary === undefined)
      .map((row) => `${row.operationId} ${row.method.toLowerCase()} ${row.url}`)
    expect(described.toSorted()).toEqual(expected.toSorted())
  })

  test('versioning 7 extensible enums and nullable fields are marked as 3.0.3 does', async ({ api }) => {
    const { text } = await api.request('/api/openapi.json')
    const { components } = JSON.parse(text) as { components: { schemas: Record<string, Schema> } }
    const { Asset, Tag, ErrorDetails } = components.schemas
    expect(Asset?.properties['type']).toMatchObject({ type: 'string', 'x-extensible-enum': true })
    expect(Tag?.properties['tag_type']).toMatchObject({ type: 'string', 'x-extensible-enum': true })
    expect(ErrorDetails?.properties['type']).toMatchObject({ 'x-extensible-enum': true })
    expect(Asset?.properties['valid_to']).toMatchObject({ type: 'string', nullable: true })
  })

  test('general fact 6 HEAD is not declared in the description', async ({ api }) => {
    const { paths } = JSON.parse((await api.request('/api/openapi.json')).text) as { paths: object }
    const methods = new Set(Object.values(paths).flatMap((item) => Object.keys(item as object)))
    expect([...methods].filter((method) => method === 'head' || method === 'options')).toEqual([])
  })
})

describe('general fact 5: the web filter (D2.1)', () => {
  const refused = [
    'python-requests/2.32.3', 'Python-urllib/3.13', 'python-httpx/0.28', 'aiohttp/3.9', 'Go-http-client/2.0',
    'Java/21.0.2', 'okhttp/4.12', 'Apache-HttpClient/5.3', 'axios/1.7.9', 'node', 'node-fetch', 'undici',
    'libwww-perl/6.77', 'Ruby', 'PHP/8.3', 'GuzzleHttp/7', 'PYTHON-REQUESTS/2', 'aXiOs/1', undefined, '',
  ] // oxfmt-ignore
  test.for(refused)('D2.1 User-Agent %j gets 403 in plain text', async (agent, { api, token }) => {
    const reply = await api.call('listAssets', { token, headers: { 'user-agent': agent } })
    expect(reply.status).toBe(403)
    expect(reply.headers.get('content-type')).toMatch(/^text\/plain/)
    expect(reply.text).not.toMatch(/^\s*[{[]/)
    expect(reply.headers.get('link')).toBe('</docs/errors#403-without-an-envelope>; rel="help"')
  })

  const accepted = ['curl/8.5.0', 'Wget/1.21', 'Mozilla/5.0 (X11; Linux x86_64)', 'acme-sync/2', 'my axios/1']
  test.for(accepted)('D2.1 User-Agent %j passes', async (agent, { api, org }) => {
    const reply = await api.call('listReaders', { token: org.admin, headers: { 'user-agent': agent } })
    expect(reply.status).toBe(200)
  })
})

describe('general fact 6: HEAD', () => {
  const volatile = new Set(['x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'date'])
  const comparable = (headers: Headers) =>
    Object.fromEntries([...headers].map(([name, value]) => [name, volatile.has(name) ? 'present' : value]))

  test.for(rowsWith('GET'))(
    'general fact 6 HEAD of $operationId has the headers of GET and no body',
    async (row, { api, org, token }) => {
      const sent = { params: unknownParams(row), token: isForSessions(row.access) ? org.admin : token }
      const get = await api.call(row.operationId, sent)
      const head = await api.call(row.operationId, { ...sent, method: 'HEAD' })
      expect(head.status).toBe(get.status)
      expect(head.text).toBe('')
      expect(comparable(head.headers)).toEqual(comparable(get.headers))
    },
  )

  test('general fact 6 HEAD of an error has no body either', async ({ api }) => {
    const head = await api.call('listAssets', { method: 'HEAD' })
    expect(head.status).toBe(401)
    expect(head.headers.get('www-authenticate')).toBe('Bearer realm="api"')
  })

  test.for([
    '/api/openapi.json',
    '/api/openapi.yaml',
    '/api/asyncapi.json',
    '/openapi.json',
    '/.well-known/jwks.json',
  ])('general fact 6 HEAD of %s mirrors GET', async (path, { api }) => {
    const [get, head] = [await api.request(path), await api.request(path, { method: 'HEAD' })]
    expect(head.status).toBe(get.status)
    expect(comparable(head.headers)).toEqual(comparable(get.headers))
  })
})

describe('general fact 7: 405', () => {
  const order = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']
  const paths = [...new Set(rows.map(({ url }) => url))]
  /** D12.4: a path without parameters wins; in the legacy vocabulary, `current` can also be the key of a location. */
  const methodsOf = (address: string) => {
    const isItsOwn = rows.some(({ url, vocabulary }) => url === address && vocabulary !== 'legacy')
    const belongs = (url: string) =>
      isItsOwn ? url === address : new RegExp(`^${url.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(address)
    const own = new Set<string>(rows.filter(({ url }) => belongs(url)).map((row) => row.method))
    return order.filter((method) => own.has(method) || (method === 'HEAD' && own.has('GET')))
  }

  test.for(paths)(
    'general fact 7 D2.3 %s names its methods in Allow, HEAD included',
    async (path, { api }) => {
      const url = path.replaceAll(/\{\w+\}/g, '5')
      const own = methodsOf(url)
      for (const method of [...order, 'TRACE'].filter((other) => !own.includes(other))) {
        const reply = await api.request(url, { method })
        expect([method, reply.status, reply.headers.get('allow')]).toEqual([method, 405, own.join(', ')])
      }
    },
  )
})

describe('general facts 8 and 9: CORS', () => {
  const targets = ['/api/v1/assets', '/api/v1/assets/5', '/api/v1/nowhere', '/api/v1/oauth/token']
  test.for(targets)(
    'general fact 8, general fact 9: OPTIONS %s is a preflight without body and Allow',
    async (path, { api }) => {
      const reply = await api.request(path, { method: 'OPTIONS' })
      expect([reply.status, reply.text, reply.headers.get('allow')]).toEqual([204, '', null])
      expect(reply.headers.get('access-control-allow-origin')).toBe('*')
      const methods = 'GET, HEAD, POST, PATCH, DELETE, OPTIONS'
      expect(reply.headers.get('access-control-allow-methods')).toBe(methods)
      const allowed =
        'Content-Type, Authorization, X-Request-ID, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID' // D12.12
      expect(reply.headers.get('access-control-allow-headers')).toBe(allowed)
      expect(reply.headers.get('access-control-max-age')).toBe('3600')
    },
  )

  test('D2 a browser can read our own headers of every response', async ({ api, token }) => {
    const replies = [
      await api.call('listAssets', { token }),
      await api.call('listAssets'),
      await api.request('/api/v1/nowhere'),
    ]
    for (const { headers } of replies) {
      const exposed = headers.get('access-control-expose-headers')?.toLowerCase().split(', ')
      const ours = [...headers.keys()].filter((name) => /^(?:x-|retry-after|location|www-)/.test(name))
      expect(exposed).toEqual(expect.arrayContaining(ours))
      expect(exposed).toEqual(expect.arrayContaining(['etag', 'idempotent-replayed', 'retry-after', 'link'])) // D12.12
    }
  })
})

describe('general fact 10: X-Request-ID', () => {
  test('general fact 10 every response has a fresh ULID', async ({ api, org }) => {
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => api.call('listReaders', { token: org.admin })),
    )
    const ids = replies.map(({ headers }) => headers.get('x-request-id'))
    for (const id of ids) expect(id).toMatch(ULID)
    expect(new Set(ids).size).toBe(5)
  })

  test.for([
    '7',
    'not a ulid',
    '"quoted" {json}; <b>',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV',
    'x'.repeat(512),
    'y'.repeat(9_000),
  ])(
    'general fact 10 the given id %j comes back unchanged, in success and error',
    async (id, { api, org }) => {
      const headers = { 'x-request-id': id }
      const good = await api.call('listReaders', { token: org.admin, headers })
      expect(good.headers.get('x-request-id')).toBe(id)
      const bad = await api.call('listReaders', { headers })
      expect(bad.body.error.request_id).toBe(id)
    },
  )
})

describe('general fact 11 and versioning', () => {
  test('general fact 11 a list is data, limit, offset and total_count', async ({ api, org }) => {
    const { body } = await api.call('listReaders', { token: org.admin })
    expect(body).toEqual({ data: [], limit: 50, offset: 0, total_count: 0 })
  })

  test('general fact 11 a single resource is in data', async ({ api, org, token }) => {
    const { body } = await api.call('getCurrentOrg', { token })
    expect(body).toEqual({ data: expect.objectContaining({ id: org.id, name: org.name }) })
  })

  test('general fact 1 only messages of readers and the inventory save record scans', () => {
    const writes = rows.filter((row) => row.described && row.upstream === 'tracking' && row.method !== 'GET')
    const others = /^\/(?:exports|rules|alerts)/ // files of what is there, and what it is told about
    expect(writes.filter(({ path }) => !others.test(path)).map((row) => row.operationId)).toEqual([
      'saveInventory',
      'saveLegacyInventory',
      'sendReaderMessage',
    ])
  })

  test('general fact 2 D13.7 a key without webhooks:admin cannot manage webhooks', async ({ api, org }) => {
    const { token } = await org.key({ scopes: scopes.filter((scope) => scope !== 'webhooks:admin') })
    expect((await api.call('listWebhooks', { token })).status).toBe(403)
  })

  test.for(['/api/v2/assets', '/api/v0/assets', '/api/assets', '/api/v1.1/assets'])(
    'versioning 1 %s is not served',
    async (path, { api, token }) => {
      expect((await api.request(path, { token })).status).toBe(404)
    },
  )

  test.for(protectedRows.filter(({ vocabulary }) => vocabulary === undefined))(
    'D1.2 versioning 8 $operationId of the current vocabulary is not deprecated',
    async (row, { api }) => {
      const { headers } = await api.call(row.operationId, { params: unknownParams(row) })
      expect([headers.get('deprecation'), headers.get('sunset')]).toEqual([null, null])
    },
  )
})
