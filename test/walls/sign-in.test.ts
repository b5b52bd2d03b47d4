import { randomUUID } from 'node:crypto'
import { describe, expect, inject } from 'vitest'
import { test } from './support/walls.fixture.ts'

const PASSWORD = 'correct horse battery'
/** Of one address, in `support/system.setup.ts`. One more comes back in three seconds. */
const ATTEMPTS = 20
const newEmail = () => `walls-${randomUUID()}@example.com`

let networks = 0
/** A client with its own IPv6 network (/64); `host` is another address in the same network. */
function fromNetwork(network = (networks += 1), host = 1) {
  const [a, b] = [process.pid % 65_536, network % 65_536].map((part) => part.toString(16))
  return { 'x-forwarded-for': `2001:db8:${a}:${b}::${host.toString(16)}` }
}

const signUp = () => ({ org_name: 'Walls', name: 'Ada', email: newEmail(), password: PASSWORD })

describe('S3 sign-in under a flood from one address', () => {
  test('S3 the flooding address gets 429, and all others sign in', async ({ api, victim }) => {
    const stop = startFlood(130)
    const others: number[] = []
    try {
      await expect.poll(stop.replies, { timeout: 30_000 }).toBeGreaterThan(130)
      const { email, password } = victim.org
      for (let i = 0; i < 10; i += 1)
        others.push((await api.call('logIn', { body: { email, password }, headers: fromNetwork() })).status)
    } finally {
      await stop()
    }
    expect(others).toEqual(Array.from({ length: 10 }, () => 200))
    expect(stop.statuses()).toEqual([401, 429])
  })
})

/** Signs in as an unknown user from one address, over `connections` connections, until stopped. */
function startFlood(connections: number) {
  const headers = { 'user-agent': 'walls/1', 'content-type': 'application/json', ...fromNetwork() }
  const seen: number[] = []
  let isOver = false
  const running = Array.from({ length: connections }, async () => {
    while (!isOver) {
      const body = JSON.stringify({ email: newEmail(), password: 'wrong password' })
      const reply = await fetch(`${inject('urls').base}/api/v1/auth/login`, {
        method: 'POST',
        headers,
        body,
      })
      await reply.body?.cancel()
      seen.push(reply.status)
    }
  })
  const stop = async () => {
    isOver = true
    await Promise.all(running)
  }
  return Object.assign(stop, {
    replies: () => seen.length,
    statuses: () => [...new Set(seen)].toSorted((a, b) => a - b),
  })
}

describe('S4 guesses and sign-ups', () => {
  test('S4 one password for many accounts from one address gets 429', async ({ api }) => {
    const headers = fromNetwork()
    const statuses: number[] = []
    for (let i = 0; i < 40; i += 1)
      statuses.push(
        (await api.call('logIn', { body: { email: newEmail(), password: PASSWORD }, headers })).status,
      )
    expect(statuses).toContain(429)
  })

  test('S4 sign-ups from one address get 429', async ({ api }) => {
    const headers = fromNetwork()
    const statuses: number[] = []
    for (let i = 0; i < 30; i += 1)
      statuses.push((await api.call('signUp', { body: signUp(), headers })).status)
    expect(statuses[0]).toBe(201)
    expect(statuses).toContain(429)
  })

  test('S4 an IPv6 network of 2^64 addresses is one client', async ({ api }) => {
    const network = (networks += 1)
    const statuses: number[] = []
    for (let i = 0; i < 40; i += 1) {
      const call = { body: { email: newEmail(), password: PASSWORD }, headers: fromNetwork(network, i + 1) }
      statuses.push((await api.call('logIn', call)).status)
    }
    expect(statuses).toContain(429)
  })

  test('S4 guesses for one account from many networks are slowed, and its owner still signs in', async ({
    api,
    newOrg,
  }) => {
    const { email, password } = await newOrg()
    const guess = async () => {
      const begun = performance.now()
      await api.call('logIn', { body: { email, password: 'wrong password' }, headers: fromNetwork() })
      return performance.now() - begun
    }
    const first = Math.min(await guess(), await guess())
    for (let i = 0; i < 4; i += 1) await Promise.all(Array.from({ length: 5 }, guess))
    // One attempt in six seconds is not delayed, so of two in a row one is.
    expect(Math.max(await guess(), await guess())).toBeGreaterThan(first + 250)
    expect((await api.call('logIn', { body: { email, password }, headers: fromNetwork() })).status).toBe(200)
  })

  test.for(['aaaaaaaaaa', 'Password123', '1234567890'])(
    'S4 the common password %s is refused',
    async (password, { api }) => {
      const reply = await api.call('signUp', { body: { ...signUp(), password }, headers: fromNetwork() })
      expect(reply.status).toBe(400)
      expect(reply.body.error.fields?.map(({ field }) => field)).toEqual(['password'])
    },
  )
})

describe('S4 made-up tokens', () => {
  test.for(['refreshSession', 'logOut'] as const)(
    'S4 the 21st at %s from one address gets 429',
    async (operation, { api }) => {
      const headers = fromNetwork()
      const statuses: number[] = []
      for (let i = 0; i < ATTEMPTS + 1; i += 1) {
        const body = { refresh_token: randomUUID() }
        statuses.push((await api.call(operation, { body, headers })).status)
      }
      expect(statuses[0]).toBe(operation === 'logOut' ? 204 : 401)
      expect(statuses).toContain(429)
    },
  )
})

describe('D15.2 an invitation for a foreign address', () => {
  test('D15.2 does not tell whether the address has an account', async ({ api, victim, attacker }) => {
    const invite = async (email: string) => {
      const call = { params: { org_id: attacker.org.id }, token: attacker.org.admin }
      const { body } = await api.call('createInvitation', { ...call, body: { email, role: 'member' } })
      return { email, token: body.data.token }
    }
    const answers = async ({ email, token }: { email: string; token: string }) => {
      const described = (await api.call('describeInvitation', { body: { token } })).body.data
      expect(described.email).toBe(email)
      const tries = [
        { token, password: PASSWORD + '!' },
        { token },
        { token, name: 'Ben', password: 'password123' },
      ]
      const refused = await Promise.all(tries.map((body) => api.call('acceptInvitation', { body })))
      return {
        described: Object.keys(described),
        refused: refused.map(({ status, body: { error } }) => ({
          status,
          detail: error.detail,
          fields: error.fields,
        })),
      }
    }
    const [known, unknown] = [await invite(victim.org.email), await invite(newEmail())]
    expect(await answers(known)).toEqual(await answers(unknown))
  })
})
