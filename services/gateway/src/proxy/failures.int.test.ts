import { createServer, type Socket } from 'node:net'
import { describe, expect, onTestFinished } from 'vitest'
import { test, type TestGateway } from '../../test/gateway.fixture.ts'
import { listen } from '../../test/listen.fixture.ts'

describe('D2 503 for a service', () => {
  const answerOf = async (gateway: TestGateway, path = '/api/v1/assets') => {
    const sent = { headers: await gateway.sessionToken() }
    const { status, headers, error } = await gateway.request(path, sent)
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

  test('that refuses connections', async ({ startGateway, ownSurroundings }) => {
    const alone = await startGateway({}, ownSurroundings)
    await alone.request('/api/v1/assets', { headers: await alone.sessionToken() }) // fetches the signing keys
    await ownSurroundings.services.catalog.stop()
    await ownSurroundings.services.console.stop()
    expect(await answerOf(alone)).toEqual(unavailable())
    expect(await answerOf(alone, '/')).toEqual(unavailable('/'))
  })

  test('that is too slow', async ({ around, startGateway }) => {
    const hasty = await startGateway({ readTimeoutMs: 200 })
    const held = Promise.withResolvers<void>()
    around.services.catalog.respondWith(() => held.promise)
    onTestFinished(() => held.resolve())
    expect(await answerOf(hasty)).toEqual(unavailable())
    const failures = await hasty.registry.getSingleMetric('gateway_upstream_failures_total')?.get()
    expect(failures?.values.filter(({ value }) => value > 0)).toMatchObject([
      { labels: { upstream: 'catalog', reason: 'timeout' }, value: 1 },
    ])
  })

  test.for([
    { name: 'an HTML error page', status: 502, type: 'text/html', body: '<html>stack trace</html>' },
    { name: 'a bare 500', status: 500, type: 'text/plain', body: 'boom at /srv/app.js:1' },
    { name: 'a 404 of a proxy in between', status: 404, type: 'text/html', body: '<h1>nginx</h1>' },
  ])('that answers with $name', async ({ status, type, body }, { around, gateway }) => {
    around.services.catalog.respondWith((_request, reply) => reply.status(status).type(type).send(body))
    expect(await answerOf(gateway)).toEqual(unavailable())
  })

  test('that does not speak HTTP, or hangs up', async ({ startGateway }) => {
    const answers = ['not http at all\r\n\r\n', '']
    const rude = await serveWith((socket) => {
      socket.once('data', () => socket.end(answers.shift() ?? ''))
    })
    const gateway = await startGateway({ upstreams: { catalog: rude } })
    expect(await answerOf(gateway)).toEqual(unavailable())
    expect(await answerOf(gateway)).toEqual(unavailable())
  })

  test('that hangs up in the middle of its response', async ({ startGateway }) => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 20\r\n\r\n'
    const breaking = await serveWith((socket) => {
      socket.once('data', () => socket.end(`${head}{"data":`))
    })
    const gateway = await startGateway({ upstreams: { catalog: breaking } })
    expect(await answerOf(gateway)).toEqual(unavailable())
  })

  test('a read is retried on a connection that the service closed as idle', async ({ startGateway }) => {
    let requests = 0
    const closing = await serveWith((socket) => {
      // Keeps the connection alive, responds once, and hangs up on the next request.
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
    const gateway = await startGateway({ upstreams: { catalog: closing } })
    for (let i = 0; i < 3; i += 1)
      expect(
        (await gateway.request('/api/v1/assets', { headers: await gateway.sessionToken() })).status,
      ).toBe(200)
    expect(requests).toBe(5)
  })
})

test('a read whose client leaves ends at the service too, and is no failure of the service', async ({
  around,
  startGateway,
}) => {
  const gateway = await startGateway()
  const began = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  around.services.catalog.respondWith((request, reply) => {
    reply.raw.once('close', ended.resolve)
    began.resolve()
    return new Promise(() => undefined)
  })
  const client = new AbortController()
  const headers = { ...(await gateway.sessionToken()), 'user-agent': 'test' }
  const left = Promise.allSettled([
    fetch(`${gateway.origin}/api/v1/assets`, { headers, signal: client.signal }),
  ])
  await began.promise
  client.abort()
  await ended.promise
  expect(await left).toMatchObject([{ status: 'rejected' }])
  const failures = await gateway.registry.getSingleMetric('gateway_upstream_failures_total')?.get()
  expect(failures?.values.filter(({ value }) => value > 0)).toEqual([])
})

/** The origin of a server that closes with the test. */
function serveWith(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => onConnection(socket.on('error', () => undefined)))
  onTestFinished(() => void server.close())
  return listen(server)
}
