import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry, Counter } from '@whereabouts/service-kit/observe/metrics'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect, test } from 'vitest'
import { keyStateOf } from '../../test/gateway.fixture.ts'
import { keyDirectory } from './key-directory.ts'
import { KeyView } from './key-view.ts'

const log = createLogger('gateway', 'silent')

/** Stands in for keys at the far end of the network: its connections can be lost without a word. */
async function startFarEnd() {
  const sockets = new Set<Socket>()
  const lost = new Set<Socket>()
  const server = createServer((request, response) => {
    if (lost.has(request.socket)) return // the request went nowhere
    const jti = decodeURIComponent(request.url?.split('/').at(-1) ?? '')
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(keyStateOf({ jti, revision: 1 })))
  })
  server.on('connection', (socket) => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** All connections that are open now. Later ones work. */
    loseConnections: () => {
      for (const socket of sockets) lost.add(socket)
      return sockets.size
    },
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

test('a lookup on a connection that was lost without a word is made again on a new one', async () => {
  const keys = await startFarEnd()
  const directory = keyDirectory({
    view: new KeyView(),
    isCurrent: () => false,
    keysUrl: keys.url,
    credential: async () => 'credential',
    log,
    lookups: new Counter({
      name: 'lookups',
      help: 'x',
      labelNames: ['source'],
      registers: [createRegistry('t')],
    }),
  })
  const jtis = Array.from({ length: 6 }, (_, n) => `11111111-1111-4111-8111-00000000000${n}`)
  const find = (from: number, to: number) =>
    Promise.all(jtis.slice(from, to).map((jti) => directory.find(jti)))
  expect(await find(0, 3)).toHaveLength(3)
  expect(keys.loseConnections()).toBe(3)
  expect(await find(3, 6)).toEqual(Array(3).fill(expect.objectContaining({ revoked_at: null })))
  await directory.close()
  await keys.stop()
})
