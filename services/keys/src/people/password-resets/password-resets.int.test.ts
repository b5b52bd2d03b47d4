import { randomUUID } from 'node:crypto'
import { decodeJwt } from 'jose'
import { describe, expect } from 'vitest'
import { test, type Keys, type Org } from '../../../test/keys.fixture.ts'
import { createResetLink } from '../../ops/users.commands.ts'
import { hashSecret } from '../../credentials/secrets.ts'
import { lockUser, updatePassword } from '../users/own-sessions.queries.ts'
import { createPasswords } from '../users/passwords.ts'
import { switchSession } from '../users/sessions.ts'
import { purgeExpiredResetLinks } from './reset-links.queries.ts'

const NEW = 'a password never used before'

const linkFor = (keys: Keys, org: Org, userId: number) =>
  keys.post(`/api/v1/orgs/${org.orgId}/members/${userId}/reset-link`, undefined, { caller: keys.admin(org) })

/** The token of an administrator's link for the member. */
async function tokenFor(keys: Keys, org: Org, userId: number): Promise<string> {
  const response = await linkFor(keys, org, userId)
  expect(response.statusCode).toBe(201)
  return response.json().data.token
}

const reset = (keys: Keys, token: string, password = NEW) =>
  keys.post('/api/v1/auth/password/reset', { token, password })

const logIn = async (keys: Keys, { email }: Org, password: string) =>
  (await keys.post('/api/v1/auth/login', { email, password })).statusCode

const accept = (keys: Keys, token: string, password: string) =>
  keys.post('/api/v1/auth/accept-invitation', { token, password })

