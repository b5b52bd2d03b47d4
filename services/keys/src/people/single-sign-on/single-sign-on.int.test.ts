import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { Keys } from '../../../test/keys.fixture.ts'
import { comeBack, signOnAs, start, test, type TestProvider } from '../../../test/provider.fixture.ts'
import { purgeExpiredSignOns } from './sign-on.queries.ts'

/** A person who may sign on. */
async function personOf({ keys, provider }: { keys: Keys; provider: TestProvider }) {
  const { orgId } = await keys.signUp()
  const group = `group-${randomUUID()}`
  provider.roles.push({ group, orgId, role: 'viewer' })
  return provider.person({ email: `eve-${randomUUID()}@example.com`, groups: [group] })
}

const open = (send: Keys['send'], code: string | undefined, headers = {}) =>
  send('/api/v1/auth/oidc/session', { method: 'POST', body: { code }, headers })

const EXPIRED = { sign_on_problem: 'expired' }

test('D15.5 a sign-on uses PKCE, a state and a nonce, and a cookie of this host alone', async ({ keys }) => {
  const response = await keys.send('/api/v1/auth/oidc/start')
  expect(response.statusCode).toBe(302)
  const { searchParams } = new URL(String(response.headers.location))
  expect(Object.fromEntries(searchParams)).toMatchObject({
    response_type: 'code',
    code_challenge_method: 'S256',
    redirect_uri: 'https://whereabouts.example/api/v1/auth/oidc/callback',
  })
  for (const name of ['state', 'nonce', 'code_challenge'])
    expect(searchParams.get(name)).toMatch(/^[\w-]{43}$/)
  expect(response.headers['set-cookie']).toMatch(
    /^__Host-whereabouts_sign_on=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
  )
  expect(response.headers['cache-control']).toBe('no-store')
  expect((await keys.send('/api/v1/auth/oidc')).json()).toEqual({ data: { enabled: true, required: false } })
})

describe('D15.5 a callback', () => {
  test('works in another replica, and so does its code', async ({ keys, provider }) => {
    const given = { keys, provider }
    const [subject, second] = [await personOf(given), keys.replica()]
    for (let times = 0; times < 3; times += 1) {
      const browser = await start(keys.send)
      const fields = await comeBack(second, await provider.signIn(browser.address, subject), browser)
      expect((await open(keys.send, fields['sign_on'])).statusCode).toBe(200)
    }
  })

  test('works once, also for two at the same moment', async ({ keys, provider }) => {
    const given = { keys, provider }
    const [subject, second] = [await personOf(given), keys.replica()]
    const browser = await start(keys.send)
    const back = await provider.signIn(browser.address, subject)
    const both = await Promise.all([comeBack(keys.send, back, browser), comeBack(second, back, browser)])
    expect(both.filter((fields) => 'sign_on' in fields)).toHaveLength(1)
    expect(await comeBack(keys.send, back, browser)).toEqual(EXPIRED)
  })

  test('needs the browser that started', async ({ keys, provider }) => {
    const given = { keys, provider }
    const subject = await personOf(given)
    const [browser, another] = [await start(keys.send), await start(keys.send)]
    const back = await provider.signIn(browser.address, subject)
    expect(await comeBack(keys.send, back, { cookie: '' })).toEqual(EXPIRED)
    expect(await comeBack(keys.send, back, another)).toEqual(EXPIRED)
    expect(await comeBack(keys.send, back, browser)).toHaveProperty('sign_on') // none of them used it up
  })

  test('needs the state of its start', async ({ keys, provider }) => {
    const given = { keys, provider }
    const browser = await start(keys.send)
    const back = await provider.signIn(browser.address, await personOf(given))
    back.searchParams.set('state', 'x'.repeat(43))
    expect(await comeBack(keys.send, back, browser)).toEqual(EXPIRED)
    back.searchParams.delete('state')
    expect(await comeBack(keys.send, back, browser)).toEqual(EXPIRED)
  })

  test('does not take the nonce of another sign-on', async ({ keys, provider }) => {
    const given = { keys, provider }
    const browser = await start(keys.send)
    const address = new URL(browser.address)
    address.searchParams.set('nonce', 'x'.repeat(43))
    const back = await provider.signIn(address.href, await personOf(given))
    expect(await comeBack(keys.send, back, browser)).toEqual({ sign_on_problem: 'failed' })
  })

  test('does not take the code of another sign-on', async ({ keys, provider }) => {
    const given = { keys, provider }
    const subject = await personOf(given)
    const [browser, another] = [await start(keys.send), await start(keys.send)]
    const back = await provider.signIn(browser.address, subject)
    const stolen = await provider.signIn(another.address, subject)
    back.searchParams.set('code', stolen.searchParams.get('code') ?? '')
    expect(await comeBack(keys.send, back, browser)).toEqual(EXPIRED)
  })

  test('does not work after ten minutes', async ({ keys, provider }) => {
    const given = { keys, provider }
    const browser = await start(keys.send)
    const back = await provider.signIn(browser.address, await personOf(given))
    const { rows } = await keys.database.pool.query(
      "update sign_on set expires_at = expires_at - interval '10 minutes' returning expires_at <= clock_timestamp() as over",
    )
    expect(rows).toContainEqual({ over: true })
    expect(await comeBack(keys.send, back, browser)).toEqual(EXPIRED)
    expect(await purgeExpiredSignOns(keys.database.worker.db, 1_000)).toBeGreaterThan(0)
  })

  test('says that the provider refused', async ({ keys, provider }) => {
    const browser = await start(keys.send)
    const back = await provider.signIn(browser.address, 'nobody')
    expect(await comeBack(keys.send, back, browser)).toEqual({ sign_on_problem: 'refused' })
  })

  test('accepts parameters that providers add', async ({ keys, provider }) => {
    const given = { keys, provider }
    const browser = await start(keys.send)
    const back = await provider.signIn(browser.address, await personOf(given))
    back.searchParams.set('session_state', 'x')
    expect(await comeBack(keys.send, back, browser)).toHaveProperty('sign_on')
  })
})

