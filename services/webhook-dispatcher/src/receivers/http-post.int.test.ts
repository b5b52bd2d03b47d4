import type { Socket } from 'node:net'
import { makeCertificate, type Certificate } from '@whereabouts/testing/certificates'
import { describe, expect, test as base } from 'vitest'
import { createPost, type PostResult } from './http-post.ts'
import {
  sending,
  sendingThenClosing,
  dripping,
  flooding,
  startScripted,
  type Script,
  type ScriptedReceiver,
} from '../../test/scripted-receiver.fixture.ts'
import { createTargetAgents, type TargetAgents } from './target-agents.ts'

const never = new AbortController().signal
const BODY = Buffer.from('{"event":"asset.moved"}')
const LATE = { statusCode: undefined, error: 'no complete answer within 0.3 s' }
const CLOSED = { statusCode: undefined, error: 'connection closed before a complete answer' }

type How = { timeoutMs?: number; body?: Buffer; host?: string }

const test = base.extend<{
  trusted: Certificate
  agents: TargetAgents
  /** Starts a receiver over TLS with the trusted certificate, or with another, or (null) without TLS. */
  startReceiver: (script: Script, certificate?: Certificate | null) => Promise<ScriptedReceiver>
  post: (to: ScriptedReceiver, how?: How) => Promise<Omit<PostResult, 'latencyMs'>>
}>({
  trusted: [async ({}, use) => use(await makeCertificate()), { scope: 'file' }],
  agents: [
    async ({ trusted }, use) => {
      const agents = createTargetAgents({ allowPrivateTargets: true, ca: trusted.cert })
      await use(agents)
      await agents.destroy()
    },
    { scope: 'file' },
  ],
  startReceiver: async ({ trusted }, use) => {
    const receivers: ScriptedReceiver[] = []
    await use(async (script, certificate = trusted) => {
      const started = await startScripted(script, certificate ?? undefined)
      receivers.push(started)
      return started
    })
    await Promise.all(receivers.map((started) => started.close()))
  },
  post: async ({ agents }, use) =>
    use(async (to, { timeoutMs = 10_000, body = BODY, host } = {}) => {
      const url = host === undefined ? to.url : to.url.replace('127.0.0.1', host)
      const { latencyMs, ...result } = await createPost(agents, timeoutMs)(url, { 'X-A': 'b' }, body, never)
      expect(latencyMs).toBeGreaterThanOrEqual(0)
      return result
    }),
})

const nothing: Script = () => {}
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

test('one request is sent, with its headers and its bytes', async ({ startReceiver, post }) => {
  const to = await startReceiver(sending(OK))
  expect(await post(to)).toEqual({ statusCode: 200, error: undefined })
  expect(to.received.split('\r\n')).toEqual([
    'POST /hook HTTP/1.1',
    `host: 127.0.0.1:${to.port}`,
    'connection: keep-alive',
    'X-A: b',
    `content-length: ${BODY.length}`,
    '',
    BODY.toString(),
  ])
})

test('an open connection is used again', async ({ startReceiver, post }) => {
  const isLast = (bytes: Buffer) => bytes.at(-1) === BODY.at(-1)
  const to = await startReceiver(
    (socket) => void socket.on('data', (bytes: Buffer) => isLast(bytes) && socket.write(OK)),
  )
  for (let n = 1; n <= 10; n += 1) await post(to)
  expect(to.connections).toBeLessThanOrEqual(2) // a connection is free a moment after its response is complete
})

describe('D11 the timeout is for the whole request. It ends a request to a receiver that', () => {
  const slow: Readonly<Record<string, [Script, Certificate | null | undefined]>> = {
    'never begins the handshake': [nothing, null],
    'begins the handshake and stops': [(socket) => void socket.write(Buffer.from([0x16, 0x03, 0x03])), null],
    'drips its handshake': [
      (socket) => {
        socket.write(Buffer.from([0x16, 0x03, 0x03, 0x40, 0x00])) // of 16 384 bytes, which follow one by one
        const timer = setInterval(() => socket.write(Buffer.from([0x02])), 5)
        socket.once('close', () => clearInterval(timer))
      },
      null,
    ],
    'never responds': [nothing, undefined],
    'stops in its status line': [sending('HTTP/1.1 20'), undefined],
    'drips its status line': [dripping('HTTP/1.1 200 ', 'O'), undefined],
    'stops in its headers': [sending('HTTP/1.1 200 OK\r\nX-A:'), undefined],
    'drips its headers': [dripping('HTTP/1.1 200 OK\r\n', 'X-A: b\r\n'), undefined],
    'stops before its body': [sending('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'), undefined],
    'drips its body': [dripping('HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n', 'x'), undefined],
    'drips chunks': [
      dripping('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n'),
      undefined,
    ],
    'drips a body without a length': [dripping('HTTP/1.1 200 OK\r\n\r\n', 'x'), undefined],
    'sends only interim responses': [dripping('', 'HTTP/1.1 102 Processing\r\n\r\n'), undefined],
  }
  test.for(Object.entries(slow))('%s', async ([, [script, certificate]], { startReceiver, post }) => {
    const to = await startReceiver(script, certificate)
    expect(await post(to, { timeoutMs: 300 })).toEqual(LATE)
  })

  test('never reads the request', async ({ startReceiver, post }) => {
    const to = await startReceiver((socket) => void socket.pause())
    expect(await post(to, { timeoutMs: 300, body: Buffer.alloc(32 * 1024 * 1024) })).toEqual(LATE)
  })
})

