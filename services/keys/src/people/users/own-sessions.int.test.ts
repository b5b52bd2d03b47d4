import { randomUUID } from 'node:crypto'
import type { SessionView } from '@whereabouts/contracts/resources/keys/members'
import type { Session } from '@whereabouts/contracts/resources/keys/tokens'
import { takeToken } from '@whereabouts/db/buckets/token-bucket'
import { expect } from 'vitest'
import type { Caller } from '@whereabouts/testing/caller'
import { ACCOUNT_RATE, accountBucket } from '../../attempts/attempts.ts'
import { ADDRESS_RATE, test, type Keys, type Org } from '../../../test/keys.fixture.ts'
import { createPasswords } from './passwords.ts'

const PASSWORD = '/api/v1/users/me/password'
const SESSIONS = '/api/v1/users/me/sessions'
const NEW_PASSWORD = 'a new and long one'

const sidOf = ({ access_token }: Session): string =>
  JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()).sid
const callerOf = (keys: Keys, org: Org, session = org.session): Caller => ({
  ...keys.admin(org),
  sessionId: sidOf(session),
})
const logIn = async (keys: Keys, { email, password }: Org) =>
  keys.post('/api/v1/auth/login', { email, password })
const newSession = async (keys: Keys, org: Org): Promise<Session> => (await logIn(keys, org)).json().data
const refresh = async (keys: Keys, { refresh_token }: Session) =>
  (await keys.post('/api/v1/auth/refresh', { refresh_token })).statusCode
const list = async (keys: Keys, caller: Caller) =>
  (await keys.send(SESSIONS, { caller })).json<{ data: SessionView[]; total_count: number }>()

test('D15.2 a new password ends all other sessions of the user, in every organization', async ({ keys }) => {
  const [org, host] = [await keys.signUp(), await keys.signUp()]
  const token = await keys.invite(host, org.email)
  const accepted = await keys.post('/api/v1/auth/accept-invitation', { token, password: org.password })
  const there: Session = accepted.json().data
  const other = await newSession(keys, org)
  const body = { current_password: org.password, new_password: NEW_PASSWORD }
  expect((await keys.post(PASSWORD, body, { caller: callerOf(keys, org) })).statusCode).toBe(204)

  expect(await refresh(keys, org.session)).toBe(200)
  expect(await refresh(keys, other)).toBe(401)
  expect(await refresh(keys, there)).toBe(401)
  expect(await refresh(keys, host.session)).toBe(200)
  expect((await logIn(keys, org)).statusCode).toBe(401)
  expect((await logIn(keys, { ...org, password: NEW_PASSWORD })).statusCode).toBe(200)
  for (const ended of [other, there]) {
    const subject = `keys.chain.${sidOf(ended)}`
    const rows = keys.database.db.selectFrom('outbox').select('id').where('subject', '=', subject)
    expect(await rows.execute()).toHaveLength(1)
  }
})

test('D15.2 a wrong current password changes nothing', async ({ keys }) => {
  const org = await keys.signUp()
  const other = await newSession(keys, org)
  const body = { current_password: 'not the password', new_password: NEW_PASSWORD }
  const response = await keys.post(PASSWORD, body, { caller: callerOf(keys, org) })
  expect(response.statusCode).toBe(400)
  expect(response.json().error.fields).toMatchObject([{ field: 'current_password', code: 'invalid_value' }])
  expect(await refresh(keys, other)).toBe(200)
  expect((await logIn(keys, org)).statusCode).toBe(200)
})

test('a stolen session cannot be used to guess the password without end', async ({ keys }) => {
  const org = await keys.signUp()
  const address = '203.0.113.90'
  const guess = () =>
    keys.post(
      PASSWORD,
      { current_password: 'a guess', new_password: NEW_PASSWORD },
      { caller: callerOf(keys, org), address },
    )
  expect((await guess()).statusCode).toBe(400)
  const takes: { taken: boolean; secondsUntilFull: number }[] = []
  do takes.push(await takeToken(keys.database.pool, `address:${address}`, ADDRESS_RATE))
  while (takes.at(-1)?.taken)
  expect(takes).toHaveLength(ADDRESS_RATE.capacity) // one of them was the guess's, the last found none
  expect((await guess()).statusCode).toBe(429)
  const account = await takeToken(keys.database.pool, accountBucket(org.email), ACCOUNT_RATE)
  expect(account.secondsUntilFull).toBeGreaterThan(ACCOUNT_RATE.secondsPerToken) // it counts for the account, too
})