describe('D15.5 the code of a sign-on', () => {
  test('works once, also for two at the same moment', async ({ keys, provider }) => {
    const given = { keys, provider }
    const [subject, second] = [await personOf(given), keys.replica()]
    for (let times = 0; times < 3; times += 1) {
      const { sign_on: code } = await signOnAs(given, subject)
      const both = await Promise.all([open(keys.send, code), open(second, code)])
      expect(new Set(both.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 401]))
    }
  })

  test('works for 60 seconds', async ({ keys, provider }) => {
    const given = { keys, provider }
    const { sign_on: code } = await signOnAs(given, await personOf(given))
    const age = (seconds: number) =>
      keys.database.pool.query(
        `update sign_on_code set expires_at = expires_at - interval '${seconds} seconds'`,
      )
    await age(61)
    expect((await open(keys.send, code)).json().error).toMatchObject({
      status: 401,
      detail: 'Invalid or expired code',
    })
    await age(-30)
    expect((await open(keys.send, code)).statusCode).toBe(200)
  })

  test('works only in the browser that signed on, where the console says which one it is', async ({
    keys,
    provider,
  }) => {
    const given = { keys, provider }
    const { sign_on: code, cookie } = await signOnAs(given, await personOf(given))
    for (const foreign of ['', 'x'.repeat(43)])
      expect((await open(keys.send, code, { 'x-sign-on': foreign })).statusCode).toBe(401)
    const own = cookie.slice(cookie.indexOf('=') + 1)
    expect((await open(keys.send, code, { 'x-sign-on': own })).statusCode).toBe(200)
  })
})

describe('a provider', () => {
  test('may change its keys during a sign-on', async ({ keys, provider }) => {
    const given = { keys, provider }
    const subject = await personOf(given)
    for (let times = 0; times < 3; times += 1) {
      const browser = await start(keys.send)
      const back = await provider.signIn(browser.address, subject)
      provider.rotateKeys()
      expect(await comeBack(keys.send, back, browser)).toHaveProperty('sign_on')
    }
  })

  test.for(['silent', 'broken'] as const)(
    'that is %s ends the sign-on, and nothing else',
    async (how, { keys, provider }) => {
      const browser = await start(keys.send)
      const back = await provider.signIn(browser.address, await personOf({ keys, provider }))
      provider.behave(how)
      try {
        expect(await comeBack(keys.send, back, browser)).toEqual({ sign_on_problem: 'unavailable' })
        expect((await keys.signUp()).orgId).toBeGreaterThan(0)
      } finally {
        provider.behave('well')
      }
      expect(await signOnAs({ keys, provider }, await personOf({ keys, provider }))).toHaveProperty('sign_on')
    },
  )
})
