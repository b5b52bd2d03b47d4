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
  gateway.view.states.apply(`keys.member.${ORG_ID + 1}.1`, member)
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
  const places = async () => {
    const metric = await gateway.registry.getSingleMetric('gateway_upstream_requests')?.get()
    return metric?.values.filter(({ value }) => value > 0)
  }
  await expect.poll(places).toEqual([
    { labels: { upstream: 'catalog', state: 'running' }, value: 128 },
    { labels: { upstream: 'catalog', state: 'waiting' }, value: 172 },
  ])

  client.abort()
  await leaving
  await expect.poll(catalog.held).toBe(128) // of those who stay
  catalog.release()
  for (const response of await Promise.all(staying)) expect(response.status).toBe(200)
})

test('bodies that wait for a place count: an organization leaves half of the budget to others (ADR 66)', async ({
  around,
  startGateway,
}) => {
  const gateway = await startGateway({
    trustedProxies: ['127.0.0.1'],
    maxBodyBytesInFlight: 11 * 2 ** 20,
    writeTimeoutMs: 60_000,
  })
  const busy = await gateway.keyToken({ scopes: ['assets:write'] })
  const other = await gateway.keyToken({ scopes: ['assets:write'], org_id: ORG_ID + 1 })
  const catalog = holdSlowRequests(around)
  const post = ({ authorization }: typeof busy, address: string, bytes: number, name = 'slow') =>
    gateway.request('/api/v1/assets', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ name, description: 'x'.repeat(bytes) }),
    })
  const running = Array.from({ length: 128 }, () => post(busy, '203.0.113.1', 0))
  await expect.poll(catalog.held).toBe(128)
  // From two addresses, so that no bound of an address keeps them from using up the budget.
  const large = Array.from({ length: 10 }, (_, i) => post(busy, `203.0.113.${(i % 2) + 1}`, 1_000_000))
  let refused = 0
  for (const reply of large) void reply.then(({ status }) => (refused += status === 503 ? 1 : 0))
  await expect.poll(() => refused).toBe(6)
  for (const address of ['203.0.113.1', '203.0.113.3'])
    expect((await post(other, address, 1_000_000, 'quick')).status).toBe(200)
  catalog.release()
  const statuses = (await Promise.all([...running, ...large])).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(128 + 4)
})

test('an organization whose requests take long gets one at a time while others come, again and again (ADR 94)', async ({
  around,
  startGateway,
}) => {
  const gateway = await startGateway({ readTimeoutMs: 60_000 })
  const busy = await gateway.keyToken({ scopes: ['assets:write'] })
  const other = await gateway.keyToken({ scopes: ['assets:write'], org_id: ORG_ID + 1 })
  const catalog = holdSlowRequests(around)
  const create = ({ authorization }: typeof busy, name: string) =>
    gateway.request('/api/v1/assets', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    })
  const held = Array.from({ length: 60 }, () => create(busy, 'slow'))
  await expect.poll(catalog.held).toBe(60)
  await expect.poll(async () => (await create(other, 'quick')).status).toBe(200)
  const begun = performance.now()
  await expect.poll(() => performance.now() - begun).toBeGreaterThan(50) // 59 places for 50 ms are beyond the burst
  for (let round = 0; round < 3; round += 1) {
    const waiting = create(busy, 'slow')
    for (let i = 0; i < 5; i += 1) {
      expect((await create(other, 'quick')).status).toBe(200)
      expect(catalog.held()).toBeLessThanOrEqual(60)
    }
    held.push(waiting)
  }
  catalog.release()
  for (const reply of await Promise.all(held)) expect(reply.status).toBe(200)
})

test('clients that leave while their limit is asked for keep no place, again and again', async ({
  startGateway,
}) => {
  let asked = Promise.withResolvers<void>()
  let hold = Promise.withResolvers<void>()
  const gateway = await startGateway({
    takeShared: async () => {
      asked.resolve()
      await hold.promise
      return { taken: true, secondsUntilFull: 0 }
    },
  })
  const key = await gateway.keyToken({ scopes: ['assets:read'] })
  const requests = async (state: string) => {
    const metric = await gateway.registry.getSingleMetric('gateway_upstream_requests')?.get()
    return metric?.values.find(({ labels }) => labels['state'] === state)?.value ?? 0
  }
  for (let round = 0; round < 3; round += 1) {
    ;[asked, hold] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const client = new AbortController()
    const url = `${gateway.origin}/api/v1/assets`
    const left = fetch(url, { headers: { ...key, 'user-agent': 'test' }, signal: client.signal })
    await asked.promise
    client.abort()
    await expect(left).rejects.toThrow()
    await expect.poll(gateway.openConnections).toBe(0)
    hold.resolve()
    const headers = { ...key, connection: 'close' }
    expect((await gateway.request('/api/v1/assets', { headers })).status).toBe(200)
    await expect.poll(() => requests('running')).toBe(0)
  }
})
