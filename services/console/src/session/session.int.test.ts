import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { buildApp } from '../app.ts'
import { sessionCookie } from './cookie.ts'
import { keysClient } from './keys.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => unknown

/** A fake `keys` on a real socket. It records requests; each test sets `handler`. */
let fakeKeys: FastifyInstance
let seen: FastifyRequest[] = []
let handler: Handler
let app: FastifyInstance
let callFakeKeys: ReturnType<typeof keysClient>['call']
let closeKeys: () => Promise<void>

const SESSION = {
  access_token: 'access-1',
  refresh_token: 'refresh-2',
  token_type: 'Bearer',
  expires_in: 3600,
  user: { id: 1, name: 'Ada', email: 'ada@example.com', role: 'admin' },
  org: { id: 7, name: 'Acme', created_at: '2026-11-21T10:00:00.000Z' },
}
const opensSession: Handler = () => ({ data: SESSION })
const refusesSession: Handler = (_request, reply) =>
  reply
    .status(401)
    .header('www-authenticate', 'Bearer realm="api"')
    .send({ error: { type: 'unauthorized' } })

beforeAll(async () => {
  fakeKeys = fastify({ forceCloseConnections: true })
  fakeKeys.post('/*', async (request, reply) => {
    seen.push(request)
    return handler(request, reply)
  })
  const keys = keysClient(await fakeKeys.listen({ host: '127.0.0.1', port: 0 }))
  closeKeys = keys.close
  callFakeKeys = keys.call
  app = appWith(callFakeKeys)
})
afterEach(() => {
  seen = []
  handler = opensSession
})
afterAll(async () => {
  await app.close()
  await closeKeys()
  await fakeKeys.close()
})

const post = (name: string, headers: Record<string, string> = {}, payload: unknown = {}) =>
  app.inject({
    method: 'POST',
    url: `/session/${name}`,
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  })
const COOKIE = { cookie: 'other=1; __Host-whereabouts_session=refresh-1; more=2' }
const DELETED = '__Host-whereabouts_session=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0'
/** The name in earlier releases. */
const EARLIER = { cookie: 'whereabouts_session=refresh-0' }

test('sign-in returns everything but the refresh token, which goes into an HttpOnly cookie', async () => {
  handler = opensSession
  const body = { email: 'ada@example.com', password: 'long enough 1' }
  const reply = await post('sign-in', { 'x-forwarded-for': '203.0.113.7' }, body)
  const { refresh_token: _, ...shown } = SESSION
  expect([reply.statusCode, reply.json()]).toEqual([200, { data: shown }])
  expect(reply.headers['set-cookie']).toEqual([
    '__Host-whereabouts_session=refresh-2; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=2592000',
  ])
  expect(reply.headers['cache-control']).toBe('no-store')
  expect(seen[0]).toMatchObject({
    url: '/api/v1/auth/login',
    body,
    headers: { 'x-forwarded-for': '203.0.113.7' },
  })
  expect(seen[0]?.headers['x-request-id']).toBe(reply.headers['x-request-id'])
})

describe('a browser that has signed in before', () => {
  const next: Handler = (_request, reply) => reply.header('x-known-device', '9.mac-2').send({ data: SESSION })

  test('proves it to keys at each sign-in, with a cookie of its own that it keeps', async () => {
    handler = next
    const reply = await post('sign-in', { cookie: '__Host-whereabouts_device=8.mac-1' })
    expect(seen[0]?.headers['x-known-device']).toBe('8.mac-1')
    expect(reply.headers).not.toHaveProperty('x-known-device')
    expect(reply.headers['set-cookie']).toEqual([
      '__Host-whereabouts_device=9.mac-2; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=2592000',
      expect.stringContaining('__Host-whereabouts_session=refresh-2;'),
    ])
    handler = (_request, answer) => answer.status(204).send()
    const out = await post('sign-out', { cookie: `${COOKIE.cookie}; __Host-whereabouts_device=9.mac-2` })
    expect(out.headers['set-cookie']).toEqual([DELETED])
  })

  test('without the cookie it asks for one, and a header of the page counts for nothing', async () => {
    handler = opensSession
    await post('sign-in', { 'x-known-device': '8.mac-1', cookie: 'whereabouts_device=8.mac-1' })
    expect(seen[0]?.headers['x-known-device']).toBe('')
    await post('refresh', { ...COOKIE, 'x-known-device': '8.mac-1' })
    expect(seen[1]?.headers).not.toHaveProperty('x-known-device')
  })
})

