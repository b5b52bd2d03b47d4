import type { Route } from '@whereabouts/contracts/route'
import { API_PREFIX, routes, type OperationId } from '@whereabouts/contracts/routes'
import fc from 'fast-check'
import { describe, expect, inject } from 'vitest'
import { exchangeBytes, openSocket, readAnswers, type RawAnswer } from '../system/raw-http.ts'
import type { Api } from './support/api.ts'
import { checkAnswer } from './support/envelope.ts'
import { test } from './support/fixtures.ts'
import { send } from './support/http.ts'

// A failure prints its seed; `fc.assert(…, { seed, path })` repeats it.

const { base } = inject('urls')
const table = Object.entries<Route>(routes) as [OperationId, Route][]
const paths = [
  ...new Set(table.map(([, { path }]) => `${API_PREFIX}${path}`)),
  '/',
  '/api',
  '/.well-known/jwks.json',
]

/** Text that breaks things: other alphabets, control characters, format strings, fields of ours. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '\u0000',
    '\uFEFF',
    '../..',
    '%00',
    '%',
    '{}',
    "';--",
    '${x}',
    '__proto__',
    '9'.repeat(30),
  ),
  fc.integer().map(String),
  fc.uuid(),
)
const fieldName = fc.oneof(
  fc.constantFrom(
    'name',
    'scopes',
    'tags',
    'metadata',
    'external_key',
    'parent_id',
    'valid_to',
    'url',
    '__proto__',
  ),
  nasty,
)
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(null, true, -1, 0.5, 1e308, Number.MAX_SAFE_INTEGER, '2026-11-21T10:00:00Z'),
    nasty,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fieldName, tie('value'), { maxKeys: 4 }),
  ),
})).value
const mediaTypes = [
  'application/json',
  'application/merge-patch+json',
  'application/x-www-form-urlencoded',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data',
  '',
]
const body = fc.oneof(
  fc.constant(undefined),
  fc.uint8Array({ maxLength: 200 }),
  json.map((value) => JSON.stringify(value)),
  nasty,
)

async function expectHealthy(api: Api, token: string): Promise<void> {
  expect((await api.call('getCurrentOrg', { token })).status).toBe(200)
}

describe('whatever an operation is sent, the answer is one that is described', () => {
  test.for(table)('%s', async ([operationId, row], { api, newOrg }) => {
    const org = await newOrg()
    const tokens = [org.admin, (await org.key()).token]
    const names = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const params = fc.record(
      Object.fromEntries(
        names.map((name) => [name, nasty.filter((text) => text !== '' && isEncodable(text))]),
      ),
    )
    const query = fc.dictionary(fieldName.filter(isEncodable), nasty.filter(isEncodable), { maxKeys: 3 })
    const token = fc.constantFrom(...tokens)
    const request = fc.record({ params, query, token, body: fc.oneof(json, body) })
    await fc.assert(
      fc.asyncProperty(request, async (sent) => {
        // `api.call` holds the answer against the description, where no 5xx but 503 is.
        expect((await api.call(operationId, sent)).status).toBeLessThan(500)
      }),
      { numRuns: operationId === 'signUp' || operationId === 'logIn' ? 10 : 40 },
    )
  })
})

// A dot is escaped twice on its way to a service, which shows in `instance`: it is left to the other properties.
const isEncodable = (text: string) => text.isWellFormed() && !text.includes('.')

describe('requests nobody should send', () => {
  const method = fc.oneof(
    fc.constantFrom(
      'GET',
      'HEAD',
      'POST',
      'PUT',
      'PATCH',
      'DELETE',
      'OPTIONS',
      'TRACE',
      'PROPFIND',
      'QUERY',
      'SEARCH',
    ),
  )
  const visible = fc.stringMatching(/^[!-~]{0,30}$/)
  const target = fc
    .record({ path: fc.constantFrom(...paths), filler: visible, tail: visible, query: visible })
    .map(({ path, filler, tail, query }) => {
      const filled = path.replaceAll(/\{\w+\}/g, () => filler || '5')
      return `${filled}${tail}${query && `?${query}`}`.replaceAll('#', '')
    })
  const headerValue = fc.stringMatching(/^[ -~\x80-\xff]{0,40}$/).map((text) => text.trim())
  const headers = fc.dictionary(
    fc.oneof(
      fc.constantFrom(
        'accept', 'authorization', 'range', 'if-none-match', 'traceparent', 'x-forwarded-for', 'x-principal', 'host',
        'origin', 'accept-encoding', 'content-encoding', 'upgrade', 'te', 'cookie', 'x-http-method-override',
      ), // prettier-ignore
      fc
        .stringMatching(/^[!#$%&'*+.^_`|~\w-]{1,20}$/)
        .filter(
          (name) =>
            !/^(?:__proto__|connection|content-length|transfer-encoding|trailer|x-request-id)$/i.test(name),
        ),
    ),
    headerValue,
    { maxKeys: 5 },
  )
  const isSent = (name: string, value: string) => !(name === 'host' && value === '')

  test('answers to any method, path, header and body are below 500 and in the envelope', async ({
    api,
    token,
  }) => {
    const request = fc.record({
      method,
      path: target,
      headers,
      body,
      type: fc.constantFrom(...mediaTypes),
      isKnown: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(request, async ({ type, isKnown, ...sent }) => {
        const all = {
          'user-agent': 'contract-suite/1',
          'content-type': type,
          ...(isKnown && { authorization: `Bearer ${token}` }),
          ...sent.headers,
        }
        const kept = Object.fromEntries(Object.entries(all).filter(([name, value]) => isSent(name, value)))
        const full = { ...sent, headers: kept }
        const answer = await send(base, full)
        expect(answer.status).toBeLessThan(500)
        if (!isPage(answer.headers.get('content-type'))) checkAnswer(full, answer)
      }),
      { numRuns: 1_500, interruptAfterTimeLimit: 20_000 },
    )
    await expectHealthy(api, token)
  })

  test('bytes that are almost HTTP are answered in the envelope or not at all', async ({ api, token }) => {
    const line = fc.oneof(
      fc.constantFrom(
        'Host: a', 'Host:', 'User-Agent: x/1', `Authorization: Bearer ${token}`, 'Content-Length: 5', 'Content-Length: -1',
        'Content-Length: 5, 5', 'Content-Length: 99999999999999999999', 'Transfer-Encoding: chunked', 'Transfer-Encoding: gzip',
        'Connection: upgrade', 'Upgrade: websocket', 'Upgrade: h2c', 'Expect: 100-continue', 'Expect: nothing', ' folded',
        'No colon', ': no name', 'X-Request-ID: \u0000', 'X: \u0001', 'Content-Type: application/json', 'Connection: close',
      ), // prettier-ignore
      fc.string({ unit: 'binary-ascii', maxLength: 30 }),
    )
    const start = fc.oneof(
      fc
        .tuple(
          fc.constantFrom('GET', 'HEAD', 'POST', 'get', 'CONNECT', 'PRI', 'BREW', '', 'G\u0000T'),
          fc.constantFrom(
            '/',
            '/api/v1/assets',
            '*',
            'http://other/api/v1/assets',
            'other:80',
            '//other',
            '/\u00ff',
            '',
            '/%',
          ),
          fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'http/1.1', ''),
        )
        .map((parts) => parts.join(' ')),
      fc.string({ unit: 'binary-ascii', maxLength: 30 }),
    )
    const message = fc
      .record({
        start,
        lines: fc.array(line, { maxLength: 6 }),
        end: fc.constantFrom('\r\n', '\n', '\r', '\r\n\r\n'),
        body: fc.uint8Array({ maxLength: 30 }),
      })
      .map((parts) => {
        const head = [parts.start, ...parts.lines].join(parts.end === '\n' ? '\n' : '\r\n')
        return Buffer.concat([Buffer.from(`${head}\r\n${parts.end}`, 'latin1'), parts.body])
      })
    const anything = fc.oneof(
      { weight: 4, arbitrary: message },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
    )
    await fc.assert(
      fc.asyncProperty(anything, async (bytes) => {
        const isHead = Buffer.from(bytes).toString('latin1').startsWith('HEAD ')
        for (const answer of readAnswers(await exchangeBytes(base, bytes), isHead)) checkRaw(answer, isHead)
      }),
      { numRuns: 1_000, interruptAfterTimeLimit: 20_000 },
    )
    await expectHealthy(api, token)
  })
})

const isPage = (type: string | null | undefined) => /^text\/(?:html|css)|^image\//.test(type ?? '')

/** The rules for every answer, as far as they hold for one to something that is perhaps no request. */
function checkRaw({ status, headers, body: text }: RawAnswer, isHead: boolean): void {
  const where = `${status} ${text.slice(0, 300)}`
  expect(status, where).toBeLessThan(500)
  expect(headers.get('access-control-allow-origin'), where).toBe('*')
  expect(headers.get('x-request-id'), where).toBeTruthy()
  if (status < 400 || isHead || isPage(headers.get('content-type'))) return
  if (status === 403 && headers.get('content-type')?.startsWith('text/plain')) return
  expect(headers.get('content-type'), where).toMatch(/^application\/json/)
  expect(JSON.parse(text), where).toMatchObject({
    error: { status, type: expect.any(String), request_id: expect.any(String), instance: expect.any(String) },
  })
}

