import { MAX_MESSAGE_BYTES } from '@whereabouts/contracts/resources/tracking/scans'
import { gzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { bearer, keyStateOf, ORG_ID, test as base, type Surroundings } from '../../test/gateway.fixture.ts'

const PATH = '/api/v1/scans/dock-1/impinj'
const TOKEN_PATH = '/api/v1/oauth/token'
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

/** `device`: sends a message by HTTP Basic, as a key that the token endpoint knows under its secret. */
const test = base.extend<{ device: { jti: string; headers: Record<string, string> } }>({
  device: async ({ gateway, around }, use) => {
    const key = keyStateOf({ scopes: ['scans:write'] })
    gateway.view.states.apply(`keys.key.${key.jti}`, key)
    const credentials = basic(key.jti, 'right')
    around.services.tracking.respondWith((_request, reply) => reply.status(202).send())
    around.respondFromKeys(async (request, reply) => {
      if (request.headers.authorization !== credentials.authorization) return reply.status(401).send({})
      const authorization = await bearer(around.mint, key)
      return { access_token: authorization.slice('Bearer '.length), expires_in: 900 }
    })
    await use({ jti: key.jti, headers: { ...credentials, 'user-agent': '' } })
  },
})

const exchangesOf = ({ services }: Surroundings) =>
  services.keys.seen.filter(({ url }) => url === TOKEN_PATH).length

describe('D16.3 a device without a token', () => {
  test('sends by HTTP Basic, whatever its User-Agent and media type, and its bytes arrive unchanged', async ({
    gateway,
    around,
    device,
  }) => {
    const body = Buffer.from([0x7b, 0xff, 0x00, 0x0d, 0x0a])
    const before = exchangesOf(around)
    const types = ['text/html', 'application/x-impinj', 'application/json', '']
    const agents = ['', 'python-requests/2.32', 'Go-http-client/1.1']
    for (const type of types)
      for (const agent of agents) {
        const headers = { ...device.headers, 'content-type': type, 'user-agent': agent }
        const reply = await gateway.request(PATH, { method: 'POST', headers, body })
        expect(reply.status, `${type} ${agent}`).toBe(202)
        expect(around.services.tracking.seen.at(-1)?.body).toEqual(body)
      }
    expect(exchangesOf(around) - before).toBe(1)
  })

  test('is exchanged once in all spellings of its credentials, also beside 10 000 wrong ones', async ({
    gateway,
    around,
    device,
  }) => {
    const send = (authorization: string) =>
      gateway.request(PATH, { method: 'POST', headers: { authorization, 'user-agent': '' }, body: '{}' })
    const before = exchangesOf(around)
    const encoded = (text: string) => Buffer.from(text).toString('base64')
    const escaped = (at: number) =>
      `${device.jti.slice(0, at)}%${device.jti.charCodeAt(at).toString(16)}${device.jti.slice(at + 1)}:right`
    const spellings = [
      ...['Basic', 'basic', 'BASIC  ', 'bAsIc    '].map(
        (scheme) => `${scheme} ${encoded(`${device.jti}:right`)}`,
      ),
      ...[0, 1, 5].map((at) => `Basic ${encoded(escaped(at))}`),
    ]
    for (const spelling of spellings) expect((await send(spelling)).status, spelling).toBe(202)
    expect(exchangesOf(around) - before).toBe(1)
    // More than the gateway remembers.
    for (let i = 0; i < 101; i += 1) {
      const wrong = Array.from({ length: 100 }, (_, n) =>
        send(basic(device.jti, `wrong ${i} ${n}`).authorization),
      )
      for (const { status } of await Promise.all(wrong)) expect(status).toBe(401)
    }
    const after = exchangesOf(around)
    expect((await send(spellings[0] ?? '')).status).toBe(202)
    expect(exchangesOf(around) - after).toBe(0)
  }, 30_000)

  test('with credentials that cannot be read is challenged, without an exchange', async ({
    gateway,
    around,
    device,
  }) => {
    const before = exchangesOf(around)
    for (const authorization of [
      'Basic !',
      'Basic ',
      `Basic ${Buffer.from('no colon').toString('base64')}`,
    ]) {
      const headers = { ...device.headers, authorization }
      const reply = await gateway.request(PATH, { method: 'POST', headers, body: '{}' })
      expect(reply.status).toBe(401)
      expect(reply.headers['www-authenticate']).toContain('realm="api"')
    }
    expect(exchangesOf(around) - before).toBe(0)
  })

  test('D19.4 sends a packed body, which arrives with its encoding', async ({ gateway, around, device }) => {
    const send = (encoding: string) =>
      gateway.request(PATH, {
        method: 'POST',
        headers: { ...device.headers, 'content-encoding': encoding },
        body: gzipSync('{}'),
      })
    expect((await send('gzip')).status).toBe(202)
    const { headers, body } = around.services.tracking.seen.at(-1) ?? {}
    expect([headers?.['content-encoding'], body]).toEqual(['gzip', gzipSync('{}')])
    const before = around.services.tracking.seen.length
    for (const encoding of ['br', 'gzip, gzip']) {
      const refused = await send(encoding)
      expect(refused.error()).toMatchObject({
        status: 415,
        detail: 'Content-Encoding must be gzip or deflate',
      })
      expect(refused.headers['accept-encoding']).toBe('gzip, deflate')
    }
    expect(around.services.tracking.seen.length).toBe(before)
  })

  test('D19.4 reads the problems of its reader the same way', async ({ gateway, device }) => {
    const list = '/api/v1/scans/dock-1/messages'
    expect((await gateway.request(list, { headers: device.headers })).status).toBe(202)
    expect((await gateway.request(list, { headers: { 'user-agent': '' } })).status).toBe(401)
    const other = await gateway.request('/api/v1/readers/1/messages', { headers: device.headers })
    expect(other.status).toBe(403)
  })

  test('is exchanged once, however many messages arrive at once', async ({ gateway, around, device }) => {
    const before = exchangesOf(around)
    const sent = Array.from({ length: 20 }, () =>
      gateway.request(PATH, { method: 'POST', headers: device.headers, body: '{}' }),
    )
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 202))
    expect(exchangesOf(around) - before).toBe(1)
  })

  test('is refused after the revocation of its key', async ({ gateway, device }) => {
    const send = () => gateway.request(PATH, { method: 'POST', headers: device.headers, body: '{}' })
    expect((await send()).status).toBe(202)
    const revoked = { jti: device.jti, revision: 2, revoked_at: new Date().toISOString() }
    gateway.view.states.apply(`keys.key.${device.jti}`, keyStateOf({ ...revoked, scopes: ['scans:write'] }))
    expect((await send()).error()).toMatchObject({ status: 401, detail: 'API key has been revoked' })
  })

  test('with a wrong secret is challenged, and asked again when it comes back', async ({
    gateway,
    around,
    device,
  }) => {
    const headers = { ...device.headers, ...basic(device.jti, 'wrong') }
    const before = exchangesOf(around)
    for (let i = 0; i < 2; i += 1) {
      const reply = await gateway.request(PATH, { method: 'POST', headers, body: '{}' })
      expect(reply.error()).toMatchObject({
        status: 401,
        detail: 'The id or the secret of the API key is wrong',
      })
      expect(reply.headers['www-authenticate']).toMatch(/^Basic realm="api".*Bearer realm="api"$/)
    }
    expect(exchangesOf(around) - before).toBe(2)
  })

  test('learns how long to wait when the token endpoint throttles it', async ({
    gateway,
    around,
    device,
  }) => {
    around.respondFromKeys((_request, reply) => reply.status(429).header('retry-after', '17').send({}))
    const reply = await gateway.request(PATH, { method: 'POST', headers: device.headers, body: '{}' })
    expect([reply.status, reply.headers['retry-after']]).toEqual([429, '17'])
  })

  test('gets 503 while keys does not answer, and sends again afterwards', async ({
    gateway,
    around,
    device,
  }) => {
    const send = () => gateway.request(PATH, { method: 'POST', headers: device.headers, body: '{}' })
    around.respondFromKeys((_request, reply) => reply.status(503).send({}))
    expect((await send()).status).toBe(503)
    const token = await bearer(around.mint, keyStateOf({ jti: device.jti, scopes: ['scans:write'] }))
    around.respondFromKeys(() => ({ access_token: token.slice('Bearer '.length), expires_in: 900 }))
    expect((await send()).status).toBe(202)
  })

  test('is told of both ways if it sends no credentials', async ({ gateway }) => {
    const reply = await gateway.request(PATH, { method: 'POST', headers: { 'user-agent': '' }, body: '{}' })
    expect(reply.error()).toMatchObject({ status: 401, detail: 'Missing authorization header' })
    expect(reply.headers['www-authenticate']).toBe('Basic realm="api", charset="UTF-8", Bearer realm="api"')
  })
})

