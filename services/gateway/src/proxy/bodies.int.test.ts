import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { ORG_ID, test } from '../../test/gateway.fixture.ts'

const JSON_BODY = { 'content-type': 'application/json' }
const LIMIT = 16 * 1024

describe('D12.1 a refresh token of any length is refused, unread', () => {
  const grant = { grant_type: 'refresh_token', refresh_token: 'x'.repeat(LIMIT) }
  const forms = {
    'application/json': JSON.stringify(grant),
    'application/x-www-form-urlencoded': String(new URLSearchParams(grant)),
  }
  test.for(Object.entries(forms))('%s', async ([type, body], { gateway, around }) => {
    const before = around.services.keys.seen.length
    for (const headers of [{ 'content-length': String(body.length) }, { 'transfer-encoding': 'chunked' }]) {
      const sent = { method: 'POST', headers: { 'content-type': type, ...headers }, body }
      const answer = await gateway.request('/api/v1/oauth/token', sent)
      expect(answer.error()).toMatchObject({
        type: 'unauthorized',
        status: 401,
        detail: 'Invalid or expired refresh token',
      })
    }
    expect(around.services.keys.seen.length).toBe(before)
  })
})

describe('D19.4 packed bodies', () => {
  const sent = {
    method: 'POST',
    headers: { ...JSON_BODY, 'content-encoding': 'gzip' },
    body: gzipSync('{}'),
  }

  test.for(['/api/v1/auth/login', '/api/v1/oauth/token', '/session/sign-in'])(
    'are 415 that names the header on %s, not JSON that is wrong',
    async (path, { gateway }) => {
      const answer = await gateway.request(path, sent)
      expect(answer.error()).toMatchObject({
        type: 'unsupported_media_type',
        status: 415,
        detail: 'Content-Encoding is not supported here: send the body as it is',
      })
      expect(answer.headers['accept-encoding']).toBe('identity')
      const plain = { ...sent, headers: { ...JSON_BODY, 'content-encoding': 'identity' }, body: '{}' }
      expect((await gateway.request(path, plain)).status).toBe(200)
    },
  )
})

describe('D2.7 bodies without a credential', () => {
  const open = ['/api/v1/auth/login', '/api/v1/auth/refresh', '/session/sign-in']

  test.for(open)('%s takes 16 KiB and not a byte more', async (path, { gateway }) => {
    const send = (bytes: number, headers = {}) =>
      gateway.request(path, {
        method: 'POST',
        headers: { ...JSON_BODY, ...headers },
        body: Buffer.alloc(bytes, 'x'),
      })
    expect((await send(LIMIT)).status).toBe(200)
    for (const headers of [{ 'content-length': String(LIMIT + 1) }, { 'transfer-encoding': 'chunked' }]) {
      const answer = await send(LIMIT + 1, headers)
      expect(answer.status).toBe(413)
      expect(answer.error()).toMatchObject({
        type: 'payload_too_large',
        detail: 'Request body must be at most 16 KiB',
      })
    }
  })

  test('a larger one is refused before it arrives', async ({ gateway }) => {
    const headers = { ...JSON_BODY, 'content-length': '1000000', expect: '100-continue' }
    const answer = await gateway.request('/api/v1/auth/login', { method: 'POST', headers, body: 'x' })
    expect(answer.status).toBe(413)
  })
})

