import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { limitConnections } from './connections.ts'

const log = createLogger('gateway', 'silent')

async function startServer(trustedProxies: string[]) {
  const server = createServer((_request, response) => response.end('ok'))
  limitConnections(server, { most: 3, trustedProxies, log })
  server.listen(0, '::') // clients over IPv4 appear with an IPv4-mapped address
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sockets: Socket[] = []
  /** Whether a request on a new connection is answered. The connection stays open. */
  async function request(): Promise<boolean> {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => undefined) // closed while the request was sent
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    return Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)])
  }
  return {
    request,
    async closeOne() {
      const socket = sockets.shift()
      socket?.end()
      if (socket) await once(socket, 'close')
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('an address has a limited number of connections, and another one after it closed one', async () => {
  const server = await startServer([])
  expect([await server.request(), await server.request(), await server.request()]).toEqual([true, true, true])
  expect(await server.request()).toBe(false)
  await server.closeOne()
  await expect.poll(() => server.request()).toBe(true)
  expect(await server.request()).toBe(false)
  await server.stop()
})

test.for([['127.0.0.1'], ['10.0.0.1', '127.0.0.0/8']])(
  'a trusted proxy in %j has no limit',
  async (proxies) => {
    const server = await startServer(proxies)
    for (let n = 0; n < 10; n += 1) expect(await server.request()).toBe(true)
    await server.stop()
  },
)

test('a connection with many requests at once ends, and one with a few is answered, again and again', async () => {
  const server = createServer((_request, response) => setImmediate(() => response.end('ok')))
  limitConnections(server, { most: 10, trustedProxies: [], log })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const answersTo = async (requests: number) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined) // the server ends it while it sends
    let text = ''
    socket.on('data', (data) => (text += data.toString()))
    const head = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'
    socket.write(head.repeat(requests - 1) + head.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
    await once(socket, 'close')
    return text.split('HTTP/1.1 200').length - 1
  }
  for (let round = 0; round < 3; round += 1) {
    expect(await answersTo(8)).toBe(8)
    expect(await answersTo(500)).toBeLessThan(9)
  }
  server.close()
})