test('a bearer token works too; the service learns the organization and the reader of the key', async ({
  gateway,
  around,
}) => {
  const key = keyStateOf({ scopes: ['scans:write'] })
  gateway.view.states.apply(`keys.key.${key.jti}`, key)
  around.services.tracking.respondWith((_request, reply) => reply.status(202).send())
  const claims = { typ: 'key', sub: key.jti, org_id: ORG_ID, scopes: key.scopes, reader_key: 'dock-1' }
  const authorization = `Bearer ${await around.mint.mint(claims)}`
  const reply = await gateway.request(PATH, { method: 'POST', headers: { authorization }, body: '{}' })
  expect(reply.status).toBe(202)
  const named = String(around.services.tracking.seen.at(-1)?.headers['x-principal'])
  const principal = JSON.parse(Buffer.from(named.split('.')[1] ?? '', 'base64url').toString())
  expect(principal).toMatchObject({ kind: 'key', org_id: ORG_ID, reader_key: 'dock-1' })
})

test('a key without scans:write is refused', async ({ gateway }) => {
  const { authorization } = await gateway.keyToken({ scopes: ['assets:read'] })
  const reply = await gateway.request(PATH, { method: 'POST', headers: { authorization }, body: '{}' })
  expect(reply.error()).toMatchObject({ status: 403, detail: 'Missing required scope: scans:write' })
})

test('a message over 256 KiB is 413', async ({ gateway, device }) => {
  const send = (bytes: number) =>
    gateway.request(PATH, { method: 'POST', headers: device.headers, body: Buffer.alloc(bytes, 0x20) })
  expect((await send(MAX_MESSAGE_BYTES)).status).toBe(202)
  expect((await send(MAX_MESSAGE_BYTES + 1)).status).toBe(413)
})

test('elsewhere the User-Agent counts, and HTTP Basic is no credential', async ({ gateway, device }) => {
  const refused = await gateway.request('/api/v1/assets', { headers: device.headers })
  expect(refused.status).toBe(403)
  const named = { ...device.headers, 'user-agent': 'erp/1' }
  expect((await gateway.request('/api/v1/assets', { headers: named })).status).toBe(401)
})