test('a renewal sends the token of the cookie and stores the new one', async () => {
  handler = opensSession
  expect((await post('refresh', COOKIE)).headers['set-cookie']).toEqual([
    expect.stringContaining('__Host-whereabouts_session=refresh-2;'),
  ])
  expect((await post('switch', COOKIE, { org_id: 9 })).statusCode).toBe(200)
  expect(seen.map(({ url, body }) => [url, body])).toEqual([
    ['/api/v1/auth/refresh', { refresh_token: 'refresh-1' }],
    ['/api/v1/auth/refresh', { refresh_token: 'refresh-1', org_id: 9 }],
  ])
})

describe('S11 e a cookie with its earlier name, over HTTPS', () => {
  const EARLIER_DELETED = 'whereabouts_session=; Path=/session; Secure; HttpOnly; SameSite=Strict; Max-Age=0'

  test('opens no session, because a page on a sibling host can set it', async () => {
    handler = opensSession
    const reply = await post('refresh', EARLIER)
    expect(reply.statusCode).toBe(204)
    expect(seen).toEqual([])
  })

  test('is ignored if there is one with the new name', async () => {
    handler = opensSession
    await post('refresh', { cookie: `${EARLIER.cookie}; ${COOKIE.cookie}` })
    expect(seen[0]?.body).toEqual({ refresh_token: 'refresh-1' })
  })

  test('is deleted with the session', async () => {
    handler = (_request, reply) => reply.status(204).send()
    const reply = await post('sign-out', { cookie: `${EARLIER.cookie}; ${COOKIE.cookie}` })
    expect(seen[0]?.body).toEqual({ refresh_token: 'refresh-1' })
    expect(reply.headers['set-cookie']).toEqual([DELETED, EARLIER_DELETED])
  })
})

test('over plain HTTP, the cookie has attributes that browsers accept there', async () => {
  handler = opensSession
  const local = appWith(callFakeKeys, false)
  const send = (cookie: string) =>
    local.inject({
      method: 'POST',
      url: '/session/refresh',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie },
      payload: '{}',
    })
  const reply = await send('whereabouts_session=refresh-1')
  expect(reply.headers['set-cookie']).toEqual([
    'whereabouts_session=refresh-2; Path=/session; HttpOnly; SameSite=Strict; Max-Age=2592000',
  ])
  expect((await send('__Host-whereabouts_session=refresh-1')).statusCode).toBe(204)
  await local.close()
})

test('the cookie of a session that keys refuses is deleted; without a cookie keys is not called', async () => {
  handler = refusesSession
  const reply = await post('refresh', COOKIE)
  expect(reply.statusCode).toBe(401)
  expect(reply.headers).toMatchObject({ 'www-authenticate': 'Bearer realm="api"' })
  expect(reply.headers['set-cookie']).toEqual([DELETED])
  for (const cookie of [
    '',
    '__Host-whereabouts_session=',
    'xwhereabouts_session=1',
    '__Host-whereabouts_session=a"b',
  ])
    expect((await post('refresh', { cookie })).statusCode).toBe(204)
  expect((await post('switch', {})).statusCode).toBe(401)
  expect(seen).toHaveLength(1)
})

test('requests from other sites are refused before keys is called', async () => {
  for (const site of ['cross-site', 'same-site', 'none', 'x']) {
    const reply = await post('refresh', { ...COOKIE, 'sec-fetch-site': site })
    expect([site, reply.statusCode, reply.json().error.type]).toEqual([site, 403, 'forbidden'])
  }
  for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
    expect((await post('sign-out', { ...COOKIE, 'content-type': type })).statusCode).toBe(415)
  for (const body of ['{', '[]', '"x"', 'null'])
    expect((await post('sign-in', {}, body)).statusCode).toBe(400)
  expect(seen).toEqual([])
})

test('over plain HTTP, where browsers send no Sec-Fetch-Site, the origin must be the requested host', async () => {
  handler = opensSession
  const from = (headers: Record<string, string>) =>
    app.inject({
      method: 'POST',
      url: '/session/refresh',
      headers: { 'content-type': 'application/json', ...COOKIE, ...headers },
      payload: '{}',
    })
  const host = { 'x-forwarded-host': '192.168.1.5:8080' }
  expect((await from({ ...host, origin: 'http://192.168.1.5:8080' })).statusCode).toBe(200)
  for (const origin of ['http://192.168.1.5', 'http://evil.example', 'null', ''])
    expect((await from({ ...host, origin })).statusCode).toBe(403)
  expect((await from(host)).statusCode).toBe(403)
  expect((await from({ origin: 'http://192.168.1.5:8080' })).statusCode).toBe(403)
  const both = { ...host, origin: 'http://192.168.1.5:8080', 'sec-fetch-site': 'cross-site' }
  expect((await from(both)).statusCode).toBe(403)
  expect(seen).toHaveLength(1)
})

