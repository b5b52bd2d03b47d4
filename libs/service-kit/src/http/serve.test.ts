import type { Route } from '@whereabouts/contracts/route'
import { testCallers } from '@whereabouts/testing/caller'
import type { FastifyInstance } from 'fastify'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createLogger } from '../observe/logging.ts'
import { createRegistry } from '../observe/metrics.ts'
import { serve, serveRows, type Handlers } from './serve.ts'
import { createServer } from './server.ts'
import { currentTrace } from '../observe/trace.ts'

/** The handlers return their input: the tests check the steps before and after them. */
const callers = testCallers()
let app: FastifyInstance
let headers: Record<string, string>

beforeEach(async () => {
  app = createServer({ log: createLogger('test', 'silent'), registry: createRegistry('test') })
  const echo = async (context: { params?: unknown; query?: unknown; body?: unknown }) => {
    if (JSON.stringify(context.body ?? '').includes('explode')) throw new Error('secret detail')
    return { data: { params: context.params, query: context.query, body: context.body } }
  }
  const handlers = new Proxy({}, { get: () => echo }) as unknown as Handlers<'catalog'>
  serve(app, 'catalog', { verify: callers.verify, handlers })
  headers = await callers.headersFor({ orgId: 7 })
})
afterEach(() => app.close())

const post = (payload: string | Buffer, extra: Record<string, string> = {}) =>
  app.inject({ method: 'POST', url: '/api/v1/assets', headers: { ...headers, ...extra }, payload })

describe('order of D2 inside a service', () => {
  test('the principal is checked before the media type, that before the body, and the path before the query', async () => {
    const bare = await app.inject({
      method: 'POST',
      url: '/api/v1/assets',
      headers: { 'content-type': 'text/plain' },
      payload: '{',
    })
    expect(bare.json().error.type).toBe('unauthorized')
    const media = await post('{', { 'content-type': 'text/plain' })
    expect(media.json().error.type).toBe('unsupported_media_type')
    const path = await app.inject({ method: 'GET', url: '/api/v1/assets/0?zzz=1', headers })
    expect(path.json().error.fields[0].field).toBe('asset_id')
  })
})

describe('the signal of the client', () => {
  type Asked = { signal: AbortSignal | undefined; answer: () => void }
  const row = { access: 'none', upstream: 'catalog', success: { status: 200 } } as unknown as Route

  /** Asks for a response that the test gives. */
  async function ask(method: 'GET' | 'POST') {
    const asked = Promise.withResolvers<Asked>()
    const wait = () =>
      new Promise((resolve) =>
        asked.resolve({ signal: currentTrace()?.client?.signal, answer: () => resolve({}) }),
      )
    const own = createServer({ log: createLogger('test', 'silent'), registry: createRegistry('own') })
    onTestFinished(() => own.close())
    const rows = [['wait', { ...row, method, path: '/wait' }]] as const
    serveRows(own, rows, { verify: callers.verify, handlers: { wait } })
    const origin = await own.listen({ host: '127.0.0.1', port: 0 })
    const client = new AbortController()
    const answered = fetch(origin + '/api/v1/wait', { method, signal: client.signal })
    answered.catch(() => undefined)
    return { ...(await asked.promise), leave: () => client.abort(), answered }
  }

  test('aborts when the client leaves a read, as an error that is not logged', async () => {
    const { signal, leave, answer } = await ask('GET')
    expect(signal?.aborted).toBe(false)
    leave()
    await expect.poll(() => signal?.aborted).toBe(true)
    expect(signal?.reason).toMatchObject({ type: 'service_unavailable', isCounted: true })
    answer()
  })

  test('does not abort after the response', async () => {
    const { signal, answer, answered } = await ask('GET')
    answer()
    await (await answered).text()
    expect(signal?.aborted).toBe(false)
  })

  test('does not exist for a change, which is finished', async () => {
    const { signal, answer, answered } = await ask('POST')
    expect(signal).toBeUndefined()
    answer()
    expect((await answered).status).toBe(200)
  })
})

