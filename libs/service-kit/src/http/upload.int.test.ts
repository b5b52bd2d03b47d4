import type { Route } from '@whereabouts/contracts/route'
import { testCallers } from '@whereabouts/testing/caller'
import type { FastifyInstance } from 'fastify'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Agent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AppError } from '../errors/app-error.ts'
import type { BodyTimes } from './plugins/body-time.ts'
import { createLogger } from '../observe/logging.ts'
import { createRegistry } from '../observe/metrics.ts'
import { serveRows } from './serve.ts'
import { createServer } from './server.ts'

/** The tests use real sockets, because they check which side waits for the other. */
const MIB = 2 ** 20
const common = {
  upstream: 'catalog',
  access: 'session',
  counted: false,
  described: false,
  summary: '',
  errors: [],
} as const

const rows = {
  takeFile: {
    ...common,
    method: 'POST',
    path: '/files',
    query: z.strictObject({}),
    upload: { mediaTypes: ['text/csv'], maxBytes: 2 * MIB },
    success: { status: 201 },
  },
  giveFile: { ...common, method: 'GET', path: '/files', success: { status: 200, download: 'text/csv' } },
  takeJson: { ...common, method: 'POST', path: '/json', body: z.object({}), success: { status: 200 } },
} as const satisfies Record<string, Route>

type Take = (upload: Readable) => Promise<unknown>
const callers = testCallers()
let app: FastifyInstance
let origin: string
let headers: Record<string, string>
let take: Take
let parts: () => AsyncGenerator<string>
let agent: Agent

async function start(bodyTimes?: BodyTimes) {
  const log = createLogger('test', 'silent')
  app = createServer({ log, registry: createRegistry('test') }, bodyTimes && { bodyTimes })
  serveRows(app, Object.entries(rows), {
    verify: callers.verify,
    handlers: {
      takeFile: async ({ upload }) => take(upload as Readable),
      giveFile: async () => parts(),
      takeJson: async () => ({}),
    },
  })
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
}

beforeEach(async () => {
  agent = new Agent({ keepAlive: true })
  headers = { ...(await callers.headersFor({ orgId: 7 })), 'content-type': 'text/csv' }
  take = async (upload) => ({ bytes: (await text(upload)).length })
  parts = async function* made() {
    yield 'a,b\n'
  }
  await start()
})
afterEach(async () => {
  agent.destroy()
  await app.close()
})

type Answer = { status: number; headers: IncomingMessage['headers']; body: string }

/** A request without its body yet. `answer` rejects if the connection ends without a complete answer. */
function open(path: string, method = 'POST', more: Record<string, string> = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const outgoing: ClientRequest = httpRequest(`${origin}/api/v1${path}`, {
    method,
    headers: { ...headers, ...more },
    agent,
  })
  outgoing.on('error', reject).on('response', (incoming) => {
    const { statusCode = 0 } = incoming
    text(incoming).then((body) => resolve({ status: statusCode, headers: incoming.headers, body }), reject)
  })
  promise.catch(() => undefined)
  return { outgoing, answer: promise }
}

const typeOf = ({ body }: Answer) => (JSON.parse(body) as { error: { type: string } }).error.type

describe('an uploaded file', () => {
  test('reaches the handler while it is still arriving', async () => {
    const first = Promise.withResolvers<string>()
    take = async (upload) => {
      upload.once('data', (chunk: Buffer) => first.resolve(chunk.toString()))
      return { bytes: (await text(upload)).length }
    }
    const { outgoing, answer } = open('/files')
    outgoing.write('begin')
    expect(await first.promise).toBe('begin')
    outgoing.end('end')
    expect(await answer).toMatchObject({ status: 201, body: expect.stringContaining('bytes') })
  })

  test('may be as large as its row allows, which is more than other bodies', async () => {
    const { outgoing, answer } = open('/files')
    outgoing.end(Buffer.alloc(2 * MIB, 'x'))
    expect((await answer).body).toBe(JSON.stringify({ bytes: 2 * MIB }))
  })

  test('is refused before it is read if its content-length is too large', async () => {
    const { outgoing, answer } = open('/files', 'POST', { 'content-length': String(2 * MIB + 1) })
    outgoing.write('x')
    expect(typeOf(await answer)).toBe('payload_too_large')
    outgoing.destroy()
  })

  test('is refused if more bytes arrive than its row allows', async () => {
    const { outgoing, answer } = open('/files', 'POST', { 'transfer-encoding': 'chunked' })
    outgoing.end(Buffer.alloc(2 * MIB + 1, 'x'))
    expect(typeOf(await answer)).toBe('payload_too_large')
  })

  test('can be refused while it arrives: the client gets the answer and can reuse the connection', async () => {
    take = async (upload) => {
      for await (const _ of upload) throw new AppError('conflict', 'enough')
    }
    const { outgoing, answer } = open('/files')
    outgoing.write('first')
    expect(typeOf(await answer)).toBe('conflict')
    outgoing.end(Buffer.alloc(MIB, 'x'))
    await once(agent, 'free')
    const next = open('/files', 'HEAD')
    next.outgoing.end()
    expect((await next.answer).status).toBe(200)
    expect(next.outgoing.reusedSocket).toBe(true)
  })

  test('that no handler reads does not block the connection', async () => {
    const { outgoing, answer } = open('/files?colour=red')
    const sent = Promise.withResolvers<void>()
    outgoing.end(Buffer.alloc(2 * MIB, 'x'), () => sent.resolve())
    expect(typeOf(await answer)).toBe('validation_error')
    await sent.promise
  })

  test('that ends early is an error for its handler, not a short file', async () => {
    const outcome = Promise.withResolvers<unknown>()
    take = async (upload) => {
      upload.once('data', () => outgoing.destroy())
      return text(upload).then(outcome.resolve, outcome.reject)
    }
    const { outgoing } = open('/files')
    outgoing.write('half')
    await expect(outcome.promise).rejects.toMatchObject({ type: 'bad_request' })
  })

  test('of another media type is refused', async () => {
    const { outgoing, answer } = open('/files', 'POST', { 'content-type': 'application/json' })
    outgoing.end('{}')
    expect(typeOf(await answer)).toBe('unsupported_media_type')
  })
})

