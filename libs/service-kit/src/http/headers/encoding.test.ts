import fastify from 'fastify'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { compress, encodingFor } from './encoding.ts'

const LARGE = { data: Array.from({ length: 200 }, (_, id) => ({ id, name: `Förklift ${id}` })) }

const app = fastify()
app.route({
  method: 'GET',
  url: '/:size',
  onSend: compress,
  handler: async (request, reply) => {
    const { size } = request.params as { size: string }
    if (size === 'list') reply.header('vary', 'Accept')
    if (size === 'refused') reply.status(400)
    return size === 'small' ? { data: [] } : LARGE
  },
})
const get = async (url: string, accepted?: string, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url, headers: accepted === undefined ? {} : { 'accept-encoding': accepted } })

test.for([
  { accepted: 'gzip, deflate', encoding: 'gzip', decompress: gunzipSync },
  { accepted: 'gzip, deflate, br, zstd', encoding: 'br', decompress: brotliDecompressSync },
])('D12.7 a large answer is sent as $encoding to a client that accepts $accepted', async (each) => {
  const answer = await get('/large', each.accepted)
  expect(answer.headers).toMatchObject({ 'content-encoding': each.encoding, vary: 'Accept-Encoding' })
  expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length))
  expect(JSON.parse(each.decompress(answer.rawPayload).toString())).toEqual(LARGE)
  expect(answer.rawPayload.length).toBeLessThan(JSON.stringify(LARGE).length / 3)
  const head = await get('/large', each.accepted, 'HEAD')
  expect(head.headers['content-encoding']).toBe(each.encoding)
  expect(head.headers['content-length']).toBe(answer.headers['content-length'])
  expect(head.rawPayload).toHaveLength(0)
})

test.for([undefined, '', 'identity', 'gzip;q=0, br;q=0.0', 'zstd'])(
  'D12.7 a client that accepts %s gets it as it is, and caches know that it varies',
  async (accepted) => {
    const answer = await get('/large', accepted)
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.headers.vary).toBe('Accept-Encoding')
    expect(answer.json()).toEqual(LARGE)
  },
)

test('small answers and errors are not compressed, and another `Vary` stays', async () => {
  const [small, refused, list] = await Promise.all(
    ['/small', '/refused', '/list'].map((url) => get(url, 'gzip')),
  )
  expect([small, refused].map((answer) => answer?.headers['content-encoding'])).toEqual([
    undefined,
    undefined,
  ])
  expect(refused?.json()).toEqual(LARGE)
  expect(list?.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept, Accept-Encoding' })
})

test('the best accepted encoding is chosen', () => {
  expect(['br, gzip', 'GZIP', 'br;q=0, gzip', 'gzip;q=0', ''].map(encodingFor)).toEqual([
    'br', 'gzip', 'gzip', 'identity', 'identity',
  ])
}) // oxfmt-ignore