describe('a receiver that closes the connection early is a failure', () => {
  const closing: Readonly<Record<string, [Script, (Certificate | null)?]>> = {
    'at once': [(socket) => void socket.destroy(), null],
    'at once, with a reset': [(socket) => void socket.resetAndDestroy(), null],
    'after the handshake': [(socket) => void socket.end()],
    'when the request arrives': [(socket) => void socket.once('data', () => socket.destroy())],
    'in its status line': [sendingThenClosing('HTTP/1.1 200')],
    'in its headers': [sendingThenClosing('HTTP/1.1 200 OK\r\nContent-Le')],
    'after an interim response': [sendingThenClosing('HTTP/1.1 100 Continue\r\n\r\n')],
    'before its body': [sendingThenClosing('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n')],
    'in its body': [sendingThenClosing('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx')],
    'between its chunks': [
      sendingThenClosing('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n'),
    ],
  }
  test.for(Object.entries(closing))('%s', async ([, [script, certificate]], { startReceiver, post }) => {
    expect(await post(await startReceiver(script, certificate))).toEqual(CLOSED)
  })

  test('before the request', async ({ startReceiver, post }) => {
    const to = await startReceiver(nothing)
    await to.close()
    expect(await post(to)).toEqual({ statusCode: undefined, error: 'connection refused' })
  })
})

