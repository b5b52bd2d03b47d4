import { createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { ApiError, ConnectionError } from './errors.ts'
import { createWhereabouts } from './whereabouts.ts'

const TOKEN = '{"access_token":"t","expires_in":900}'
const reply = (body: string, length = body.length, type = 'application/json') =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\nconnection: close\r\n\r\n${body}`

/** A server that answers a token, and then with these bytes in turn. undefined: never. */
async function scene(replies: (string | undefined)[], options: object = {}) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', (data) => {
      const bytes = String(data).includes('oauth/token') ? reply(TOKEN) : replies.shift()
      if (bytes !== undefined) socket.end(bytes)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const key = { clientId: 'id', clientSecret: 's', userAgent: 'tests/1' }
  const client = createWhereabouts({ baseUrl, ...key, wait: async () => undefined, ...options })
  const end = () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
  return { client, baseUrl, end, [Symbol.dispose]: end }
}

const get = (client: Awaited<ReturnType<typeof scene>>['client']) =>
  client.api.GET('/api/v1/assets', { params: { query: { q: 'secret' } } })

test('a request whose body breaks off is repeated, but not a PATCH', async () => {
  using s = await scene([reply('{"data":', 90), reply('{"data":', 90), reply('{"data":[]}')])
  expect((await get(s.client)).data).toEqual({ data: [] })
  using other = await scene([reply('{"data":', 90), reply('{"data":{}}')])
  const error = await other.client.api
    .PATCH('/api/v1/assets/{asset_id}', { params: { path: { asset_id: 1 } }, body: {} })
    .catch((caught: unknown) => caught)
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ status: 200, method: 'PATCH', attempts: 1 })
})

test('a timeout and a refused connection say what was asked for, and how often, but not the query', async () => {
  using s = await scene([], { attempts: 2, timeoutMs: 1_000 })
  const late = await get(s.client).catch((caught: unknown) => caught)
  const url = `${s.baseUrl}/api/v1/assets`
  expect(late).toBeInstanceOf(ApiError)
  expect(late).toMatchObject({ name: 'ConnectionError', status: undefined, method: 'GET', url, attempts: 2 })
  expect(String(late)).toContain(`GET ${url}, sent 2 times`)
  s.end()
  const refused = await get(s.client).catch((caught: unknown) => caught)
  expect(refused).toBeInstanceOf(ConnectionError)
  expect(String(refused)).toContain('ECONNREFUSED')
  expect(String(refused)).not.toContain('secret')
})

test('a 200 that is not JSON is an error with its status, and a download is not', async () => {
  for (const type of ['application/json', 'text/html']) {
    using s = await scene([reply('<html>sign in', 13, type)])
    const error = await get(s.client).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 200, method: 'GET' })
    expect(String(error)).toContain('<html>sign in')
  }
  using s = await scene([reply('a,b\n', 4, 'text/csv')])
  const asked = { headers: { accept: 'text/csv' }, parseAs: 'text' } as const
  expect((await s.client.api.GET('/api/v1/assets', asked)).data).toBe('a,b\n')
})
