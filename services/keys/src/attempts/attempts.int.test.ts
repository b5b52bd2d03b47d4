import { randomUUID } from 'node:crypto'
import { takeToken } from '@whereabouts/db/buckets/token-bucket'
import type { LightMyRequestResponse } from 'fastify'
import { describe, expect, vi } from 'vitest'
import { ACCOUNT_RATE, accountBucket } from './attempts.ts'
import { DEVICE_HEADER } from './known-devices.ts'
import { ADDRESS_RATE, test, type Keys, type Org } from '../../test/keys.fixture.ts'

const LOG_IN = '/api/v1/auth/login'
const SIGN_UP = '/api/v1/auth/signup'
const ACCEPT = '/api/v1/auth/accept-invitation'

const guess = (keys: Keys, address: string, email = `${randomUUID()}@example.com`) =>
  keys.post(LOG_IN, { email, password: 'not the password' }, { address })
const logIn = (keys: Keys, { email, password }: Org, address?: string) =>
  keys.post(LOG_IN, { email, password }, address === undefined ? {} : { address })
const signUp = (keys: Keys, address: string, email = `${randomUUID()}@example.com`) =>
  keys.post(SIGN_UP, { org_name: 'Acme', name: 'Eve', email, password: 'long enough 1' }, { address })

/** Empties the bucket of an address, as another replica would. */
async function drain(keys: Keys, block: string): Promise<void> {
  while ((await takeToken(keys.database.pool, `address:${block}`, ADDRESS_RATE)).taken);
}

function expectTooMany(response: LightMyRequestResponse): void {
  expect(response.statusCode).toBe(429)
  const seconds = Number(response.headers['retry-after'])
  expect(seconds).toBeGreaterThanOrEqual(1)
  expect(seconds).toBeLessThanOrEqual(ADDRESS_RATE.secondsPerToken)
  expect(response.json().error).toMatchObject({
    type: 'rate_limited',
    detail: `Retry after ${seconds} seconds`,
  })
}

test('S4 an address that tries many accounts is refused, and no other address is', async ({ keys }) => {
  const org = await keys.signUp()
  const address = '203.0.113.60'
  const statuses: number[] = []
  for (let i = 0; i < 25; i += 1) statuses.push((await guess(keys, address)).statusCode)
  expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401))
  expect(statuses.slice(20)).toEqual([429, 429, 429, 429, 429])
  expect((await logIn(keys, org)).statusCode).toBe(200)
})

test('S4 sign-ups that succeed count as well', async ({ keys }) => {
  const address = '203.0.113.61'
  const statuses: number[] = []
  for (let i = 0; i < 22; i += 1) statuses.push((await signUp(keys, address)).statusCode)
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 201), 429, 429])
})

test('made-up refresh tokens count at refresh and sign-out, and tokens that are good do not', async ({
  keys,
}) => {
  const { session } = await keys.signUp()
  const address = '203.0.113.66'
  const send = (path: string, refresh_token: string) =>
    keys.post(`/api/v1/auth/${path}`, { refresh_token }, { address })
  const statuses: number[] = []
  for (let i = 0; i < 11; i += 1)
    for (const path of ['refresh', 'logout']) statuses.push((await send(path, `made-up-${i}`)).statusCode)
  expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 10 }, () => [401, 204]).flat())
  expect(statuses.slice(20)).toEqual([429, 429])
  const renewed = await send('refresh', session.refresh_token)
  expect(renewed.statusCode).toBe(200)
  expect((await send('logout', renewed.json().data.refresh_token)).statusCode).toBe(204)
})

