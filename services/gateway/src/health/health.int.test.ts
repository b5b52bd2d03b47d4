import { READINESS_PATH } from '@whereabouts/service-kit/service/readiness'
import { describe, expect } from 'vitest'
import { test, type Surroundings, type TestGateway } from '../../test/gateway.fixture.ts'

/** Answers readiness as `works` says, and the signing keys. Counts how often keys is asked for its readiness. */
function readiness(around: Surroundings) {
  const works = { catalog: true, keys: true, tracking: true }
  const asked = { keys: 0 }
  const { catalog, tracking } = around.services
  catalog.respondWith(() => ({ ready: works.catalog }))
  tracking.respondWith(() => ({ ready: works.tracking }))
  around.respondFromKeys((request) => {
    if (request.url === READINESS_PATH) asked.keys += 1
    return { ready: works.keys }
  })
  return { works, asked }
}

/** A gateway fetches the signing keys before its first token. */
const fetchKeys = async (gateway: TestGateway) =>
  gateway.request('/api/v1/assets', { headers: await gateway.sessionToken() })

const ALL = { catalog: 'ok', gateway: 'ok', keys: 'ok', tracking: 'ok' }

async function ask(gateway: TestGateway, sent = {}) {
  const { status, headers, text } = await gateway.request('/healthz', sent)
  return { status, headers, body: JSON.parse(text) as unknown }
}

describe('D12.15 /healthz', () => {
  test('is 503 while a part of the API does not work, by name, and 200 again by itself', async ({
    startGateway,
    ownSurroundings,
  }) => {
    const { works } = readiness(ownSurroundings)
    const gateway = await startGateway({}, ownSurroundings)
    expect(await ask(gateway)).toMatchObject({
      status: 503,
      body: { parts: { ...ALL, gateway: 'unavailable' } },
    })
    await fetchKeys(gateway)
    const well = () => ask(gateway)
    await expect
      .poll(well, { timeout: 5_000 })
      .toMatchObject({ status: 200, body: { status: 'ok', parts: ALL } })
    for (const name of ['catalog', 'keys', 'tracking'] as const) {
      works[name] = false
      const body = { status: 'unavailable', parts: { ...ALL, [name]: 'unavailable' } }
      await expect.poll(well, { timeout: 5_000 }).toMatchObject({ status: 503, body })
      works[name] = true
      await expect.poll(well, { timeout: 5_000 }).toMatchObject({ status: 200, body: { parts: ALL } })
    }
  })

  test('a service that is gone or answers nonsense does not work; one without the path does', async ({
    startGateway,
    ownSurroundings,
  }) => {
    readiness(ownSurroundings)
    const { catalog, tracking } = ownSurroundings.services
    tracking.respondWith((_request, reply) => reply.type('text/html').send('<h1>nginx</h1>'))
    ownSurroundings.respondFromKeys((_request, reply) => reply.status(404).send({ error: {} }))
    const gateway = await startGateway({}, ownSurroundings)
    await fetchKeys(gateway)
    await catalog.stop()
    const parts = { ...ALL, catalog: 'unavailable', tracking: 'unavailable' }
    expect(await ask(gateway)).toMatchObject({
      status: 503,
      headers: {
        'retry-after': '1',
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
      },
      body: { status: 'unavailable', parts },
    })
  })

  test('answers every client, HEAD too, and asks the services once for all of them', async ({
    startGateway,
    ownSurroundings,
  }) => {
    const { asked } = readiness(ownSurroundings)
    const held = Promise.withResolvers<object>()
    ownSurroundings.services.catalog.respondWith(() => held.promise)
    const gateway = await startGateway({}, ownSurroundings)
    const agents = ['', 'python-requests/2.32', 'Go-http-client/2.0', 'Uptime-Kuma/2']
    const all = agents.flatMap((agent) =>
      ['GET', 'HEAD'].map((method) =>
        gateway.request('/healthz', { method, headers: { 'user-agent': agent } }),
      ),
    )
    await expect.poll(() => asked.keys).toBe(1)
    held.resolve({ ready: true })
    const answers = await Promise.all(all)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503])) // no signing keys yet
    expect(answers[1]?.text).toBe('')
    expect(asked.keys).toBe(1)
    expect((await gateway.request('/healthz', { method: 'POST' })).headers.allow).toBe('GET, HEAD')
  })
})

test('D12.15 the web filter lets screens, files and signing keys pass, but nothing of the API', async ({
  around,
  gateway,
}) => {
  around.services.console.respondWith(() => ({}))
  const statusOf = async (path: string) =>
    (await gateway.request(path, { headers: { 'user-agent': 'python-requests/2.32' } })).status
  for (const path of ['/', '/assets/7', '/docs/', '/llms.txt', '/.well-known/jwks.json'])
    expect([path, await statusOf(path)]).toEqual([path, 200])
  for (const path of [
    '/api/v1/assets',
    '/%61pi/v1/assets',
    '/api',
    '/api/nowhere',
    '/legacy/api/v1/x',
    '/openapi.json',
    '/api/asyncapi.json',
  ])
    expect([path, await statusOf(path)]).toEqual([path, 403])
})
