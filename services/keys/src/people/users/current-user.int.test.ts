import { expect } from 'vitest'
import { test, type Keys, type Org } from '../../../test/keys.fixture.ts'

const ME = '/api/v1/users/me'
const SWITCH = '/api/v1/auth/switch'

/** A user with an own organization who is also a member of another one. */
async function guest(keys: Keys): Promise<{ host: Org; own: Org }> {
  const [host, own] = [await keys.signUp(), await keys.signUp()]
  const token = await keys.invite(host, own.email)
  await keys.post('/api/v1/auth/accept-invitation', { token, password: own.password })
  return { host, own }
}

const switchTo = (keys: Keys, from: Org, org_id: unknown, refresh_token = from.session.refresh_token) =>
  keys.post(SWITCH, { org_id, refresh_token }, { caller: keys.admin(from) })

test('D10 users see their organizations, with the role in each', async ({ keys }) => {
  const { host, own } = await guest(keys)
  const response = await keys.send(ME, { caller: keys.admin(own) })
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({
    data: {
      id: own.userId,
      email_verified: false,
      second_factor: false,
      name: 'Ada',
      email: own.email,
      org_id: own.orgId,
      orgs: [
        { id: own.orgId, name: 'Acme', role: 'admin', created_at: own.session.org.created_at },
        { id: host.orgId, name: 'Acme', role: 'member', created_at: host.session.org.created_at },
      ],
    },
  })
})

test('switching ends the session and opens one in the other organization', async ({ keys }) => {
  const { host, own } = await guest(keys)
  const response = await switchTo(keys, own, host.orgId)
  expect(response.statusCode).toBe(200)
  expect(response.headers['cache-control']).toBe('no-store')
  const session = response.json().data
  expect(session).toMatchObject({
    user: { id: own.userId, role: 'member' },
    org: { id: host.orgId },
    expires_in: 3600,
  })
  const refresh = (refresh_token: string) => keys.post('/api/v1/auth/refresh', { refresh_token })
  expect((await refresh(session.refresh_token)).json().data.org.id).toBe(host.orgId)
  expect((await refresh(own.session.refresh_token)).statusCode).toBe(401)
})

test("switching requires the session's own refresh token, unspent and valid", async ({ keys }) => {
  const { host, own } = await guest(keys)
  const spent = own.session.refresh_token
  const next = (await keys.post('/api/v1/auth/refresh', { refresh_token: spent })).json().data.refresh_token
  for (const token of ['made-up', host.session.refresh_token])
    expect((await switchTo(keys, own, host.orgId, token)).statusCode).toBe(401)
  expect((await switchTo(keys, own, host.orgId, spent)).statusCode).toBe(401)
  // The replay has revoked the whole chain; the other user's session is untouched.
  expect((await switchTo(keys, own, host.orgId, next)).statusCode).toBe(401)
  const other = { refresh_token: host.session.refresh_token }
  expect((await keys.post('/api/v1/auth/refresh', other)).statusCode).toBe(200)
})

test('an organization of others is 404, like one that does not exist', async ({ keys }) => {
  const [mine, theirs] = [await keys.signUp(), await keys.signUp()]
  for (const orgId of [theirs.orgId, 1]) {
    const response = await switchTo(keys, mine, orgId)
    expect(response.statusCode).toBe(404)
    expect(response.json().error.detail).toBe('Organization not found')
  }
})

test('a removed member can neither read nor switch with the old session', async ({ keys }) => {
  const { host, own } = await guest(keys)
  const member = `/api/v1/orgs/${host.orgId}/members/${own.userId}`
  await keys.send(member, { method: 'DELETE', caller: keys.admin(host) })
  const stale = { ...own, orgId: host.orgId }
  expect((await switchTo(keys, stale, own.orgId)).statusCode).toBe(401)
  expect((await keys.send(ME, { caller: keys.member(stale) })).statusCode).toBe(401)
  expect((await switchTo(keys, own, host.orgId)).statusCode).toBe(404)
})

test.for([
  { body: { refresh_token: 'x' }, code: 'required' },
  { body: { org_id: 7 }, code: 'required' },
  { body: { org_id: '7', refresh_token: 'x' }, code: 'invalid_value' },
  { body: { org_id: 0, refresh_token: 'x' }, code: 'too_small' },
  { body: { org_id: 7, refresh_token: 'x', role: 'admin' }, code: 'unknown_field' },
])('switching with $body is refused', async ({ body, code }, { keys }) => {
  const response = await keys.post(SWITCH, body, { caller: keys.admin(await keys.signUp()) })
  expect(response.statusCode).toBe(400)
  expect(response.json().error.fields).toMatchObject([{ code }])
})

test('a request without a principal is refused with 401', async ({ keys }) => {
  const { orgId } = await keys.signUp()
  expect((await keys.send(ME)).statusCode).toBe(401)
  expect((await keys.post(SWITCH, { org_id: orgId, refresh_token: 'x' })).statusCode).toBe(401)
})

test('a refresh with an organization switches to it, with the refresh token alone', async ({ keys }) => {
  const { host, own } = await guest(keys)
  const renew = (refresh_token: string, org_id: unknown) =>
    keys.post('/api/v1/auth/refresh', { refresh_token, org_id })
  const there = await renew(own.session.refresh_token, host.orgId)
  expect(there.json().data).toMatchObject({
    user: { id: own.userId, role: 'member' },
    org: { id: host.orgId },
  })
  const { refresh_token: token } = there.json().data
  expect((await renew(own.session.refresh_token, own.orgId)).statusCode).toBe(401)
  const other = await keys.signUp()
  expect((await renew(token, other.orgId)).statusCode).toBe(404)
  expect((await renew(token, null)).statusCode).toBe(400)
  // The refusal spent nothing.
  expect((await renew(token, own.orgId)).json().data.org.id).toBe(own.orgId)
})

test('D15.2 users change their own name, in every organization', async ({ keys }) => {
  const { host, own } = await guest(keys)
  const rename = (name: unknown) =>
    keys.send(ME, { method: 'PATCH', body: { name }, caller: keys.admin(own) })
  const response = await rename('Ada Lovelace')
  expect(response.statusCode).toBe(200)
  expect(response.json().data).toMatchObject({ id: own.userId, name: 'Ada Lovelace', org_id: own.orgId })
  const members = await keys.send(`/api/v1/orgs/${host.orgId}/members`, { caller: keys.admin(host) })
  expect(members.json().data).toMatchObject([{ name: 'Ada' }, { name: 'Ada Lovelace' }])
  for (const name of ['', ' Ada', null])
    expect((await rename(name)).json().error.fields).toMatchObject([{ field: 'name' }])
})

test('a sign-in opens the organization it names, or the first one', async ({ keys }) => {
  const { host, own } = await guest(keys)
  const other = await keys.signUp()
  const logIn = async (org_id?: number) => {
    const body = { email: own.email, password: own.password, ...(org_id !== undefined && { org_id }) }
    return (await keys.post('/api/v1/auth/login', body)).json().data.org.id
  }
  expect([await logIn(), await logIn(host.orgId), await logIn(other.orgId)]).toEqual([
    own.orgId,
    host.orgId,
    own.orgId,
  ])
})