describe('unfinished bodies', () => {
  const MIB = 2 ** 20
  /** Sends the head and one byte. Resolves with the status when the body ends before its time. */
  async function begin(origin: string, path: string, headers: Record<string, string>, bytes: number) {
    const sent = { ...JSON_BODY, 'user-agent': 'test/1', 'content-length': String(bytes), ...headers }
    const request = httpRequest(`${origin}${path}`, { method: 'POST', headers: sent, agent: false })
    const status = once(request, 'response').then(([{ statusCode }]) => statusCode as number)
    status.catch(() => undefined)
    request.on('error', () => undefined)
    await new Promise((resolve) => request.write(' ', resolve))
    return { status, destroy: () => request.destroy() }
  }

  test('of a refresh token that is too long are refused before they arrive', async ({ gateway }) => {
    const { status, destroy } = await begin(gateway.origin, '/api/v1/oauth/token', {}, MIB)
    expect(await status).toBe(401)
    destroy()
  })

  test('of organizations end for another one, and again and again; strangers are not affected', async ({
    startGateway,
    around,
  }) => {
    // Organizations have three quarters: two bodies of 1 MiB.
    const gateway = await startGateway({ maxBodyBytesInFlight: 3 * MIB })
    around.services.catalog.respondWith(() => ({}))
    const keyOf = (org_id: number) => gateway.keyToken({ scopes: ['assets:write'], org_id })
    const [victim, ...attackers] = await Promise.all([0, 1, 2, 3].map((n) => keyOf(ORG_ID + n)))
    const open = await Promise.all(
      attackers.slice(0, 2).map((token) => begin(gateway.origin, '/api/v1/assets', { ...token }, MIB)),
    )
    const post = (path: string, headers: object, bytes: number) =>
      gateway.request(path, {
        method: 'POST',
        headers: { ...JSON_BODY, ...headers },
        body: ' '.repeat(bytes),
      })
    for (let i = 0; i < 3; i += 1) {
      expect((await post('/api/v1/assets', { authorization: victim?.authorization }, 600_000)).status).toBe(
        200,
      )
      expect((await post('/api/v1/oauth/token', {}, 16_000)).status).toBe(200)
      expect(await Promise.race(open.map(({ status }) => status))).toBe(503)
      for (const { destroy } of open.splice(0)) destroy()
      for (const token of attackers.slice(0, 2))
        open.push(await begin(gateway.origin, '/api/v1/assets', { ...token }, MIB))
    }
    for (const { destroy } of open) destroy()
  })

  test('of strangers end for another address, and no organization is affected', async ({
    startGateway,
    around,
  }) => {
    const gateway = await startGateway({ maxBodyBytesInFlight: 2 * MIB, trustedProxies: ['127.0.0.1'] })
    around.services.catalog.respondWith(() => ({}))
    const key = await gateway.keyToken({ scopes: ['assets:write'] })
    const from = (n: number) => ({ 'x-forwarded-for': `203.0.113.${n}` })
    const open = await Promise.all(
      Array.from({ length: 80 }, (_, i) => begin(gateway.origin, '/api/v1/oauth/token', from(i % 40), LIMIT)),
    )
    for (let i = 0; i < 5; i += 1) {
      const headers = { ...JSON_BODY, ...from(100 + i) }
      const token = await gateway.request('/api/v1/oauth/token', { method: 'POST', headers, body: '{}' })
      expect(token.status).toBe(200)
    }
    const sent = { method: 'POST', headers: { ...JSON_BODY, authorization: key.authorization } }
    const saved = await gateway.request('/api/v1/assets', { ...sent, body: ' '.repeat(700_000) })
    expect(saved.status).toBe(200)
    for (const { destroy } of open) destroy()
  })
})

test('bodies beyond the budget are refused until others were answered', async ({ startGateway, around }) => {
  const gateway = await startGateway({ maxBodyBytesInFlight: 16_000 })
  const [answers, arrived] = [Promise.withResolvers<object>(), Promise.withResolvers<void>()]
  around.respondFromKeys(() => (arrived.resolve(), answers.promise))
  const send = () =>
    gateway.request('/api/v1/auth/login', { method: 'POST', headers: JSON_BODY, body: 'x'.repeat(1_500) })
  const first = send()
  await arrived.promise
  const refused = await send()
  expect(refused.status).toBe(503)
  expect(refused.headers).toMatchObject({ 'retry-after': '1', connection: 'close' })
  answers.resolve({})
  expect((await first).status).toBe(200)
  await expect.poll(async () => (await send()).status).toBe(200)
  around.respondFromKeys(() => ({}))
})
