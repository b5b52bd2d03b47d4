import { expect } from 'vitest'
import { test, type Keys } from '../../../test/keys.fixture.ts'

const SIGN_UP = '/api/v1/auth/signup'
const LOG_IN = '/api/v1/auth/login'
const REFRESH = '/api/v1/auth/refresh'
const LOG_OUT = '/api/v1/auth/logout'

const refresh = (keys: Keys, refresh_token: string) => keys.post(REFRESH, { refresh_token })
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())

test('D10 signing up creates an organization with an administrator', async ({ keys }) => {
  const body = { org_name: 'Acme', name: 'Ada', email: 'Ada@Acme.example', password: 'long enough 1' }
  const response = await keys.post(SIGN_UP, body)
  expect(response.statusCode).toBe(201)
  expect(response.headers['cache-control']).toBe('no-store')
  const session = response.json().data
  expect(session).toMatchObject({
    token_type: 'Bearer',
    expires_in: 3600,
    user: { name: 'Ada', email: 'Ada@Acme.example', role: 'admin' },
    org: { name: 'Acme' },
  })
  const claims = claimsOf(session.access_token)
  expect(claims).toMatchObject({
    typ: 'session',
    sub: String(session.user.id),
    org_id: session.org.id,
    role: 'admin',
    iss: 'whereabouts:production',
    aud: 'whereabouts-api:production',
  })
  expect(claims.exp - claims.iat).toBe(3600)
})

test("signing up enqueues the organization's state in the same transaction", async ({ keys }) => {
  const before = keys.changes()
  const { orgId } = await keys.signUp()
  const rows = await keys.database.db
    .selectFrom('outbox')
    .selectAll()
    .where('subject', '=', `keys.org.${orgId}`)
    .execute()
  expect(rows).toMatchObject([
    { keep: 'last', payload: { org_id: orgId, name: 'Acme', subscription_ends_at: null } },
  ])
  expect(keys.changes()).toBe(before + 1)
})

test('a taken e-mail is a conflict in any case, and leaves no organization behind', async ({ keys }) => {
  const { email } = await keys.signUp()
  const body = { org_name: 'Orphan', name: 'Eve', email: email.toUpperCase(), password: 'long enough 1' }
  const response = await keys.post(SIGN_UP, body)
  expect(response.statusCode).toBe(409)
  expect(response.json().error.type).toBe('conflict')
  const orgs = keys.database.db.selectFrom('org').select('id').where('name', '=', 'Orphan')
  expect(await orgs.execute()).toEqual([])
})

test('of two concurrent sign-ups with one e-mail exactly one succeeds', async ({ keys }) => {
  const body = { org_name: 'Twin', name: 'Eve', email: 'twin@example.com', password: 'long enough 1' }
  const responses = await Promise.all([keys.post(SIGN_UP, body), keys.post(SIGN_UP, body)])
  expect(new Set(responses.map((r) => r.statusCode))).toEqual(new Set([201, 409]))
  const orgs = keys.database.db.selectFrom('org').select('id').where('name', '=', 'Twin')
  expect(await orgs.execute()).toHaveLength(1)
})

test('a short password and an unknown field are refused together', async ({ keys }) => {
  const response = await keys.post(SIGN_UP, {
    org_name: 'Acme',
    name: 'Ada',
    email: 'a@b.example',
    password: 'short',
    role: 'admin',
  })
  expect(response.statusCode).toBe(400)
  expect(response.json().error.fields).toMatchObject([
    { field: 'role', code: 'unknown_field' },
    { field: 'password', code: 'too_short' },
  ])
})

test('passwords are stored as argon2id with salt and parameters only', async ({ keys }) => {
  const { userId, password } = await keys.signUp()
  const user = await keys.database.db
    .selectFrom('app_user')
    .selectAll()
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  expect(user).toMatchObject({ password_memory_kib: 19_456, password_passes: 2, password_parallelism: 1 })
  expect(JSON.stringify(user)).not.toContain(password)
})

test('signing in returns a session, in any case of the e-mail', async ({ keys }) => {
  const { email, password, orgId } = await keys.signUp()
  const response = await keys.post(LOG_IN, { email: email.toUpperCase(), password })
  expect(response.statusCode).toBe(200)
  expect(response.json().data).toMatchObject({ org: { id: orgId }, user: { email }, expires_in: 3600 })
})

test('a wrong password and an unknown e-mail get the same 401', async ({ keys }) => {
  const { email } = await keys.signUp()
  const wrong = await keys.post(LOG_IN, { email, password: 'not the password' })
  const unknown = await keys.post(LOG_IN, { email: 'nobody@example.com', password: 'not the password' })
  for (const response of [wrong, unknown]) {
    expect(response.statusCode).toBe(401)
    expect(response.json().error.detail).toBe('Invalid email or password')
    expect(response.headers['www-authenticate']).toBe('Bearer realm="api"')
  }
})

test('refreshing a session rotates its tokens, and the spent one revokes the chain', async ({ keys }) => {
  const { session } = await keys.signUp()
  const first = await refresh(keys, session.refresh_token)
  expect(first.statusCode).toBe(200)
  expect(first.headers['cache-control']).toBe('no-store')
  const next = first.json().data
  expect(next).toMatchObject({ user: session.user, org: session.org })
  expect(next.refresh_token).not.toBe(session.refresh_token)

  const replay = await refresh(keys, session.refresh_token)
  expect(replay.statusCode).toBe(401)
  expect(replay.json().error.detail).toBe('Invalid or expired refresh token')
  expect((await refresh(keys, next.refresh_token)).statusCode).toBe(401)
})

test('a member who was removed cannot refresh', async ({ keys }) => {
  const { session, userId } = await keys.signUp()
  await keys.database.db.deleteFrom('membership').where('user_id', '=', userId).execute()
  expect((await refresh(keys, session.refresh_token)).statusCode).toBe(401)
})

test("a key's refresh token opens no session", async ({ keys }) => {
  const org = await keys.signUp()
  const pair = (await keys.exchange(await keys.createKey(org))).json()
  expect((await refresh(keys, pair.refresh_token)).statusCode).toBe(401)
})

test('signing out ends the session and no other, and may be repeated', async ({ keys }) => {
  const { session, email, password } = await keys.signUp()
  const other = (await keys.post(LOG_IN, { email, password })).json().data
  const { refresh_token } = session
  expect((await keys.post(LOG_OUT, { refresh_token })).statusCode).toBe(204)
  expect((await keys.post(LOG_OUT, { refresh_token })).statusCode).toBe(204)
  expect((await keys.post(LOG_OUT, { refresh_token: 'unknown' })).statusCode).toBe(204)
  expect((await refresh(keys, refresh_token)).statusCode).toBe(401)
  expect((await refresh(keys, other.refresh_token)).statusCode).toBe(200)
})
