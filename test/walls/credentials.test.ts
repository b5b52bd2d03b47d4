import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'nats'
import { describe, expect, inject } from 'vitest'
import { beside, usualRequests } from './support/beside.ts'
import { openRawNats } from './support/raw-nats.ts'
import { test } from './support/walls.fixture.ts'

/** At least; it goes on until the victim is served. */
const ATTACK_MS = 4_000

/** Leaves the victim, whose requests come from this process too, some of its time. */
const PAUSE_MS = 50

/** Runs `work` in loops until `until` is over; the number of the loop is its argument. */
async function inLoops(loops: number, work: (loop: number) => Promise<unknown>, until: () => boolean) {
  await Promise.all(
    Array.from({ length: loops }, async (_, loop) => {
      while (!until()) {
        await work(loop)
        await delay(PAUSE_MS)
      }
    }),
  )
}

/** Resolves with the status. Unlike `api`, it does not check the answer, which takes this process more time than the request. */
async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<number> {
  const sent = { 'user-agent': 'walls/1', 'content-type': 'application/json', ...headers }
  const url = `${inject('urls').base}/api/v1${path}`
  const reply = await fetch(url, { method: 'POST', headers: sent, body: JSON.stringify(body) })
  await reply.body?.cancel()
  return reply.status
}

/** The time of an attack, from now. */
function timer(isServed: () => boolean) {
  const begun = performance.now()
  const seconds = () => (performance.now() - begun) / 1_000
  return { seconds, isOver: () => seconds() * 1_000 > ATTACK_MS && isServed() }
}

const fromNetwork = (network: number) => ({
  'x-forwarded-for': `2001:db8:${(process.pid % 65_536).toString(16)}:f${network.toString(16)}::1`,
})

describe('N6 one key that exchanges its right credentials in 40 loops', () => {
  test('N6 gets a token a second, ten refresh tokens stay, and others exchange theirs', async ({
    api,
    victim,
    attacker,
    rows,
  }) => {
    const key = await attacker.org.key({ scopes: ['assets:read'] })
    const other = await victim.org.key({ scopes: ['assets:read'] })
    const exchange = ({ clientId: client_id, clientSecret: client_secret }: typeof key) =>
      post('/oauth/token', { grant_type: 'client_credentials', client_id, client_secret })
    const statuses: number[] = []
    const seconds = await beside('exchanges of one key', await usualRequests(api), async (isServed) => {
      const time = timer(isServed)
      const attack = inLoops(40, async () => statuses.push(await exchange(key)), time.isOver)
      for (let i = 0; i < 5; i += 1) expect(await exchange(other)).toBe(200)
      await attack
      return time.seconds()
    })
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(statuses.filter((status) => status === 200).length).toBeLessThan(22 + seconds)
    const [kept] = await rows.query<{ count: number }>(
      `select count(*)::int as count from keys.refresh_token t
       join keys.token_chain c on c.org_id = t.org_id and c.id = t.chain_id
       join keys.api_key k on k.org_id = c.org_id and k.id = c.key_id
       where k.jti = $1 and t.spent_at is null and t.expires_at > clock_timestamp()`,
      [key.clientId],
    )
    expect(kept?.count).toBe(10)
  })
})

describe('N15 guesses for one account from 40 addresses, in 120 loops', () => {
  test('N15 its owner signs in from anywhere, again and again', async ({ api, newOrg }) => {
    const { email, password } = await newOrg()
    const logIn = (given: string, network: number) =>
      post('/auth/login', { email, password: given }, fromNetwork(network))
    const guesses: number[] = []
    let isOver = false
    const owner: number[][] = []
    await beside('guesses', await usualRequests(api), async () => {
      const attack = inLoops(
        120,
        async (loop) => guesses.push(await logIn('wrong password', loop % 40)),
        () => isOver,
      )
      try {
        await expect.poll(() => guesses.length, { timeout: 60_000 }).toBeGreaterThan(120)
        for (let round = 0; round < 3; round += 1)
          owner.push(await Promise.all([1, 2, 3, 4, 5].map((i) => logIn(password, 100 + 5 * round + i))))
      } finally {
        isOver = true
        await attack
      }
    })
    expect(owner).toEqual(Array.from({ length: 3 }, () => [200, 200, 200, 200, 200]))
    expect(new Set(guesses)).toEqual(new Set([401, 429]))
  })
})

describe('N10 connections of readers', () => {
  test('N10 60 that fail to log in are slow, and a right login from the same address is not', async ({
    victim,
    attacker,
  }) => {
    const { nats } = inject('urls')
    const { clientId: user, clientSecret: pass } = victim.readerKey
    const logIn = async () => {
      await (await connect({ servers: nats, user, pass, reconnect: false })).close()
      return { status: 200 }
    }
    let refusals = 0
    await beside('refused logins', [logIn], async (isServed) => {
      const begun = timer(isServed)
      const wrong = { ...attacker.readerKey, clientSecret: randomUUID() }
      const refused = () =>
        openRawNats(nats, wrong).then(
          (raw) => raw.close(),
          () => (refusals += 1),
        )
      await inLoops(60, refused, () => begun.isOver() && refusals > 60)
      // 20 at once, then one each 1.5 s and connection, and one more each three seconds.
      expect(refusals).toBeLessThan(20 + 60 * (begun.seconds() / 1.5 + 1))
    })
    expect(refusals).toBeGreaterThan(60)
  })

  test('N10 one that publishes to forbidden subjects is disconnected and then refused', async ({
    api,
    victim,
    attacker,
  }) => {
    const key = await attacker.org.key({ scopes: ['scans:write'] })
    const raw = await openRawNats(inject('urls').nats, key)
    let isClosed = false
    void raw.closed.then(() => (isClosed = true))
    await beside('forbidden publishes', await usualRequests(api), async (isServed) => {
      const time = timer(isServed)
      const forbidden = Array.from({ length: 200 }, () => ({
        subject: `scans.${victim.org.id}.walls.canonical`,
      }))
      while (!isClosed) {
        raw.publish(...forbidden)
        await raw.flush().catch(() => undefined)
      }
      const again = () => expect(openRawNats(inject('urls').nats, key)).rejects.toThrow()
      do await again()
      while (!time.isOver())
    })
  })
})
