import { describe, expect } from 'vitest'
import { keyStateOf, test, type Surroundings, type TestGateway } from '../../test/gateway.fixture.ts'

const decisionsOf = async (of: TestGateway, source: string) => {
  const metric = await of.registry.getSingleMetric('gateway_rate_limit_decisions_total')?.get()
  const values = metric?.values.filter((value) => value.labels['source'] === source) ?? []
  return values.reduce((sum, value) => sum + value.value, 0)
}

test('two gateways together grant exactly the burst of a key', async ({ gateway, startGateway }) => {
  const other = await startGateway()
  // A token every 20 seconds, so that none returns during the test.
  const limit = 3
  const { authorization, jti } = await gateway.keyToken({ rate_limit_per_minute: limit })
  other.view.states.apply(`keys.key.${jti}`, keyStateOf({ jti, rate_limit_per_minute: limit }))
  const requests = Array.from({ length: 60 }, (_, i) =>
    (i % 2 === 0 ? gateway : other).request('/api/v1/assets', { headers: { authorization } }),
  )
  const statuses = (await Promise.all(requests)).map((answer) => answer.status)
  expect(statuses.filter((status) => status === 200).length).toBe(2 * limit)
  expect(statuses.filter((status) => status === 429).length).toBe(60 - 2 * limit)
})

test(
  'the keys of an organization share a limit, and one with a limit of its own does not',
  { timeout: 120_000 },
  async ({ gateway }) => {
    const send = async (authorization: string) =>
      (await gateway.request('/api/v1/assets', { headers: { authorization } })).status
    const seen = new Set<number>()
    for (let key = 0; key < 80 && !seen.has(429); key += 1) {
      const { authorization } = await gateway.keyToken({ org_id: 4_242 })
      const statuses = await Promise.all(Array.from({ length: 110 }, () => send(authorization)))
      for (const status of statuses) seen.add(status)
    }
    expect(seen).toEqual(new Set([200, 429]))
    const own = await gateway.keyToken({ org_id: 4_242, rate_limit_per_minute: 60 })
    const other = await gateway.keyToken({ org_id: 4_243 })
    expect([await send(own.authorization), await send(other.authorization)]).toEqual([200, 200])
  },
)

describe('D9.9 the rate-limit headers', () => {
  test('count down from the limit, without the burst, on GET and HEAD alike', async ({ gateway }) => {
    const { authorization } = await gateway.keyToken({ rate_limit_per_minute: 2 })
    const seen: string[] = []
    for (const method of ['GET', 'HEAD', 'GET', 'GET']) {
      const { headers } = await gateway.request('/api/v1/assets', { method, headers: { authorization } })
      expect(headers['x-ratelimit-limit']).toBe('2')
      seen.push(String(headers['x-ratelimit-remaining']))
    }
    expect(seen).toEqual(['2', '2', '1', '0'])
  })

  test('contain the time when Remaining equals Limit again', async ({ gateway }) => {
    const { authorization } = await gateway.keyToken({ rate_limit_per_minute: 2 })
    const request = async () => gateway.request('/api/v1/assets', { headers: { authorization } })
    const now = Math.floor(Date.now() / 1000)
    expect(Number((await request()).headers['x-ratelimit-reset'])).toBeLessThanOrEqual(now + 2)
    await request()
    // One of four tokens is left. Remaining equals Limit at two, and a token takes half a minute.
    const reset = Number((await request()).headers['x-ratelimit-reset'])
    expect(reset).toBeGreaterThanOrEqual(now + 29)
    expect(reset).toBeLessThanOrEqual(now + 33)
  })

  test('are on a refused GET too, with Retry-After and its seconds in the detail', async ({ gateway }) => {
    const { authorization } = await gateway.keyToken({ rate_limit_per_minute: 1 })
    const request = async () => gateway.request('/api/v1/assets', { headers: { authorization } })
    await request()
    await request()
    const answer = await request()
    const seconds = Number(answer.headers['retry-after'])
    expect(answer.status).toBe(429)
    expect(seconds).toBeGreaterThan(57)
    expect(seconds).toBeLessThanOrEqual(60)
    expect(answer.headers).toMatchObject({ 'x-ratelimit-limit': '1', 'x-ratelimit-remaining': '0' })
    expect(answer.error()).toMatchObject({ type: 'rate_limited', detail: `Retry after ${seconds} seconds` })
  })

  test('a key without its own limit has 60', async ({ gateway }) => {
    const { authorization } = await gateway.keyToken()
    const { headers } = await gateway.request('/api/v1/assets', { headers: { authorization } })
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '60' })
  })

  test.for([
    { method: 'GET', path: '/api/v1/orgs/me' },
    { method: 'POST', path: '/api/v1/assets' },
    { method: 'DELETE', path: '/api/v1/assets/5' },
    { method: 'DELETE', path: '/api/v1/locations/5/tags/6' },
  ])('$method $path neither counts nor has them', async ({ method, path }, { gateway }) => {
    const scopes = ['assets:write', 'locations:write']
    const { authorization } = await gateway.keyToken({ scopes, rate_limit_per_minute: 1 })
    for (let i = 0; i < 4; i += 1) {
      const headers = { authorization, 'content-type': 'application/json' }
      const answer = await gateway.request(path, {
        method,
        headers,
        ...(method === 'POST' && { body: '{}' }),
      })
      expect(answer.status).toBe(200)
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
    }
  })

  test('a counted POST takes a token and has none', async ({ gateway }) => {
    const { authorization } = await gateway.keyToken({ scopes: ['keys:admin'], rate_limit_per_minute: 1 })
    const headers = { authorization, 'content-type': 'application/json' }
    const post = async () =>
      gateway.request('/api/v1/orgs/7/api-keys', { method: 'POST', headers, body: '{}' })
    const answers = [await post(), await post(), await post()]
    expect(answers.map((a) => a.status)).toEqual([200, 200, 429])
    expect(answers.every((a) => a.headers['x-ratelimit-limit'] === undefined)).toBe(true)
    expect(answers[2]?.headers['retry-after']).toBeDefined()
  })
})

