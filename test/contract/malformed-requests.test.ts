import { fc, limits } from '@whereabouts/testing/fuzz'
import { describe, expect, inject } from 'vitest'
import { exchangeBytes, openSocket, readReplies, type RawReply } from '../system/raw-http.ts'
import type { Api } from './support/api.ts'
import { test } from './support/fixtures.ts'

// A failure of a property prints its seed; `WB_SEED` repeats the run, and `fc.assert(…, { seed, path })` the case.

const { base } = inject('urls')

async function expectHealthy(api: Api, token: string): Promise<void> {
  expect((await api.call('getCurrentOrg', { token })).status).toBe(200)
}

describe('bytes that may not be a request', () => {
  test('bytes that are almost HTTP are answered in the envelope or not at all', async ({ api, token }) => {
    const line = fc.oneof(
      fc.constantFrom(
        'Host: a', 'Host:', 'User-Agent: x/1', `Authorization: Bearer ${token}`, 'Content-Length: 5', 'Content-Length: -1',
        'Content-Length: 5, 5', 'Content-Length: 99999999999999999999', 'Transfer-Encoding: chunked', 'Transfer-Encoding: gzip',
        'Connection: upgrade', 'Upgrade: websocket', 'Upgrade: h2c', 'Expect: 100-continue', 'Expect: nothing', ' folded',
        'No colon', ': no name', 'X-Request-ID: \u0000', 'X: \u0001', 'Content-Type: application/json', 'Connection: close',
      ), // oxfmt-ignore
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
        for (const reply of readReplies(await exchangeBytes(base, bytes), isHead)) checkRaw(reply, isHead)
      }),
      limits(400, 20_000),
    )
    await expectHealthy(api, token)
  })
})

const isPage = (type: string | null | undefined) => /^text\/(?:html|css)|^image\//.test(type ?? '')

/** The rules for every reply that also apply when the bytes may not be a request. */
function checkRaw({ status, headers, body: text }: RawReply, isHead: boolean): void {
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

describe('requests that Node would answer itself', () => {
  const raw = (...lines: string[]) => Buffer.from(`${lines.join('\r\n')}\r\n\r\n`)
  const cases = [
    { name: 'no Host', status: 400, bytes: raw('GET /api/v1/assets HTTP/1.1', 'User-Agent: x/1') },
    {
      name: 'no Host in HTTP/1.0',
      status: 401,
      bytes: raw('GET /api/v1/assets HTTP/1.0', 'User-Agent: x/1'),
    },
    {
      name: 'an unknown expectation',
      status: 401,
      bytes: raw('GET /api/v1/assets HTTP/1.1', 'Host: a', 'User-Agent: x/1', 'Expect: the-unexpected'),
    },
    { name: 'no method', status: 400, bytes: raw('/api/v1/assets HTTP/1.1', 'Host: a', 'User-Agent: x/1') },
    {
      name: 'two lengths',
      status: 400,
      bytes: raw('POST /api/v1/assets HTTP/1.1', 'Host: a', 'Content-Length: 1', 'Content-Length: 2'),
    },
  ]
  test.for(cases)('$name is $status in the envelope', async ({ status, bytes }) => {
    const replies = readReplies(await exchangeBytes(base, bytes), false)
    expect(replies.map((reply) => reply.status)).toEqual([status])
    for (const reply of replies) checkRaw(reply, false)
  })
})

describe('requests that are too large', () => {
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
    const replies = readReplies(await exchangeBytes(base, bytes), false)
    for (const reply of replies) checkRaw(reply, false)
    for (const { status } of replies) expect(status).toBeGreaterThanOrEqual(400)
    await expectHealthy(api, token)
  })

  test(
    'connections that send single bytes slowly do not delay others, and are closed',
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
