import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, onTestFinished } from 'vitest'
import { memberStateOf, ORG_ID, sessionBearer, test } from '../../test/gateway.fixture.ts'

test('an organization with hundreds of slow requests leaves places at the service to others (ADR 68)', async ({
  around,
  startGateway,
}) => {
  const gateway = await startGateway({ readTimeoutMs: 60_000 })
  const busy = await gateway.sessionToken()
  const member = memberStateOf({ org_id: ORG_ID + 1 })
  around.members.set(`${ORG_ID + 1}/1`, member)
  gateway.view.apply(`keys.member.${ORG_ID + 1}.1`, member)
  const other = { authorization: await sessionBearer(around.mint, member) }

  const released = Promise.withResolvers<void>()
  onTestFinished(() => released.resolve())
  let waiting = 0
  around.services.catalog.respondWith(async ({ url }: FastifyRequest, reply: FastifyReply) => {
    if (!url.includes('slow')) return {}
    waiting += 1
    reply.raw.once('close', () => (waiting -= 1))
    await released.promise
    return {}
  })
  const slow = (signal?: AbortSignal) =>
    fetch(`${gateway.origin}/api/v1/assets?q=slow`, {
      headers: { ...busy, 'user-agent': 'test' },
      ...(signal && { signal }),
    })
  const client = new AbortController()
  const leaving = Promise.allSettled(Array.from({ length: 150 }, () => slow(client.signal)))
  await expect.poll(() => waiting).toBe(128)
  const staying = Array.from({ length: 150 }, () => slow())
  expect((await gateway.request('/api/v1/assets', { headers: other })).status).toBe(200)

  client.abort()
  await leaving
  await expect.poll(() => waiting).toBe(128) // of those who stay
  released.resolve()
  for (const response of await Promise.all(staying)) expect(response.status).toBe(200)
})