describe('D15.2 a link of an administrator', () => {
  test('sets a new password once, ends all sessions and every other link of the person', async ({ keys }) => {
    const org = await keys.signUp()
    const ben = await keys.join(org)
    const operators = await createResetLink(keys.database.db, { email: ben.email, consoleUrl: undefined })
    const link = await linkFor(keys, org, ben.userId)
    expect(link.headers['cache-control']).toBe('no-store')
    const { token, expires_at } = link.json().data
    const minutes = (Date.parse(expires_at) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(59)
    expect(minutes).toBeLessThanOrEqual(60)
    expect((await reset(keys, token)).statusCode).toBe(204)
    expect([await logIn(keys, ben, ben.password), await logIn(keys, ben, NEW)]).toEqual([401, 200])
    const refreshed = await keys.post('/api/v1/auth/refresh', { refresh_token: ben.session.refresh_token })
    expect(refreshed.statusCode).toBe(401)
    const { sid } = decodeJwt(ben.session.access_token)
    const ends = await keys.database.db
      .selectFrom('outbox')
      .select('subject')
      .where('subject', '=', `keys.chain.${String(sid)}`)
      .execute()
    expect(ends).toHaveLength(1)
    const [, spent] = /token=(.+)$/.exec((operators.json as { link: string }).link) ?? []
    for (const used of [token, spent ?? ''])
      expect((await reset(keys, used)).json().error).toMatchObject({
        status: 401,
        detail: 'Invalid or expired reset link',
      })
  })

  test('is not spent by a refused password', async ({ keys }) => {
    const org = await keys.signUp()
    const ben = await keys.join(org)
    const token = await tokenFor(keys, org, ben.userId)
    for (const password of ['short', 'password123', 'x'.repeat(129), ben.email.toUpperCase()])
      expect((await reset(keys, token, password)).json().error.fields).toMatchObject([{ field: 'password' }])
    expect((await reset(keys, token)).statusCode).toBe(204)
  })

  test('works for one of two at the same moment', async ({ keys }) => {
    const org = await keys.signUp()
    const ben = await keys.join(org)
    const token = await tokenFor(keys, org, ben.userId)
    const both = await Promise.all([reset(keys, token), reset(keys, token)])
    expect(new Set(both.map(({ statusCode }) => statusCode))).toEqual(new Set([204, 401]))
  })

  test('replaces the link before, and is stored as a digest', async ({ keys }) => {
    const org = await keys.signUp()
    const ben = await keys.join(org)
    const first = await tokenFor(keys, org, ben.userId)
    const second = await tokenFor(keys, org, ben.userId)
    const rows = await keys.database.db
      .selectFrom('password_reset')
      .selectAll()
      .where('user_id', '=', ben.userId)
      .execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(second)
    expect([(await reset(keys, first)).statusCode, (await reset(keys, second)).statusCode]).toEqual([
      401, 204,
    ])
  })

  test('is refused for a person of other organizations, for oneself, and to members', async ({ keys }) => {
    const [org, other] = [await keys.signUp(), await keys.signUp()]
    const ben = await keys.join(org)
    const pending = await tokenFor(keys, org, ben.userId)
    expect((await accept(keys, await keys.invite(other, ben.email), ben.password)).statusCode).toBe(200)
    const refused = (await linkFor(keys, org, ben.userId)).json().error
    expect(refused).toMatchObject({ status: 409, type: 'conflict' })
    expect(refused.detail).toMatch(/^The person belongs to other organizations too/)
    expect((await reset(keys, pending)).statusCode).toBe(401)
    expect(await logIn(keys, ben, ben.password)).toBe(200)
    expect((await linkFor(keys, org, org.userId)).statusCode).toBe(409)
    const path = `/api/v1/orgs/${org.orgId}/members/${org.userId}/reset-link`
    expect((await keys.post(path, undefined, { caller: keys.member(ben) })).statusCode).toBe(403)
    expect((await linkFor(keys, org, other.userId)).statusCode).toBe(404)
    expect((await keys.post(path, undefined, { caller: keys.admin(other) })).statusCode).toBe(403)
  })

  test('ends with the membership of the person, and with the rights of who made it', async ({ keys }) => {
    const org = await keys.signUp()
    const second = await keys.join(org, 'admin')
    const [ben, carl] = [await keys.join(org), await keys.join(org)]
    const caller = keys.admin({ ...org, userId: second.userId })
    const path = (userId: number) => `/api/v1/orgs/${org.orgId}/members/${userId}/reset-link`
    const ofDemoted = (await keys.post(path(ben.userId), undefined, { caller })).json().data.token
    const ofRemoved = await tokenFor(keys, org, carl.userId)
    const member = (userId: number) => `/api/v1/orgs/${org.orgId}/members/${userId}`
    const by = { caller: keys.admin(org) }
    await keys.send(member(second.userId), { method: 'PATCH', body: { role: 'member' }, ...by })
    await keys.send(member(carl.userId), { method: 'DELETE', ...by })
    for (const token of [ofDemoted, ofRemoved]) expect((await reset(keys, token)).statusCode).toBe(401)
  })

  test('expires after an hour and is purged', async ({ keys }) => {
    const org = await keys.signUp()
    const ben = await keys.join(org)
    const token = await tokenFor(keys, org, ben.userId)
    await keys.database.pool.query(
      `update password_reset set expires_at = clock_timestamp() where user_id = $1`,
      [ben.userId],
    )
    expect((await reset(keys, token)).statusCode).toBe(401)
    expect(await purgeExpiredResetLinks(keys.database.worker.db, 1_000)).toBe(1)
  })
})

describe('the operator', () => {
  test('makes a link for anybody, also for a sole administrator', async ({ keys }) => {
    const [org, other] = [await keys.signUp(), await keys.signUp()]
    expect((await accept(keys, await keys.invite(other, org.email), org.password)).statusCode).toBe(200)
    const wanted = { email: org.email.toUpperCase(), consoleUrl: 'https://whereabouts.example/' }
    const { json, text } = await createResetLink(keys.database.db, wanted)
    const { link } = json as { link: string }
    expect(link).toMatch(/^https:\/\/whereabouts\.example\/reset-password#token=[\w-]{43}$/)
    expect(text).toContain(link)
    expect((await reset(keys, link.split('=')[1] ?? '')).statusCode).toBe(204)
    expect(await logIn(keys, org, NEW)).toBe(200)
  })

  test('gets a plain answer for an unknown address', async ({ keys }) => {
    const email = `${randomUUID()}@example.com`
    await expect(createResetLink(keys.database.db, { email, consoleUrl: undefined })).rejects.toMatchObject({
      type: 'not_found',
      message: `There is no user with the e-mail address ${email}.`,
    })
  })
})

describe('at the moment of a new password', () => {
  test('a session that is switching ends too', async ({ keys }) => {
    const [org, other] = [await keys.signUp(), await keys.signUp()]
    const accepted = await accept(keys, await keys.invite(other, org.email), org.password)
    const hash = hashSecret(accepted.json().data.refresh_token)
    const token = await operatorsToken(keys, org)
    const { result } = await keys.database.worker.db.transaction().execute(async (tx) => {
      await switchSession({ tx, attempts: keys.attempts }, hash, org.orgId)
      return untilBlocked(keys, reset(keys, token))
    })
    expect((await result).statusCode).toBe(204)
    const alive = await keys.database.db
      .selectFrom('token_chain')
      .select('id')
      .where('user_id', '=', org.userId)
      .where('revoked_at', 'is', null)
      .execute()
    expect(alive).toEqual([])
  })

  test('the old password, just checked, neither signs in nor joins', async ({ keys }) => {
    const [org, other] = [await keys.signUp(), await keys.signUp()]
    const invitation = await keys.invite(other, org.email)
    const { email, password } = org
    const attempts = [
      () => keys.post('/api/v1/auth/login', { email, password }),
      () => accept(keys, invitation, password),
    ]
    for (const attempt of attempts) {
      const { result } = await keys.database.worker.db.transaction().execute(async (tx) => {
        await lockUser(tx, org.userId)
        const blocked = await untilBlocked(keys, attempt())
        await updatePassword(tx, org.userId, await anyHash())
        return blocked
      })
      expect((await result).json().error).toMatchObject({ status: 401, detail: 'Invalid email or password' })
      await keys.database.worker.db
        .transaction()
        .execute(async (tx) => updatePassword(tx, org.userId, await hashOf(password)))
    }
  })
})

async function operatorsToken(keys: Keys, { email }: Org): Promise<string> {
  const { json } = await createResetLink(keys.database.db, { email, consoleUrl: undefined })
  return (json as { link: string }).link.split('=')[1] ?? ''
}

/** Waits until the request waits for a lock. Wrapped, so that the transaction that holds the lock can end first. */
async function untilBlocked<T>(keys: Keys, result: Promise<T>): Promise<{ result: Promise<T> }> {
  const isBlocked = async () => {
    const { rows } = await keys.database.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length > 0
  }
  await expect.poll(isBlocked, { timeout: 10_000 }).toBe(true)
  return { result }
}

const hashOf = (password: string) => createPasswords((_source, work) => work()).hash('test', password)
const anyHash = () => hashOf(randomUUID())

// More than the shared bucket and, on a slow machine, the local one together.
test('too many attempts with tokens from one address are refused', async ({ keys }) => {
  const address = '2001:db8:2::1'
  const attempt = () => keys.post('/api/v1/auth/password/reset', { token: 'x', password: NEW }, { address })
  const statuses = (await Promise.all(Array.from({ length: 45 }, attempt))).map(
    ({ statusCode }) => statusCode,
  )
  expect(new Set(statuses)).toEqual(new Set([401, 429]))
})