test('one bucket limits sign-in, sign-up, joining and failed token requests', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await keys.createKey(org)
  const address = '203.0.113.62'
  await drain(keys, address)
  const token = await keys.invite(org, `${randomUUID()}@example.com`)
  expectTooMany(await logIn(keys, org, address))
  expectTooMany(await signUp(keys, address))
  expectTooMany(await signUp(keys, address, org.email)) // registered addresses are not revealed
  expectTooMany(await keys.post(ACCEPT, { token, name: 'Ben', password: 'long enough 1' }, { address }))
  const wrong = { ...key, client_secret: 'wrong' }
  expectTooMany(await keys.exchange(wrong, { address }))
  const refresh = { grant_type: 'refresh_token', refresh_token: 'nonsense' }
  expectTooMany(await keys.post('/api/v1/oauth/token', refresh, { address }))
  expect((await keys.exchange(key, { address })).statusCode).toBe(200) // a success costs nothing
})

test('an IPv6 /64 has one bucket, and a mapped address has that of the IPv4 address', async ({ keys }) => {
  const org = await keys.signUp()
  await drain(keys, '2001:db8:77:1::/64')
  await drain(keys, '203.0.113.63')
  expectTooMany(await logIn(keys, org, '2001:db8:77:1:ffff::9'))
  expectTooMany(await logIn(keys, org, '::ffff:203.0.113.63'))
  expect((await logIn(keys, org, '2001:db8:77:2::9')).statusCode).toBe(200)
})

test('S3 a flood from one address gets 429, and other addresses are served', async ({ keys }) => {
  const org = await keys.signUp()
  const flood = Array.from({ length: 130 }, () => guess(keys, '203.0.113.64'))
  const others = Array.from({ length: 8 }, () => logIn(keys, org))
  expect((await Promise.all(others)).map(({ statusCode }) => statusCode)).toEqual(
    Array.from({ length: 8 }, () => 200),
  )
  const statuses = (await Promise.all(flood)).map(({ statusCode }) => statusCode)
  expect(new Set(statuses)).toEqual(new Set([401, 429]))
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(ADDRESS_RATE.capacity)
})

test('guesses from many addresses delay an account, and never lock its owner out', async ({ keys }) => {
  const org = await keys.signUp()
  const guesser = '203.0.113.65'
  for (let i = 0; i < 10; i += 1) expect((await guess(keys, guesser, org.email)).statusCode).toBe(401)
  const before = performance.now()
  const [here, elsewhere] = await Promise.all([logIn(keys, org, guesser), logIn(keys, org)])
  const seconds = (performance.now() - before) / 1_000
  expect([here.statusCode, elsewhere.statusCode]).toEqual([200, 200])
  expect(seconds).toBeGreaterThan(2)
  expect(seconds).toBeLessThan(30)
})

test('a successful sign-in costs no token', async ({ keys }) => {
  const org = await keys.signUp()
  for (let i = 0; i < 4; i += 1) expect((await logIn(keys, org)).statusCode).toBe(200)
  const take = await takeToken(keys.database.pool, accountBucket(org.email), ACCOUNT_RATE)
  expect(take.secondsUntilFull).toBeLessThanOrEqual(ACCOUNT_RATE.secondsPerToken) // it was full
})

test('guesses from forty addresses do not shut the owner out, wherever the owner is', async ({ keys }) => {
  const org = await keys.signUp()
  const flood = startFlood(keys, org.email, 'a')
  try {
    await vi.waitUntil(() => flood.refused() > 40, { timeout: 20_000 })
    for (let round = 0; round < 3; round += 1) {
      const replies = await Promise.all(Array.from({ length: 5 }, () => logIn(keys, org)))
      expect(replies.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200])
    }
  } finally {
    await flood.stop()
  }
})