describe('a complete response with a 2xx is a success', () => {
  const good: Readonly<Record<string, Script>> = {
    'with a length': sending(OK),
    'in chunks, with trailers': sending(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n0\r\nX-A: b\r\n\r\n',
    ),
    'that ends with the connection': sendingThenClosing('HTTP/1.1 200 OK\r\n\r\nok'),
    'of HTTP/1.0': sendingThenClosing('HTTP/1.0 200 OK\r\n\r\nok'),
    'without a reason': sending('HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n'),
    'after interim responses': sending(
      `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n${OK}`,
    ),
    'before it reads the request': (socket: Socket) => void socket.write(OK),
    'byte by byte': (socket) =>
      void socket.once('data', () => {
        for (const byte of OK) socket.write(byte)
      }),
    'with an endless body, after reading a part of it': flooding(
      'HTTP/1.1 200 OK\r\n\r\n',
      'x'.repeat(16_384),
    ),
    'with endless chunks, after reading a part of them': flooding(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
      `4000\r\n${'x'.repeat(16_384)}\r\n`,
    ),
  }
  test.for(Object.entries(good))('%s', async ([, script], { startReceiver, post }) => {
    expect(await post(await startReceiver(script))).toEqual({ statusCode: 200, error: undefined })
  })

  test.for([201, 202, 203, 204, 205, 206, 207, 208, 226, 299])(
    '%i',
    async (status, { startReceiver, post }) => {
      const to = await startReceiver(sending(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`))
      expect(await post(to)).toEqual({ statusCode: status, error: undefined })
    },
  )
})

describe('any other response is a failure', () => {
  test.for([300, 301, 302, 303, 304, 305, 306, 307, 308, 399])(
    '%i, which is not followed',
    async (status, { startReceiver, post }) => {
      const elsewhere = await startReceiver(sending(OK))
      const to = await startReceiver(
        sending(`HTTP/1.1 ${status} X\r\nLocation: ${elsewhere.url}\r\nContent-Length: 0\r\n\r\n`),
      )
      expect(await post(to)).toEqual({
        statusCode: status,
        error: `answered ${status}; redirects are not followed`,
      })
      expect(elsewhere.connections).toBe(0)
    },
  )

  test.for([400, 401, 404, 410, 429, 500, 503, 599, 600, 999])(
    '%i',
    async (status, { startReceiver, post }) => {
      const to = await startReceiver(sending(`HTTP/1.1 ${status} X\r\nContent-Length: 0\r\n\r\n`))
      expect(await post(to)).toEqual({ statusCode: status, error: `answered ${status}` })
    },
  )

  test.for([
    [
      '101, which switches the connection to another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
    ],
    ['100, which the request did not ask for', `HTTP/1.1 100 Continue\r\n\r\n${OK}`],
  ] as const)('%s', async ([, response], { startReceiver, post }) => {
    expect(await post(await startReceiver(sending(response)))).toEqual(CLOSED)
  })

  const garbage: Readonly<Record<string, string>> = {
    text: 'hello, who is there?\r\n\r\n',
    'another protocol': 'SSH-2.0-OpenSSH_9.9\r\n',
    'a status that is not a number': 'HTTP/1.1 OK 200\r\n\r\n',
    'a status of four digits': 'HTTP/1.1 2000 OK\r\n\r\n',
    'a newer version': 'HTTP/2 200\r\n\r\n',
    'NUL bytes': '\0'.repeat(100),
    'a length below zero': 'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
    'a length of more than 2^64': 'HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n',
    'two lengths': 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!',
    'a length and chunks':
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    'invalid chunks': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nok\r\n0\r\n\r\n',
    'a chunk of more than 2^64': `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'f'.repeat(17)}\r\n`,
    'a header without a name': 'HTTP/1.1 200 OK\r\n: x\r\n\r\n',
  }
  test.for(Object.entries(garbage))('garbage: %s', async ([, bytes], { startReceiver, post }) => {
    const { statusCode, error } = await post(await startReceiver(sending(bytes)))
    expect({ statusCode, error }).toEqual({
      statusCode: undefined,
      error: 'the answer is not valid HTTP',
    })
  })

  test('endless headers', async ({ startReceiver, post }) => {
    const to = await startReceiver(flooding('HTTP/1.1 200 OK\r\n', 'X-A: b\r\n'.repeat(512)))
    expect(await post(to)).toEqual({ statusCode: undefined, error: 'the headers of the answer are too long' })
  })

  test('one endless header', async ({ startReceiver, post }) => {
    const to = await startReceiver(flooding('HTTP/1.1 200 OK\r\nX-A: ', 'b'.repeat(4_096)))
    expect(await post(to)).toEqual({ statusCode: undefined, error: 'the headers of the answer are too long' })
  })

  test.for([
    ['chunk extensions', '1;', 'a'.repeat(4_096)],
    ['trailers', '0\r\n', 'X-A: b\r\n'.repeat(512)],
  ] as const)('endless %s', async ([, beginning, again], { startReceiver, post }) => {
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
    const { error } = await post(await startReceiver(flooding(head + beginning, again)))
    expect(error).toEqual(expect.any(String))
  })
})

describe('D11.4 TLS is verified against the name, and nothing is sent if that fails', () => {
  const bad: Readonly<Record<string, (trusted: Certificate) => Promise<Certificate>>> = {
    'signed by itself': () => makeCertificate(),
    'of an unknown authority': async () => makeCertificate({ issuer: await makeCertificate() }),
    expired: (trusted) => makeCertificate({ issuer: trusted, expired: true }),
    'for another name': (trusted) => makeCertificate({ issuer: trusted, names: ['receiver.example'] }),
    'for another address': (trusted) => makeCertificate({ issuer: trusted, names: ['127.0.0.2'] }),
  }
  test.for(Object.entries(bad))('a certificate %s', async ([, make], { trusted, startReceiver, post }) => {
    const to = await startReceiver(sending(OK), await make(trusted))
    expect(await post(to)).toEqual({
      statusCode: undefined,
      error: expect.stringMatching(/^certificate not trusted \(\w+\)$/),
    })
    expect(to.received).toBe('')
  })

  test('a certificate with the address but without the name', async ({ trusted, startReceiver, post }) => {
    const to = await startReceiver(
      sending(OK),
      await makeCertificate({ issuer: trusted, names: ['127.0.0.1'] }),
    )
    expect(await post(to, { host: 'localhost' })).toMatchObject({ statusCode: undefined })
    expect(to.received).toBe('')
    expect(await post(to)).toEqual({ statusCode: 200, error: undefined })
  })

  test('a receiver without TLS', async ({ startReceiver, post }) => {
    const to = await startReceiver(sendingThenClosing(OK), null)
    expect(await post(to)).toEqual({
      statusCode: undefined,
      error: expect.stringMatching(/^TLS handshake failed/),
    })
  })

  test('even if the environment switches verification off', async ({ startReceiver, post }) => {
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    try {
      const to = await startReceiver(sending(OK), await makeCertificate())
      expect(await post(to)).toMatchObject({ error: expect.stringMatching(/^certificate not trusted/) })
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    }
  })
})

test('if its signal aborts, the post rejects and its connection is closed', async ({
  agents,
  startReceiver,
}) => {
  const stopping = new AbortController()
  const to = await startReceiver(nothing)
  const posting = createPost(agents, 10_000)(to.url, {}, BODY, stopping.signal)
  await expect.poll(() => to.received).toContain('POST')
  stopping.abort()
  await expect(posting).rejects.toThrow()
})

test('plain http is sent only if private targets are allowed', async ({ agents, startReceiver }) => {
  const guarded = createTargetAgents({ allowPrivateTargets: false })
  const to = await startReceiver(sending(OK), null)
  const url = to.url.replace('https:', 'http:')
  expect(await createPost(guarded, 1_000)(url, {}, BODY, never)).toMatchObject({ error: 'request failed' })
  expect(to.connections).toBe(0)
  expect(await createPost(agents, 1_000)(url, {}, BODY, never)).toMatchObject({ statusCode: 200 })
})