test.for([
  { name: 'too short', password: 'only nine', code: 'too_short' },
  { name: 'too long', password: 'x y'.repeat(43), code: 'too_long' },
  { name: 'among the commonest', password: 'Qwertyuiop', code: 'invalid_value' },
  { name: 'the e-mail address', password: 'email', code: 'invalid_value' },
])('D15.2 a new password that is $name is refused', async ({ password, code }, { keys }) => {
  const org = await keys.signUp()
  const given = (email: string) => (password === 'email' ? email.toUpperCase() : password)
  const change = { current_password: org.password, new_password: given(org.email) }
  const changing = await keys.post(PASSWORD, change, { caller: callerOf(keys, org) })
  const email = `${randomUUID()}@example.com`
  const signUp = { org_name: 'Acme', name: 'Ada', email, password: given(email) }
  const signingUp = await keys.post('/api/v1/auth/signup', signUp)
  const token = await keys.invite(org, email)
  const joining = await keys.post('/api/v1/auth/accept-invitation', {
    token,
    name: 'Ben',
    password: given(email),
  })
  for (const [response, field] of [
    [changing, 'new_password'],
    [signingUp, 'password'],
    [joining, 'password'],
  ] as const) {
    expect(response.statusCode, field).toBe(400)
    expect(response.json().error.fields).toMatchObject([{ field, code }])
  }
  expect((await logIn(keys, org)).statusCode).toBe(200)
})

test('a password that is older than the rules signs in, and joins another organization', async ({ keys }) => {
  const [org, host] = [await keys.signUp(), await keys.signUp()]
  const weak = await createPasswords((_source, work) => work()).hash('a', 'qwertyuiop')
  await keys.database.db.updateTable('app_user').set(weak).where('id', '=', org.userId).execute()
  const old = { ...org, password: 'qwertyuiop' }
  expect((await logIn(keys, old)).statusCode).toBe(200)
  const token = await keys.invite(host, org.email)
  const joining = await keys.post('/api/v1/auth/accept-invitation', { token, password: 'qwertyuiop' })
  expect(joining.statusCode).toBe(200)
})

test('D15.2 users see their own sessions, and which one is current', async ({ keys }) => {
  const [org, stranger] = [await keys.signUp(), await keys.signUp()]
  const second = await newSession(keys, org)
  const ended = await newSession(keys, org)
  await keys.post('/api/v1/auth/logout', { refresh_token: ended.refresh_token })
  expect(await refresh(keys, org.session)).toBe(200)
  const { data, total_count } = await list(keys, callerOf(keys, org))
  expect(total_count).toBe(2)
  expect(data.map(({ id, current }) => [id, current])).toEqual([
    [sidOf(org.session), true], // used last
    [sidOf(second), false],
  ])
  expect(data[0]).toMatchObject({
    org: { id: org.orgId, name: 'Acme' },
    created_at: expect.stringMatching(/Z$/),
    last_used_at: expect.stringMatching(/Z$/),
    expires_at: expect.stringMatching(/Z$/),
  })
  expect((await list(keys, callerOf(keys, stranger))).data.map(({ id }) => id)).toEqual([
    sidOf(stranger.session),
  ])
})

test('D15.2 a user ends an own session, once, and no session of others', async ({ keys }) => {
  const [org, stranger] = [await keys.signUp(), await keys.signUp()]
  const second = await newSession(keys, org)
  const end = async (caller: Caller, session: Session) =>
    (await keys.send(`${SESSIONS}/${sidOf(session)}`, { method: 'DELETE', caller })).statusCode
  expect(await end(callerOf(keys, stranger), second)).toBe(404)
  expect(await refresh(keys, second)).toBe(200)
  expect(await end(callerOf(keys, org), second)).toBe(204)
  expect(await end(callerOf(keys, org), second)).toBe(404)
  expect(await refresh(keys, org.session)).toBe(200)
  expect((await keys.ask(`/internal/chains/${org.orgId}/${sidOf(second)}`)).json()).toEqual({ ended: true })
  const malformed = await keys.send(`${SESSIONS}/7`, { method: 'DELETE', caller: callerOf(keys, org) })
  expect(malformed.statusCode).toBe(400)
})