describe('any other body', () => {
  test.for([{ 'content-length': String(3 * MIB) }, { 'transfer-encoding': 'chunked' }])(
    'above 1 MiB is refused: the client gets the answer and can reuse the connection: %j',
    async (length) => {
      const { outgoing, answer } = open('/json', 'POST', { 'content-type': 'application/json', ...length })
      outgoing.write(Buffer.alloc(2 * MIB, ' '))
      expect(typeOf(await answer)).toBe('payload_too_large')
      outgoing.end(Buffer.alloc(MIB, ' '))
      await once(agent, 'free')
      const next = open('/files', 'GET')
      next.outgoing.end()
      expect((await next.answer).status).toBe(200)
      expect(next.outgoing.reusedSocket).toBe(true)
    },
  )

  test('is not read without a limit after a refusal', async () => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    const ended = Promise.withResolvers<void>()
    socket.on('error', () => undefined).on('close', () => ended.resolve())
    const lines = ['POST /api/v1/json HTTP/1.1', 'host: x', `content-length: ${1024 * MIB}`]
    const more = Object.entries({ ...headers, 'content-type': 'application/json' })
    socket.write([...lines, ...more.map((pair) => pair.join(': ')), '', ''].join('\r\n'))
    const send = () => {
      while (socket.write(Buffer.alloc(MIB, ' ')));
    }
    socket.on('drain', send)
    send()
    const [head] = (await once(socket, 'data')) as [Buffer]
    expect(head.toString()).toMatch(/^HTTP\/1.1 413 /)
    await ended.promise
    expect(socket.bytesWritten).toBeLessThan(64 * MIB)
  })
})

describe('a downloaded file', () => {
  test('is sent while it is made', async () => {
    const more = Promise.withResolvers<string>()
    parts = async function* made() {
      yield 'a,b\n'
      yield await more.promise
    }
    const { outgoing } = open('/files', 'GET')
    outgoing.end()
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>()
    outgoing.on('response', resolve)
    const incoming = await promise
    const { promise: first, resolve: came } = Promise.withResolvers<Buffer>()
    incoming.once('data', came)
    expect((await first).toString()).toBe('a,b\n')
    more.resolve('1,2\n')
    expect(incoming.headers['content-type']).toBe('text/csv')
  })

  test('that fails half way breaks the connection and is not a short file', async () => {
    parts = async function* made() {
      yield 'a,b\n'
      throw new Error('no more')
    }
    const { outgoing, answer } = open('/files', 'GET')
    outgoing.end()
    await expect(answer).rejects.toThrow(/aborted|terminated|reset/)
  })

  test('that fails at the start is an error with the envelope', async () => {
    parts = async function* made() {
      yield await Promise.reject(new AppError('service_unavailable', 'later'))
    }
    const { outgoing, answer } = open('/files', 'GET')
    outgoing.end()
    expect(typeOf(await answer)).toBe('service_unavailable')
  })

  test('is not made for HEAD', async () => {
    let made = 0
    parts = async function* count() {
      made += 1
      yield 'a,b\n'
    }
    const { outgoing, answer } = open('/files', 'HEAD')
    outgoing.end()
    expect(await answer).toMatchObject({ status: 200, body: '', headers: { 'content-type': 'text/csv' } })
    expect(made).toBe(0)
  })

  test('is no longer made when the client disconnects', async () => {
    const gone = Promise.withResolvers<string>()
    parts = async function* endless() {
      try {
        for (;;) yield 'x'.repeat(64 * 1024)
      } finally {
        gone.resolve('gone')
      }
    }
    const { outgoing } = open('/files', 'GET')
    outgoing.on('response', () => outgoing.destroy()).end()
    expect(await gone.promise).toBe('gone')
  })
})

describe('a slow body', () => {
  beforeEach(async () => {
    await app.close()
    await start({ bodyMs: 300, uploadMs: 60_000, graceMs: 60_000 })
  })

  test('ends the connection of an ordinary request', async () => {
    const { outgoing, answer } = open('/json', 'POST', { 'content-type': 'application/json' })
    outgoing.write('{')
    expect((await answer).status).toBe(408)
  })

  test('ends the connection below 1 KiB per second, long before its time is over', async () => {
    await app.close()
    await start({ bodyMs: 60_000, uploadMs: 60_000, graceMs: 200 })
    const { outgoing, answer } = open('/json', 'POST', { 'content-type': 'application/json' })
    outgoing.write('{')
    expect((await answer).status).toBe(408)
  })

  test('may take longer if it is a file', async () => {
    const ordinary = open('/json', 'POST', { 'content-type': 'application/json' })
    const upload = open('/files')
    upload.outgoing.write('a')
    ordinary.outgoing.write('{')
    await ordinary.answer // the time limit of ordinary bodies has passed
    upload.outgoing.end('b')
    expect((await upload.answer).status).toBe(201)
  })
})
