import { describe, expect } from 'vitest'
import { test } from '../../test/gateway.fixture.ts'

const scriptOf = (page: string) => /<script src="([^"]+)"/.exec(page)?.[1] ?? ''

describe('descriptions', () => {
  test('the description needs no token, is JSON or YAML, and may be cached', async ({ gateway }) => {
    const json = await gateway.request('/api/openapi.json')
    expect(JSON.parse(json.text)).toMatchObject({ openapi: '3.0.3' })
    const etag = String(json.headers.etag)
    const again = await gateway.request('/api/openapi.json', { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
    expect((await gateway.request('/api/openapi.yaml')).text).toMatch(/^"openapi": "3\.0\.3"$/m)
  })

  test('the description of messages needs no token, may be cached, and names the public address', async ({
    gateway,
  }) => {
    const json = await gateway.request('/api/asyncapi.json', { headers: { host: 'evil.example' } })
    const { asyncapi, servers } = JSON.parse(json.text)
    expect([asyncapi, servers.nats.host]).toEqual(['3.0.0', '{broker}:4222'])
    expect(servers.nats.variables.broker.default).toBe('whereabouts.example')
    expect(json.text).not.toContain('evil.example')
    expect(json.headers['cache-control']).toBe('public, max-age=300')
    const headers = { 'if-none-match': String(json.headers.etag) }
    expect((await gateway.request('/api/asyncapi.json', { headers })).status).toBe(304)
    expect((await gateway.request('/api/asyncapi.yaml')).text).toMatch(/^"asyncapi": "3\.0\.0"$/m)
    const post = await gateway.request('/api/asyncapi.json', { method: 'POST' })
    expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD'])
  })

  test.for(['', '/legacy'])(
    'the description of "%s" names the public address, whatever Host asks for it',
    async (base, { gateway }) => {
      const { text } = await gateway.request(`${base}/api/openapi.json`, {
        headers: { host: 'evil.example' },
      })
      const { servers, components } = JSON.parse(text)
      expect(servers).toMatchObject([{ url: `http://whereabouts.example${base}` }])
      expect(components.securitySchemes.OAuth2.flows.clientCredentials.tokenUrl).toBe(
        `http://whereabouts.example${base}/api/v1/oauth/token`,
      )
      expect(text).not.toContain('evil.example')
    },
  )

  test('the old addresses redirect permanently, and allow no other method', async ({ gateway }) => {
    for (const name of ['openapi.json', 'openapi.yaml']) {
      const answer = await gateway.request(`/${name}`)
      expect([answer.status, answer.headers.location]).toEqual([301, `/api/${name}`])
      const post = await gateway.request(`/${name}`, { method: 'POST' })
      expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD'])
    }
  })
})

describe('the interactive reference', () => {
  test.for([
    ['/api', '/api/openapi.json'],
    ['/legacy/api', '/legacy/api/openapi.json'],
  ] as const)(
    '%s is a page about %s that may load nothing from other hosts',
    async ([path, description], { gateway }) => {
      const { status, headers, text } = await gateway.request(path)
      expect(status).toBe(200)
      expect(headers['content-type']).toMatch(/^text\/html/)
      expect(text).toContain(`"url":"${description}"`)
      expect(text).not.toMatch(/https?:\/\//)
      expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self' 'sha256-/)
      expect(headers['content-security-policy']).not.toMatch(/https?:|\*|unsafe-eval/)
      const head = await gateway.request(path, { method: 'HEAD' })
      expect([head.status, head.text]).toEqual([200, ''])
      const post = await gateway.request(path, { method: 'POST' })
      expect([post.status, post.headers.allow]).toEqual([405, 'GET, HEAD'])
    },
  )

  test('its script is immutable at a path with its digest, and compressed', async ({ gateway }) => {
    const path = scriptOf((await gateway.request('/api')).text)
    const plain = await gateway.request(path)
    expect(plain.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    })
    expect(plain.text).toContain('createApiReference')
    const compressed = await fetch(`${gateway.origin}${path}`, {
      headers: { 'user-agent': 'Mozilla/5.0', 'accept-encoding': 'gzip' },
    })
    expect(compressed.headers.get('content-encoding')).toBe('gzip')
    expect(await compressed.text()).toBe(plain.text) // fetch decompresses it
    const etag = String(plain.headers.etag)
    expect((await gateway.request(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
  })

  test('a script of another release is 404, like other files of the package', async ({ gateway }) => {
    for (const path of [
      '/api/reference/scalar.abc.js',
      '/api/reference/standalone.js.map',
      '/api/reference/',
    ])
      expect((await gateway.request(path)).error()['type']).toBe('not_found')
  })
})