test.for([
  ['sign-in', 'login'],
  ['accept-invitation', 'accept-invitation'],
])('D15.2 %s passes the code on, and the refusal that asks for one', async ([name = '', operation]) => {
  const error = { type: 'unauthorized', second_factor: true }
  handler = (_request, reply) => reply.status(401).send({ error })
  const body = { password: 'long enough 1', code: '123456' }
  const reply = await post(name, {}, body)
  expect([reply.statusCode, reply.json()]).toEqual([401, { error }])
  expect(seen[0]).toMatchObject({ url: `/api/v1/auth/${operation}`, body })
})

test('refusals of keys are passed on unchanged', async () => {
  const error = { type: 'rate_limited', detail: 'Retry after 7 seconds' }
  handler = (_request, reply) => reply.status(429).header('retry-after', '7').send({ error })
  const reply = await post('sign-in', {}, { email: 'a@b', password: 'x' })
  expect([reply.statusCode, reply.json(), reply.headers['retry-after']]).toEqual([429, { error }, '7'])
  expect(reply.headers['set-cookie']).toBeUndefined()
})

test('sign-out deletes the cookie, unless keys could not end the session', async () => {
  handler = (_request, reply) => reply.status(503).send({ error: { type: 'service_unavailable' } })
  const failed = await post('sign-out', COOKIE)
  expect([failed.statusCode, failed.headers['set-cookie']]).toEqual([503, undefined])
  handler = (_request, reply) => reply.status(204).send()
  const done = await post('sign-out', COOKIE)
  expect(done.statusCode).toBe(204)
  expect(done.headers['set-cookie']).toEqual([DELETED])
  expect(seen.map(({ url, body }) => [url, body])).toEqual([
    ['/api/v1/auth/logout', { refresh_token: 'refresh-1' }],
    ['/api/v1/auth/logout', { refresh_token: 'refresh-1' }],
  ])
})

test('if keys is unreachable, the response is a 503 and the session stays', async () => {
  const unreachable = keysClient('http://127.0.0.1:1')
  const reply = await appWith(unreachable.call).inject({
    method: 'POST',
    url: '/session/refresh',
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...COOKIE },
    payload: '{}',
  })
  expect([reply.statusCode, reply.json().error.type]).toEqual([503, 'service_unavailable'])
  expect(reply.headers['set-cookie']).toBeUndefined()
  await unreachable.close()
})

test('the settings contain the version and the addresses for readers', async () => {
  const reply = await app.inject('/session/settings')
  expect(reply.json()).toEqual({
    data: { version: '1.2.3', reader_nats_url: 'tls://readers.example:4222', reader_mqtt_url: null },
  })
})

function appWith(callKeys: ReturnType<typeof keysClient>['call'], isSecure = true) {
  const page = {
    type: 'text/html',
    cacheControl: 'no-cache',
    etag: '"1"',
    bodyIn: async () => Buffer.alloc(0),
  }
  return buildApp({
    log: createLogger('console', 'silent'),
    registry: createRegistry('console'),
    pages: { byPath: new Map(), shell: page },
    docs: { byPath: new Map(), notFound: undefined },
    downloads: new Map(),
    settings: { version: '1.2.3', reader_nats_url: 'tls://readers.example:4222', reader_mqtt_url: null },
    cookie: sessionCookie(isSecure),
    deviceCookie: sessionCookie(isSecure, 'device'),
    signOnCookie: sessionCookie(isSecure, 'sign_on'),
    callKeys,
  })
}

test('D15.5 a sign-on opens a session with its code, and tells keys which browser asks', async () => {
  handler = opensSession
  const reply = await post('sign-on', { cookie: '__Host-whereabouts_sign_on=token-1' }, { code: 'code-1' })
  expect(seen.at(-1)).toMatchObject({ url: '/api/v1/auth/oidc/session', body: { code: 'code-1' } })
  expect(seen.at(-1)?.headers['x-sign-on']).toBe('token-1')
  expect(reply.headers['set-cookie']).toEqual([
    expect.stringContaining('__Host-whereabouts_session=refresh-2;'),
  ])
  // A page cannot say so instead of the cookie.
  await post('sign-on', { 'x-sign-on': 'token-1' }, { code: 'code-1' })
  expect(seen.at(-1)?.headers['x-sign-on']).toBe('')
})