// On a busy machine the gateway may limit locally for a second.
const PATIENTLY = { timeout: 10_000 }

describe('D12.10 a user', () => {
  const leaveEmpty = async (around: Surroundings, userId: number) =>
    around.database.pool.query(
      `insert into rate_bucket (key, full_at) values ($1, clock_timestamp() + interval '10 minutes')`,
      [`user:${userId}`],
    )

  test('has one bucket over all sessions, and other users have their own', async ({ around, gateway }) => {
    await leaveEmpty(around, 900)
    const ask = async (userId: number, revision: number) =>
      gateway.request('/api/v1/assets', { headers: await gateway.sessionToken({ userId, revision }) })
    for (const revision of [1, 2])
      await expect.poll(async () => (await ask(900, revision)).status, PATIENTLY).toBe(429)
    expect((await ask(901, 1)).status).toBe(200)
  })

  test.for([
    { method: 'GET', path: '/api/v1/assets' },
    { method: 'POST', path: '/api/v1/assets' },
    { method: 'GET', path: '/api/v1/readers' },
    { method: 'GET', path: '/api/v1/movements/live' },
    { method: 'POST', path: '/api/v1/imports' },
    { method: 'DELETE', path: '/api/v1/assets/5' },
  ])(
    'spends it on $method $path, without rate-limit headers',
    async ({ method, path }, { around, gateway }) => {
      const userId = 1_000 + method.length * 100 + path.length
      const headers = { ...(await gateway.sessionToken({ userId })), 'content-type': 'application/json' }
      const ask = () => gateway.request(path, { method, headers, ...(method === 'POST' && { body: '{}' }) })
      await leaveEmpty(around, userId)
      await expect.poll(async () => (await ask()).status, PATIENTLY).toBe(429)
      const refused = await ask()
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(400)
      expect(Object.keys(refused.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
    },
  )

  test('gets no rate-limit headers for a granted request either', async ({ gateway }) => {
    const answer = await gateway.request('/api/v1/assets', { headers: await gateway.sessionToken({ userId: 902 }) })
    expect(answer.status).toBe(200)
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([])
  }) // oxfmt-ignore
})

test('a client that hammers an empty bucket costs no statement', async ({ gateway }) => {
  const { authorization } = await gateway.keyToken({ rate_limit_per_minute: 1 })
  const request = async () => gateway.request('/api/v1/assets', { headers: { authorization } })
  for (let i = 0; i < 3; i += 1) await request()
  const before = await decisionsOf(gateway, 'shared')
  for (let i = 0; i < 20; i += 1) expect((await request()).status).toBe(429)
  expect(await decisionsOf(gateway, 'shared')).toBe(before)
})

describe('while the database is unreachable', () => {
  test('each gateway limits alone, and a metric counts it', async ({ startGateway }) => {
    const broken = await startGateway({ takeShared: () => Promise.reject(new Error('ECONNREFUSED')) })
    const { authorization } = await broken.keyToken({ rate_limit_per_minute: 2 })
    const statuses: number[] = []
    for (let i = 0; i < 6; i += 1)
      statuses.push((await broken.request('/api/v1/assets', { headers: { authorization } })).status)
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
    expect(await decisionsOf(broken, 'local')).toBe(6)
  })

  test('it delays one request per second, by 500 ms at most', async ({ startGateway }) => {
    const hanging = await startGateway({ takeShared: () => new Promise(() => undefined) })
    const { authorization } = await hanging.keyToken()
    const startedAt = Date.now()
    for (let i = 0; i < 10; i += 1)
      expect((await hanging.request('/api/v1/assets', { headers: { authorization } })).status).toBe(200)
    expect(Date.now() - startedAt).toBeLessThan(1_000)
  })
})
