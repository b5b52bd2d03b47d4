import { MAX_IMPORT_BYTES } from '@whereabouts/contracts/resources/catalog/imports'
import {
  Agent,
  createServer,
  request,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect } from 'vitest'
import { test as base, type GatewayOptions, type TestGateway } from '../../test/gateway.fixture.ts'
import { listen } from '../../test/listen.fixture.ts'

const UPLOAD = '/api/v1/imports?resource=assets'
const EXPORT = '/api/v1/exports/assets'

type Reply = { status: number; headers: IncomingMessage['headers']; body: string }
type Open = (
  path: string,
  method: string,
  headers?: Record<string, string>,
  origin?: string,
) => { outgoing: ClientRequest; answer: Promise<Reply> }

/** Files that pass through while they are sent, in either direction. */
const test = base.extend<{
  catalog: { origin: string; serve: (incoming: IncomingMessage, outgoing: ServerResponse) => void }
  gatewayOptions: GatewayOptions
  agent: Agent
  /** A request that is still to be written; `answer` rejects when the connection ends before all of it is there. */
  open: Open
}>({
  catalog: [
    async ({}, use) => {
      const catalog = {
        origin: '',
        serve: (_incoming: IncomingMessage, outgoing: ServerResponse) => void outgoing.end(),
      }
      const service = createServer((incoming, outgoing) => catalog.serve(incoming, outgoing))
      catalog.origin = await listen(service)
      await use(catalog)
      service.close()
    },
    { scope: 'file' },
  ],
  gatewayOptions: [
    async ({ catalog }, use) => use({ upstreams: { catalog: catalog.origin } }),
    { scope: 'file' },
  ],
  agent: async ({}, use) => {
    const agent = new Agent({ keepAlive: true })
    await use(agent)
    agent.destroy()
  },
  open: async ({ gateway, session, agent }, use) =>
    use((path, method, headers = {}, origin = gateway.origin) => {
      const { promise, resolve, reject } = Promise.withResolvers<Reply>()
      const sent = { 'user-agent': 'files/1', 'content-type': 'text/csv', ...session, ...headers }
      const outgoing = request(`${origin}${path}`, { method, headers: sent, agent })
      outgoing.on('error', reject).on('response', (incoming) => {
        const { statusCode: status = 0, headers: received } = incoming
        text(incoming).then((body) => resolve({ status, headers: received, body }), reject)
      })
      promise.catch(() => undefined)
      return { outgoing, answer: promise }
    }),
})

const errorOf = ({ body }: Reply) => (JSON.parse(body) as { error: { status: number; type: string } }).error
const json = (outgoing: ServerResponse, status: number, body: object) =>
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const failuresOf = async (gateway: TestGateway) => {
  const metric = await gateway.registry.getSingleMetric('gateway_upstream_failures_total')?.get()
  return metric?.values.reduce((sum, { value }) => sum + value, 0) ?? 0
}

