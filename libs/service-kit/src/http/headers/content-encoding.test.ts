import type { FastifyRequest } from 'fastify'
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { packingOf, refusePacked, unpack } from './content-encoding.ts'

const encoded = (encoding: string) => ({ 'content-encoding': encoding })
const LIMIT = 64 * 1024
const sent = (encoding: string, body: Buffer) =>
  unpack({ headers: encoded(encoding), body } as unknown as FastifyRequest, LIMIT)
const MESSAGE = Buffer.from('{"reads":[{"tag":"grüße"}]}')

describe('D19.4 a packed body', () => {
  test.for([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['x-gzip', gzipSync],
    [' identity, gzip ', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ] as const)('as %s is unpacked', async ([encoding, pack]) => {
    expect(await sent(encoding, pack(MESSAGE))).toEqual(MESSAGE)
    expect(await sent(encoding, pack(Buffer.alloc(LIMIT)))).toEqual(Buffer.alloc(LIMIT))
  })

  test.for(['', 'identity', ','])('that is none, "%s", stays as it is', async (encoding) => {
    expect(await sent(encoding, MESSAGE)).toEqual(MESSAGE)
    expect(() => refusePacked(encoded(encoding))).not.toThrow()
  })

  test.for([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ] as const)('as %s is 413 beyond the limit, however small it was', async ([encoding, pack]) => {
    await expect(sent(encoding, pack(Buffer.alloc(LIMIT + 1)))).rejects.toMatchObject({
      status: 413,
      message: 'Request body must be at most 64 KiB',
    })
    await expect(sent(encoding, pack(Buffer.alloc(100 * LIMIT)))).rejects.toMatchObject({ status: 413 })
  })

  test.for([
    ['gzip', MESSAGE],
    ['gzip', Buffer.alloc(0)],
    ['gzip', gzipSync(MESSAGE).subarray(0, -9)],
    ['gzip', deflateSync(MESSAGE)],
    ['deflate', MESSAGE],
    ['deflate', gzipSync(MESSAGE)],
  ] as const)('as %s that is something else is 400', async ([encoding, body]) => {
    await expect(sent(encoding, body)).rejects.toMatchObject({
      status: 400,
      message: `The request body is not ${encoding}, as its Content-Encoding says`,
    })
  })

  test.for(['br', 'zstd', 'x-deflate2', 'gzip, gzip', 'deflate, gzip'])('as %s is 415', (encoding) => {
    expect(() => packingOf(encoded(encoding))).toThrow('Content-Encoding must be gzip or deflate')
  })

  test.for(['gzip', 'deflate', 'br'])('as %s is 415 where none is unpacked', (encoding) => {
    expect(() => refusePacked(encoded(encoding))).toThrow('Content-Encoding is not supported here')
  })
})
