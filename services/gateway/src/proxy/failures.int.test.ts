import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  startGateway,
  startSurroundings,
  type Surroundings,
  type TestGateway,
} from '../../test/gateway.fixture.ts'

let around: Surroundings
let gateway: TestGateway
let session: { authorization: string }
beforeAll(async () => {
  around = await startSurroundings()
  gateway = await startGateway(around)
  session = await gateway.sessionToken()
})
afterAll(async () => {
  await gateway.stop()
  await around.stop()
})

describe('D2 a service that does not do its part', () => {
  const answerOf = async (path = '/api/v1/assets', via = gateway) => {
    const { status, headers, error } = await via.request(path, { headers: session })
    const { request_id, ...shown } = error()
    return {
      status,
      retryAfter: headers['retry-after'],
      cors: headers['access-control-allow-origin'],
      isJson: headers['content-type']?.startsWith('application/json'),
      sameId: request_id === headers['x-request-id'],
      error: shown,
    }
  }
  const unavailable = (instance = '/api/v1/assets') => ({
    status: 503,
    retryAfter: '1',
    cors: '*',
    isJson: true,
    sameId: true,
    error: {
      type: 'service_unavailable',
      title: 'Service unavailable',
      status: 503,
      detail: 'The service is temporarily unavailable',
      instance,
    },
  })

  test('one that refuses connections', async () => {
    const own = await startSurroundings()
    const alone = await startGateway(own)
    try {
      session = await alone.sessionToken()
      await alone.request('/api/v1/assets', { headers: session }) // the signing keys are known from here on
      await own.services.catalog.stop()
      await own.services.console.stop()
      expect(await answerOf('/api/v1/assets', alone)).toEqual(unavailable())
      expect(await answerOf('/', alone)).toEqual(unavailable('/'))
    } finally {
      session = await gateway.sessionToken()
      await alone.stop()
      await own.stop()
    }
  })

  test('one that is too slow', async () => {
    const hasty = await startGateway(around, { readTimeoutMs: 200 })
    const held = Promise.withResolvers<void>()
    around.services.catalog.respondWith(() => held.promise)
    try {
      expect(await answerOf('/api/v1/assets', hasty)).toEqual(unavailable())
      const failures = await hasty.registry.getSingleMetric('gateway_upstream_failures_total')?.get()
      expect(failures?.values.filter(({ value }) => value > 0)).toMatchObject([
        { labels: { upstream: 'catalog', reason: 'timeout' }, value: 1 },
      ])
    } finally {
      held.resolve()
      await hasty.stop()
    }
  })

  test.for([
    { name: 'an HTML error page', status: 502, type: 'text/html', body: '<html>stack trace</html>' },
    { name: 'a bare 500', status: 500, type: 'text/plain', body: 'boom at /srv/app.js:1' },
    { name: 'a 404 of something in between', status: 404, type: 'text/html', body: '<h1>nginx</h1>' },
  ])('one that answers with $name', async ({ status, type, body }) => {
    around.services.catalog.respondWith((_request, reply) => reply.status(status).type(type).send(body))
    expect(await answerOf()).toEqual(unavailable())
  })

  test('one that speaks no HTTP, or hangs up', async () => {
    const answers = ['not http at all\r\n\r\n', '']
    const rude = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(answers.shift() ?? ''))
    })
    const catalog = around.services.catalog.origin
    around.services.catalog.origin = await listen(rude)
    const beside = await startGateway(around)
    try {
      expect(await answerOf('/api/v1/assets', beside)).toEqual(unavailable())
      expect(await answerOf('/api/v1/assets', beside)).toEqual(unavailable())
    } finally {
      around.services.catalog.origin = catalog
      await beside.stop()
      rude.close()
    }
  })

  test('one that hangs up in the middle of its answer', async () => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n'
    const breaking = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => socket.end(`${head}{"data":`))
    })
    const catalog = around.services.catalog.origin
    around.services.catalog.origin = await listen(breaking)
    const beside = await startGateway(around)
    try {
      expect(await answerOf('/api/v1/assets', beside)).toEqual(unavailable())
    } finally {
      around.services.catalog.origin = catalog
      await beside.stop()
      breaking.close()
    }
  })

  test('a connection that a service has closed for idleness costs a read nothing', async () => {
    let requests = 0
    const closing = createServer((socket) => {
      socket.on('error', () => undefined)
      // Promises to keep the connection, answers once, and hangs up on the next request.
      let answered = false
      socket.on('data', () => {
        requests += 1
        if (answered) return socket.destroy()
        answered = true
        return socket.write(
          'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
        )
      })
    })
    const catalog = around.services.catalog.origin
    around.services.catalog.origin = await listen(closing)
    const beside = await startGateway(around)
    try {
      for (let i = 0; i < 3; i += 1)
        expect((await beside.request('/api/v1/assets', { headers: session })).status).toBe(200)
      expect(requests).toBe(5)
    } finally {
      around.services.catalog.origin = catalog
      await beside.stop()
      closing.close()
    }
  })
})

async function listen(server: Server): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}