describe('too much of something', () => {
  const huge = (lines: string[]) =>
    Buffer.from(`GET /api/v1/assets HTTP/1.1\r\nHost: a\r\nUser-Agent: x/1\r\n${lines.join('\r\n')}\r\n\r\n`)
  const cases = [
    { name: 'a header of 100 KiB', bytes: huge([`X-Long: ${'a'.repeat(100 * 1024)}`]) },
    { name: '5 000 headers', bytes: huge(Array.from({ length: 5_000 }, (_, i) => `X-${i}: a`)) },
    { name: 'a header name of 100 KiB', bytes: huge([`${'X'.repeat(100 * 1024)}: a`]) },
    {
      name: 'a path of 100 KiB',
      bytes: Buffer.from(`GET /${'a'.repeat(100 * 1024)} HTTP/1.1\r\nHost: a\r\n\r\n`),
    },
    {
      name: 'a method of 100 KiB',
      bytes: Buffer.from(`${'A'.repeat(100 * 1024)} / HTTP/1.1\r\nHost: a\r\n\r\n`),
    },
  ]
  test.for(cases)('$name is refused in the envelope', async ({ bytes }, { api, token }) => {
    const answers = readAnswers(await exchangeBytes(base, bytes), false)
    for (const answer of answers) checkRaw(answer, false)
    for (const { status } of answers) expect(status).toBeGreaterThanOrEqual(400)
    await expectHealthy(api, token)
  })

  test(
    'connections that send a byte now and then keep nobody waiting, and are ended',
    { timeout: 60_000 },
    async ({ api, token }) => {
      const start = performance.now()
      const sockets = await Promise.all(Array.from({ length: 100 }, () => openSocket(base)))
      const ended = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
      const drip = setInterval(() => {
        for (const socket of sockets) if (socket.writable) socket.write('a')
      }, 500)
      try {
        for (const socket of sockets)
          socket.resume().write('GET /api/v1/assets HTTP/1.1\r\nUser-Agent: x/1\r\nX-Slow: ')
        for (let i = 0; i < 20; i += 1) {
          const before = performance.now()
          await expectHealthy(api, token)
          expect(performance.now() - before).toBeLessThan(1_000)
        }
        await Promise.all(ended)
        expect(performance.now() - start).toBeLessThan(45_000)
      } finally {
        clearInterval(drip)
        for (const socket of sockets) socket.destroy()
      }
    },
  )
})