describe('a browser that has signed in before', () => {
  const signIn = (keys: Keys, { email, password }: Org, device: string, address?: string) =>
    keys.post(
      LOG_IN,
      { email, password },
      { headers: { [DEVICE_HEADER]: device }, ...(address && { address }) },
    )
  const deviceOf = async (keys: Keys, org: Org) =>
    String((await signIn(keys, org, '')).headers[DEVICE_HEADER])
  /** Empties the bucket of the account for the next minutes. */
  const crowd = (keys: Keys, { email }: Org) =>
    keys.buckets.take(accountBucket(email), { capacity: 100, secondsPerToken: 600 })
  const isDelayed = async (keys: Keys, reply: Promise<LightMyRequestResponse>) => {
    const begun = performance.now()
    expect((await reply).statusCode).toBe(200)
    return performance.now() - begun > 3_900
  }

  test('is not delayed, and any other is', async ({ keys }) => {
    const [org, other] = [await keys.signUp(), await keys.signUp()]
    const device = await deviceOf(keys, org)
    const foreign = await deviceOf(keys, other)
    await crowd(keys, org)
    let next = device
    for (let round = 0; round < 3; round += 1) {
      const reply = signIn(keys, org, next)
      expect(await isDelayed(keys, reply)).toBe(false)
      next = String((await reply).headers[DEVICE_HEADER])
    }
    const others = ['', foreign, org.session.refresh_token, org.session.access_token]
    for (const late of await Promise.all(others.map((token) => isDelayed(keys, signIn(keys, org, token)))))
      expect(late).toBe(true)
  })

  test('is told nothing unless it asks, so no client of the API sees the token', async ({ keys }) => {
    expect((await logIn(keys, await keys.signUp())).headers).not.toHaveProperty(DEVICE_HEADER)
  })

  test('needs the password, obeys the limit of its address, and waits after ten guesses', async ({
    keys,
  }) => {
    const org = await keys.signUp()
    const device = await deviceOf(keys, org)
    const address = '203.0.113.68'
    await crowd(keys, org)
    const wrong = { ...org, password: 'not the password' }
    for (let i = 0; i < 10; i += 1) expect((await signIn(keys, wrong, device, address)).statusCode).toBe(401)
    expect(await isDelayed(keys, signIn(keys, org, device))).toBe(true)
    await drain(keys, address)
    expectTooMany(await signIn(keys, org, device, address))
  })

  test('is a stranger after a change of the password', async ({ keys }) => {
    const org = await keys.signUp()
    const device = await deviceOf(keys, org)
    const new_password = `correct horse ${randomUUID()}`
    const body = { current_password: org.password, new_password }
    const changed = await keys.send('/api/v1/users/me/password', {
      method: 'POST',
      body,
      caller: keys.admin(org),
    })
    expect(changed.statusCode).toBe(204)
    await crowd(keys, org)
    expect(await isDelayed(keys, signIn(keys, { ...org, password: new_password }, device))).toBe(true)
  })

  test('has a token that opens nothing', async ({ keys }) => {
    const org = await keys.signUp()
    const token = await deviceOf(keys, org)
    const grant = { grant_type: 'refresh_token', refresh_token: token }
    expect((await keys.post('/api/v1/oauth/token', grant)).statusCode).toBe(401)
    expect((await keys.post('/api/v1/auth/refresh', { refresh_token: token })).statusCode).toBe(401)
    expect((await logIn(keys, { ...org, password: token })).statusCode).toBe(401)
    const reset = { token, password: `correct horse ${randomUUID()}` }
    expect((await keys.post('/api/v1/auth/password/reset', reset)).statusCode).toBe(401)
    const join = { token, name: 'Eve', password: reset.password }
    expect((await keys.post(ACCEPT, join)).statusCode).toBe(401)
    expect((await keys.post('/api/v1/auth/provision', { token })).statusCode).toBe(404)
  })
})

/** 120 loops of wrong passwords from 40 addresses. */
function startFlood(keys: Keys, email: string, network: string) {
  let [isOver, refused] = [false, 0]
  const loops = Array.from({ length: 120 }, async (_, i) => {
    while (!isOver)
      if ((await guess(keys, `2001:db8:${network}:${i % 40}::${i}`, email)).statusCode === 429) refused += 1
  })
  const stop = async () => {
    isOver = true
    await Promise.all(loops)
  }
  return { stop, refused: () => refused }
}