describe('D10 a file on its way to a service', () => {
  test('arrives while it is being sent, without a length', async ({ gateway, catalog, open }) => {
    const first = Promise.withResolvers<IncomingMessage['headers']>()
    catalog.serve = (incoming, outgoing) => {
      incoming.once('data', () => first.resolve(incoming.headers))
      void text(incoming).then((body) => json(outgoing, 201, { body: body.length }))
    }
    const { outgoing, answer } = open(UPLOAD, 'POST')
    outgoing.write('na')
    const headers = await first.promise
    expect(headers).toMatchObject({ 'content-type': 'text/csv', 'transfer-encoding': 'chunked' })
    expect(await gateway.verifyPrincipal(String(headers['x-principal']))).toMatchObject({ kind: 'session' })
    outgoing.end('me\n')
    expect(await answer).toMatchObject({ status: 201, body: '{"body":5}' })
  })

  test('may be larger than any other body', async ({ catalog, open }) => {
    catalog.serve = (incoming, outgoing) => {
      let bytes = 0
      incoming.on('data', (chunk: Buffer) => (bytes += chunk.length))
      incoming.on('end', () => json(outgoing, 201, { bytes }))
    }
    const { outgoing, answer } = open(UPLOAD, 'POST')
    outgoing.end(Buffer.alloc(8 * 2 ** 20, 'x'))
    expect((await answer).body).toBe(`{"bytes":${8 * 2 ** 20}}`)
  })

  test('D2 is refused unread: 401, 403, 415, 413', async ({ gateway, catalog, open }) => {
    catalog.serve = () => expect.unreachable('nothing of it may arrive')
    const tooLarge = { 'content-length': String(MAX_IMPORT_BYTES + 1) }
    const wrong = { ...tooLarge, 'content-type': 'application/json' }
    const { authorization: key } = await gateway.keyToken()
    const statusOf = async (headers: Record<string, string>) => {
      const { outgoing, answer } = open(UPLOAD, 'POST', headers)
      outgoing.write('x')
      const { status } = errorOf(await answer)
      outgoing.destroy()
      return status
    }
    expect(await statusOf({ ...wrong, authorization: 'Bearer nonsense' })).toBe(401)
    expect(await statusOf({ ...wrong, authorization: key })).toBe(403)
    expect(await statusOf(wrong)).toBe(415)
    expect(await statusOf(tooLarge)).toBe(413)
  })

  test('is refused when it becomes too large', async ({ catalog, open }) => {
    catalog.serve = (incoming) => void incoming.resume().on('error', () => undefined)
    const { outgoing, answer } = open(UPLOAD, 'POST', { 'transfer-encoding': 'chunked' })
    const part = Buffer.alloc(2 ** 20, 'x')
    for (let sent = 0; sent <= MAX_IMPORT_BYTES; sent += part.length)
      if (!outgoing.write(part)) await new Promise((resolve) => outgoing.once('drain', resolve))
    outgoing.end()
    expect(errorOf(await answer)).toMatchObject({
      type: 'payload_too_large',
      detail: 'Request body must be at most 64 MiB',
    })
  })

  test('gets a refusal at once, and its connection stays usable', async ({ catalog, agent, open }) => {
    catalog.serve = (incoming, outgoing) => {
      incoming.once('data', () => json(outgoing, 400, { error: { type: 'bad_request' } }))
      incoming.on('error', () => undefined)
    }
    const { outgoing, answer } = open(UPLOAD, 'POST')
    outgoing.write('x')
    expect((await answer).status).toBe(400)
    const { promise: free, resolve } = Promise.withResolvers<void>()
    agent.once('free', () => resolve())
    outgoing.end(Buffer.alloc(2 ** 20, 'x'))
    await free
    const next = open('/api/v1/nowhere', 'GET')
    next.outgoing.end()
    expect((await next.answer).status).toBe(404)
    expect(next.outgoing.reusedSocket).toBe(true)
  })

  test('that breaks off is not a failure of the service', async ({ gateway, catalog, open }) => {
    const before = await failuresOf(gateway)
    const outcome = Promise.withResolvers<unknown>()
    catalog.serve = (incoming) => {
      incoming.once('data', () => outgoing.destroy())
      text(incoming).then(outcome.resolve, outcome.reject)
    }
    const { outgoing } = open(UPLOAD, 'POST')
    outgoing.write('half')
    await expect(outcome.promise).rejects.toThrow('aborted')
    expect(await failuresOf(gateway)).toBe(before)
  })

  test('that stalls ends its connections', async ({ startGateway, catalog, open }) => {
    const hasty = await startGateway({ stallMs: 300 })
    const outcome = Promise.withResolvers<unknown>()
    catalog.serve = (incoming) => void text(incoming).then(outcome.resolve, outcome.reject)
    const headers = { ...(await hasty.sessionToken()) }
    const { outgoing, answer } = open(UPLOAD, 'POST', headers, hasty.origin)
    outgoing.write('half')
    await expect(answer).rejects.toThrow('socket hang up')
    await expect(outcome.promise).rejects.toThrow('aborted')
  })

  test('whose service disconnects gets 503', async ({ catalog, open }) => {
    catalog.serve = (incoming) => void incoming.once('data', () => incoming.socket.destroy())
    const { outgoing, answer } = open(UPLOAD, 'POST')
    outgoing.write('half')
    expect(errorOf(await answer)).toMatchObject({ status: 503, type: 'service_unavailable' })
    outgoing.destroy()
  })
})

describe('D10 a file on its way to a client', () => {
  const headers = {
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="assets.csv"',
  }

  test('arrives while it is being written', async ({ catalog, open }) => {
    const more = Promise.withResolvers<void>()
    catalog.serve = (_incoming, outgoing) => {
      outgoing.writeHead(200, headers).write('a,b\n')
      void more.promise.then(() => outgoing.end('1,2\n'))
    }
    const { outgoing, answer } = open(EXPORT, 'GET')
    const { promise, resolve } = Promise.withResolvers<string>()
    outgoing
      .on('response', (incoming) => incoming.once('data', (chunk: Buffer) => resolve(chunk.toString())))
      .end()
    expect(await promise).toBe('a,b\n')
    more.resolve()
    expect((await answer).headers).toMatchObject(headers)
  })

  test('that the service does not finish breaks off there, too', async ({ catalog, open }) => {
    catalog.serve = (_incoming, outgoing) => {
      outgoing.writeHead(200, headers).write('a,b\n', () => outgoing.destroy())
    }
    const { outgoing, answer } = open(EXPORT, 'GET')
    outgoing.end()
    await expect(answer).rejects.toThrow(/aborted|terminated/)
  })

  test('is aborted at its service when the client disconnects', async ({ catalog, open }) => {
    const gone = Promise.withResolvers<string>()
    catalog.serve = (_incoming, outgoing) => {
      outgoing.writeHead(200, headers).write('a,b\n')
      outgoing.on('close', () => gone.resolve('gone'))
    }
    const { outgoing } = open(EXPORT, 'GET')
    outgoing.on('response', () => outgoing.destroy()).end()
    expect(await gone.promise).toBe('gone')
  })

  test('general fact 6 has the same headers for HEAD', async ({ catalog, open }) => {
    catalog.serve = (incoming, outgoing) =>
      outgoing.writeHead(200, headers).end(incoming.method === 'HEAD' ? undefined : 'a\n')
    const [get, head] = [open(EXPORT, 'GET'), open(EXPORT, 'HEAD')]
    get.outgoing.end()
    head.outgoing.end()
    const comparable = ({ headers: { date: _date, 'x-request-id': _id, ...rest } }: Reply) => rest
    const [one, other] = await Promise.all([get.answer, head.answer])
    expect(comparable(other)).toEqual(comparable(one))
    expect([one.body, other.body]).toEqual(['a\n', ''])
  })
})
