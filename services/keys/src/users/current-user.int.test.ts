import { expect } from 'vitest'
import { test, type Keys, type Org } from '../keys.fixture.ts'

const ME = '/api/v1/users/me'
const SWITCH = '/api/v1/auth/switch'

/** A user with an organization of their own who is also a member of another one. */
async function guest(keys: Keys): Promise<{ host: Org; own: Org }> {
  const [host, own] = [await keys.signUp(), await keys.signUp()]
  const token = await keys.invite(host, own.email)
  await keys.post('/api/v1/auth/accept-invitation', { token, password: own.password })
  return { host, own }
}

const switchTo = (keys: Keys, from: Org, org_id: unknown) =>
  keys.post(SWITCH, { org_id }, { caller: keys.admin(from) })

test('D10 a user sees themself and their organizations with the role in each, and no others', async ({
  keys,
}) => {
  const { host, own } = await guest(keys)
  const response = await keys.send(ME, { caller: keys.admin(own) })
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({
    data: {
      id: own.userId,
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

test('switching opens a session of its own in the other organization and leaves the first one be', async ({
  keys,
}) => {
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
  const refresh = async (refresh_token: string) =>
    (await keys.post('/api/v1/auth/refresh', { refresh_token })).json().data.org.id
  expect(await refresh(session.refresh_token)).toBe(host.orgId)
  expect(await refresh(own.session.refresh_token)).toBe(own.orgId)
})

test('an organization one does not belong to is 404, and so is one that does not exist', async ({ keys }) => {
  const [mine, theirs] = [await keys.signUp(), await keys.signUp()]
  for (const orgId of [theirs.orgId, 1]) {
    const response = await switchTo(keys, mine, orgId)
    expect(response.statusCode).toBe(404)
    expect(response.json().error.detail).toBe('Organization not found')
  }
})

test('who was removed a moment ago can neither look nor switch with the session they had', async ({
  keys,
}) => {
  const { host, own } = await guest(keys)
  const member = `/api/v1/orgs/${host.orgId}/members/${own.userId}`
  await keys.send(member, { method: 'DELETE', caller: keys.admin(host) })
  const stale = { ...own, orgId: host.orgId }
  expect((await switchTo(keys, stale, own.orgId)).statusCode).toBe(401)
  expect((await keys.send(ME, { caller: keys.member(stale) })).statusCode).toBe(401)
  expect((await switchTo(keys, own, host.orgId)).statusCode).toBe(404)
})

test.for([
  { body: {}, code: 'required' },
  { body: { org_id: '7' }, code: 'invalid_value' },
  { body: { org_id: 0 }, code: 'too_small' },
  { body: { org_id: 7, role: 'admin' }, code: 'unknown_field' },
])('switching with $body is refused', async ({ body, code }, { keys }) => {
  const response = await keys.post(SWITCH, body, { caller: keys.admin(await keys.signUp()) })
  expect(response.statusCode).toBe(400)
  expect(response.json().error.fields).toMatchObject([{ code }])
})

test('nobody is refused with 401', async ({ keys }) => {
  const { orgId } = await keys.signUp()
  expect((await keys.send(ME)).statusCode).toBe(401)
  expect((await keys.post(SWITCH, { org_id: orgId })).statusCode).toBe(401)
})
