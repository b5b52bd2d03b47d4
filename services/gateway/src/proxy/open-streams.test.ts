import type { FastifyReply, FastifyRequest } from 'fastify'
import { once } from 'node:events'
import { PassThrough, Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { Caller } from '../auth/authenticator.ts'
import { openStreams } from './open-streams.ts'

const callerUntil = (expiresAt: number): Caller => ({
  principal: { kind: 'session', orgId: 7, scopes: [] },
  lastingTokenFor: async () => '',
  tokenFor: async () => '',
  bucket: '',
  ownLimitPerMinute: undefined,
  expiresAt,
})

/** A stream of a caller whom every later look would let in. */
function guarded(expiresAt: number) {
  const caller = callerUntil(expiresAt)
  const streams = openStreams(async () => caller)
  const source = new PassThrough()
  const request = { caller, headers: { authorization: 'Bearer x' } } as unknown as FastifyRequest
  const reply = { raw: new PassThrough() } as unknown as FastifyReply
  return { streams, source, passed: streams.guard(request, reply, source).resume() }
}

test('D9.7 the expiry of a token ends its stream without a check', async () => {
  const { source, passed } = guarded(Date.now() / 1000 + 0.1)
  await once(passed, 'end')
  expect(source.destroyed).toBe(true)
})

test('a stream that opens while the gateway stops ends at once', async () => {
  const { streams } = guarded(Date.now() / 1000 + 60)
  streams.close()
  const source = new PassThrough()
  const request = { caller: callerUntil(Date.now() / 1000 + 60), headers: { authorization: 'Bearer x' } }
  const reply = { raw: new PassThrough() } as unknown as FastifyReply
  await once(streams.guard(request as unknown as FastifyRequest, reply, source).resume(), 'end')
  expect(source.destroyed).toBe(true)
})

test('S5 the gateway buffers little more than 32 KiB for a client that does not read', async () => {
  const caller = callerUntil(Date.now() / 1000 + 60)
  const streams = openStreams(async () => caller)
  let taken = 0
  const source = new Readable({
    highWaterMark: 1,
    read() {
      taken += 1024
      this.push(Buffer.alloc(1024))
    },
  })
  const request = { caller, headers: { authorization: 'Bearer x' } } as unknown as FastifyRequest
  const passed = streams.guard(request, { raw: new PassThrough() } as unknown as FastifyReply, source)
  let before = -1
  await expect.poll(() => before === (before = taken) && taken > 0, { interval: 50 }).toBe(true)
  expect(taken).toBeLessThanOrEqual(40 * 1024)
  passed.destroy()
})
