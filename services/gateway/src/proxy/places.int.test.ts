import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, onTestFinished } from 'vitest'
import { memberStateOf, ORG_ID, sessionBearer, test, type Surroundings } from '../../test/gateway.fixture.ts'

/** Catalog answers requests with `slow` in their query or body when they are released. Returns how many it has. */
function holdSlowRequests({ services }: Surroundings) {
  const released = Promise.withResolvers<void>()
  onTestFinished(() => released.resolve())
  let held = 0
  services.catalog.respondWith(async ({ url, body }: FastifyRequest, reply: FastifyReply) => {
    if (!url.includes('slow') && !String(body).startsWith('{"name":"slow"')) return {}
    held += 1
    reply.raw.once('close', () => (held -= 1))
    await released.promise
    return {}
  })
  return { held: () => held, release: () => released.resolve() }
}

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

  const catalog = holdSlowRequests(around)
  const slow = (signal?: AbortSignal) =>
    fetch(`${gateway.origin}/api/v1/assets?q=slow`, {
      headers: { ...busy, 'user-agent': 'test' },
      ...(signal && { signal }),
    })
  const client = new AbortController()
  const leaving = Promise.allSettled(Array.from({ length: 150 }, () => slow(client.signal)))
  await expect.poll(catalog.held).toBe(128)
  const staying = Array.from({ length: 150 }, () => slow())
  expect((await gateway.request('/api/v1/assets', { headers: other })).status).toBe(200)
  const metric = await gateway.registry.getSingleMetric('gateway_upstream_requests')?.get()
  expect(metric?.values.filter(({ value }) => value > 0)).toEqual([
    { labels: { upstream: 'catalog', state: 'running' }, value: 128 },
    { labels: { upstream: 'catalog', state: 'waiting' }, value: 172 },
  ])

  client.abort()
  await leaving
  await expect.poll(catalog.held).toBe(128) // of those who stay
  catalog.release()
  for (const response of await Promise.all(staying)) expect(response.status).toBe(200)
})

test('an organization with a thousand waiting requests is refused, which is counted (ADR 68)', async ({
  around,
  startGateway,
}) => {
  // A proxy, because another address may not have so many connections.
  const gateway = await startGateway({ readTimeoutMs: 60_000, trustedProxies: ['127.0.0.1'] })
  const { authorization } = await gateway.keyToken()
  const catalog = holdSlowRequests(around)
  const headers = { authorization, 'user-agent': 'test' }
  const all = Array.from({ length: 128 + 1_000 + 2 }, () =>
    fetch(`${gateway.origin}/api/v1/assets?q=slow`, { headers }),
  )
  const refusals = async () => {
    const metric = await gateway.registry.getSingleMetric('gateway_upstream_refusals_total')?.get()
    return metric?.values.find(({ labels }) => labels['upstream'] === 'catalog')?.value
  }
  await expect.poll(refusals).toBe(2)
  catalog.release()
  const statuses = (await Promise.all(all)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(2)
})