describe('bodies', () => {
  test.for([
    ['', 'Request body is not valid JSON'],
    ['{', 'Request body is not valid JSON'],
    ['{} {}', 'Request body is not valid JSON'],
    ['[]', 'Request body must be a JSON object'],
    ['"a"', 'Request body must be a JSON object'],
    ['5', 'Request body must be a JSON object'],
    ['null', 'Request body must be a JSON object (RFC 7396)'],
  ] as const)('%j is a bad request: %s', async ([payload, detail]) => {
    const res = await post(payload)
    expect(res.statusCode).toBe(400)
    expect(res.json().error).toMatchObject({ type: 'bad_request', detail })
  })

  test('invalid UTF-8 is a bad request, NUL in a field a validation error', async () => {
    expect((await post(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).json().error.type).toBe(
      'bad_request',
    )
    expect((await post(String.raw`{"name":"a\u0000b"}`)).json().error.type).toBe('validation_error')
    expect((await post(String.raw`{"name":"\ud800"}`)).json().error.type).toBe('validation_error')
  })

  test('__proto__ is an unknown field and does not pollute prototypes', async () => {
    const res = await post('{"name":"a","__proto__":{"polluted":1}}')
    expect(res.json().error.fields[0]).toMatchObject({ field: '__proto__', code: 'unknown_field' })
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  test('more than 1 MiB is 413', async () => {
    const res = await post(JSON.stringify({ name: 'x'.repeat(1024 * 1024) }))
    expect(res.statusCode).toBe(413)
    expect(res.json().error).toMatchObject({ type: 'payload_too_large', title: 'Payload too large' })
  })
})

describe('answers', () => {
  test('an unexpected error hides its cause', async () => {
    const res = await post('{"name":"explode"}')
    expect(res.statusCode).toBe(500)
    expect(res.body).not.toContain('secret')
    expect(res.json().error).toMatchObject({ type: 'internal_error', instance: '/api/v1/assets' })
  })

  test('the envelope has the unchanged request id of the caller', async () => {
    const res = await post('{', { 'x-request-id': 'mine; not validated' })
    expect(res.headers['x-request-id']).toBe('mine; not validated')
    expect(res.json().error.request_id).toBe('mine; not validated')
  })

  test('HEAD mirrors GET', async () => {
    const get = await app.inject({ method: 'GET', url: '/api/v1/assets', headers })
    const head = await app.inject({ method: 'HEAD', url: '/api/v1/assets', headers })
    expect([head.statusCode, head.body]).toEqual([200, ''])
    expect(head.headers['content-length']).toBe(get.headers['content-length'])
  })

  test.for(['/api/v1/assets?q=%ff', '/api/v1/assets?q=%', '/api/v1/assets/%ff'])(
    '%s is a 400',
    async (url) => {
      expect((await app.inject({ method: 'GET', url, headers })).statusCode).toBe(400)
    },
  )

  test('a principal signed by another gateway is refused', async () => {
    const foreign = await testCallers().headersFor({ orgId: 7 })
    expect((await app.inject({ method: 'GET', url: '/api/v1/assets', headers: foreign })).statusCode).toBe(
      401,
    )
  })
})

const readThing = {
  method: 'GET',
  path: '/things/{key}',
  upstream: 'catalog',
  access: 'assets:read',
  counted: true,
  described: true,
  summary: 'Read a thing',
  params: z.strictObject({ key: z.string() }),
  success: { status: 200 },
  errors: [],
} as const satisfies Route

test('D1.2 a legacy row is served below /legacy, in addition to the current row of the same path', async () => {
  const rows = { getThing: readThing, getLegacyThing: { ...readThing, vocabulary: 'legacy' } } as const
  serveRows(app, Object.entries(rows), {
    verify: callers.verify,
    handlers: {
      getThing: async () => ({ served: 'current' }),
      getLegacyThing: async ({ params }) => ({ served: 'legacy', params }),
    },
  })
  const get = async (url: string) => (await app.inject({ url, headers })).json()
  expect(await get('/legacy/api/v1/things/a')).toEqual({ served: 'legacy', params: { key: 'a' } })
  expect(await get('/api/v1/things/a')).toEqual({ served: 'current' })
  expect((await get('/legacy/api/v1/things/a?x=1')).error).toMatchObject({
    type: 'validation_error',
    instance: '/legacy/api/v1/things/a',
  })
})

test('a service with a row without a handler does not start', () => {
  const options = { verify: callers.verify, handlers: {} }
  expect(() => serveRows(app, [['getThing', readThing]], options)).toThrow('getThing has no handler')
})
