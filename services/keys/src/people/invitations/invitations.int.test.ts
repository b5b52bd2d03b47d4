import { randomUUID } from 'node:crypto'
import { takeToken } from '@whereabouts/db/buckets/token-bucket'
import { expect } from 'vitest'
import { ACCOUNT_RATE, accountBucket } from '../../attempts/attempts.ts'
import { test, type Keys, type Org } from '../../../test/keys.fixture.ts'
import { purgeExpiredInvitations } from './invitations.queries.ts'

const path = (orgId: number, id?: number | string) =>
  `/api/v1/orgs/${orgId}/invitations${id === undefined ? '' : `/${id}`}`
const ACCEPT = '/api/v1/auth/accept-invitation'
const PASSWORD = 'long enough 1'

const create = (keys: Keys, org: Org, body: unknown) =>
  keys.post(path(org.orgId), body, { caller: keys.admin(org) })
const list = (keys: Keys, org: Org, query = '') =>
  keys.send(`${path(org.orgId)}${query}`, { caller: keys.admin(org) })
const revoke = (keys: Keys, org: Org, id: number | string) =>
  keys.send(path(org.orgId, id), { method: 'DELETE', caller: keys.admin(org) })

let guests = 0
/** From a new address by default, with its own attempts. */
const accept = (keys: Keys, body: unknown, address = `198.18.0.${(guests += 1)}`) =>
  keys.post(ACCEPT, body, { address })
const guest = (token: string) => ({ token, name: 'Ben', password: PASSWORD })
const newEmail = () => `ben-${randomUUID()}@example.com`

async function emails(keys: Keys, org: Org, query = ''): Promise<string[]> {
  return (await list(keys, org, query)).json<{ data: { email: string }[] }>().data.map(({ email }) => email)
}

const expire = (keys: Keys, email: string) =>
  keys.database.pool.query(
    `update invitation set expires_at = clock_timestamp() - interval '1 second' where email = $1`,
    [email],
  )

test('an invitation shows its token once and is valid for seven days', async ({ keys }) => {
  const org = await keys.signUp()
  const email = newEmail()
  const response = await create(keys, org, { email, role: 'admin' })
  expect(response.statusCode).toBe(201)
  expect(response.headers['cache-control']).toBe('no-store')
  const { data } = response.json()
  const { token, mail, ...shown } = data
  expect(mail).toBe('not configured')
  expect(token).toMatch(/^[\w-]{43}$/)
  expect(shown).toEqual({
    id: expect.any(Number),
    email,
    role: 'admin',
    created_at: expect.stringMatching(/Z$/),
    created_by: org.userId,
    created_by_name: 'Ada',
    expires_at: expect.stringMatching(/Z$/),
    mail_failed: false,
  })
  const days = (Date.parse(data.expires_at) - Date.parse(data.created_at)) / 86_400_000
  expect(days).toBeCloseTo(7, 3)
  const { rows } = await keys.database.pool.query('select i::text as row from invitation i')
  expect(JSON.stringify(rows)).not.toContain(token)
  expect((await list(keys, org)).json().data).toEqual([shown])
})

test('a new user joins with a name and a password, and is signed in', async ({ keys }) => {
  const org = await keys.signUp()
  const email = newEmail()
  const changes = keys.changes()
  const response = await accept(keys, guest(await keys.invite(org, email)))
  expect(response.statusCode).toBe(200)
  expect(response.headers['cache-control']).toBe('no-store')
  expect(response.json().data).toMatchObject({
    token_type: 'Bearer',
    user: { name: 'Ben', email, role: 'member' },
    org: { id: org.orgId, name: 'Acme' },
  })
  expect(keys.changes()).toBe(changes + 1)
  expect(await emails(keys, org)).toEqual([])
  const login = await keys.post('/api/v1/auth/login', { email, password: PASSWORD })
  expect(login.json().data.org.id).toBe(org.orgId)
})

test('an existing user joins with their password, and stays unchanged', async ({ keys }) => {
  const [org, ben] = [await keys.signUp(), await keys.signUp()]
  const token = await keys.invite(org, ben.email.toUpperCase(), 'admin')
  const response = await accept(keys, { token, name: 'Somebody else', password: ben.password })
  expect(response.statusCode).toBe(200)
  expect(response.json().data).toMatchObject({
    user: { id: ben.userId, name: 'Ada', email: ben.email, role: 'admin' },
    org: { id: org.orgId },
  })
})

test('the token alone does not sign in an existing user', async ({ keys }) => {
  const [org, ben] = [await keys.signUp(), await keys.signUp()]
  const token = await keys.invite(org, ben.email)
  const bare = await accept(keys, { token })
  expect(bare.statusCode).toBe(400)
  expect(bare.json().error.fields).toMatchObject([{ field: 'password', code: 'required' }])
  const wrong = await accept(keys, guest(token))
  expect(wrong.statusCode).toBe(401)
  expect(wrong.json().error.detail).toBe('Invalid email or password')
  expect((await accept(keys, { token, password: ben.password })).statusCode).toBe(200)
})

test('D15.2 no refusal tells whether the invited address is registered', async ({ keys }) => {
  const [org, ben] = [await keys.signUp(), await keys.signUp()]
  const tokens = [await keys.invite(org, newEmail()), await keys.invite(org, ben.email)]
  const refusals = [
    { body: {}, status: 400 },
    { body: { name: 'Ben' }, status: 400 },
    { body: { password: 'short' }, status: 400 },
    { body: { password: PASSWORD }, status: 401 },
    { body: { password: 'password123' }, status: 401 },
    { body: { name: 'Ben', password: 'password123' }, status: 400 },
  ]
  for (const { body, status } of refusals) {
    const replies = await Promise.all(tokens.map((token) => accept(keys, { token, ...body })))
    expect(replies.map(({ statusCode }) => statusCode)).toEqual([status, status])
    const [free, registered] = replies.map((reply) => {
      const { request_id: _, ...error } = reply.json().error
      return error
    })
    expect(free).toEqual(registered)
  }
})

test('guesses for a free address are counted like those for an account', async ({ keys }) => {
  const [org, email] = [await keys.signUp(), newEmail()]
  const token = await keys.invite(org, email)
  for (let i = 0; i < 10; i += 1)
    expect((await accept(keys, { token, password: `wrong guess ${i}` })).statusCode).toBe(401)
  const take = await takeToken(keys.database.pool, accountBucket(email), ACCOUNT_RATE)
  expect(take.taken).toBe(false)
})

test('a new user gets an unknown field and a short password in one error', async ({ keys }) => {
  const org = await keys.signUp()
  const token = await keys.invite(org, newEmail())
  const short = await accept(keys, { token, name: 'Ben', password: 'short', role: 'admin' })
  expect(short.json().error.fields).toMatchObject([
    { field: 'role', code: 'unknown_field' },
    { field: 'password', code: 'too_short' },
  ])
  expect((await accept(keys, guest(token))).statusCode).toBe(200)
})

test('an invitation is valid once, also for two concurrent uses', async ({ keys }) => {
  const org = await keys.signUp()
  for (let round = 0; round < 3; round += 1) {
    const token = await keys.invite(org, newEmail())
    const uses = await Promise.all([accept(keys, guest(token)), accept(keys, guest(token))])
    expect(new Set(uses.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 401]))
    const replay = await accept(keys, guest(token))
    expect(replay.statusCode).toBe(401)
    expect(replay.json().error).toMatchObject({
      type: 'unauthorized',
      detail: 'Invalid or expired invitation',
    })
  }
})

test('an expired invitation cannot be listed, accepted or withdrawn, and is purged', async ({ keys }) => {
  const org = await keys.signUp()
  const [old, kept] = [newEmail(), newEmail()]
  const { id, token } = (await create(keys, org, { email: old, role: 'member' })).json().data
  await keys.invite(org, kept)
  await expire(keys, old)
  expect((await list(keys, org)).json()).toMatchObject({ data: [{ email: kept }], total_count: 1 })
  expect((await accept(keys, guest(token))).statusCode).toBe(401)
  expect((await revoke(keys, org, id)).statusCode).toBe(404)
  expect(await purgeExpiredInvitations(keys.database.db, 100)).toBe(1)
  expect(await purgeExpiredInvitations(keys.database.db, 100)).toBe(0)
  expect(await emails(keys, org)).toEqual([kept])
})

test('a second invitation of an address replaces the first, in any letter case', async ({ keys }) => {
  const org = await keys.signUp()
  const email = newEmail()
  const first = await keys.invite(org, email)
  const second = await keys.invite(org, email.toUpperCase(), 'admin')
  expect((await list(keys, org)).json()).toMatchObject({ data: [{ role: 'admin' }], total_count: 1 })
  expect((await accept(keys, guest(first))).statusCode).toBe(401)
  expect((await accept(keys, guest(second))).json().data.user.role).toBe('admin')
})

test('of two concurrent invitations of one address one is valid', async ({ keys }) => {
  const org = await keys.signUp()
  const body = { email: newEmail(), role: 'member' }
  const made = await Promise.all([create(keys, org, body), create(keys, org, body)])
  expect(made.map(({ statusCode }) => statusCode)).toEqual([201, 201])
  expect((await list(keys, org)).json().total_count).toBe(1)
})

test('two organizations may invite one address, and each invitation leads to its own', async ({ keys }) => {
  const [a, b] = [await keys.signUp(), await keys.signUp()]
  const email = newEmail()
  const [toA, toB] = [await keys.invite(a, email), await keys.invite(b, email)]
  expect((await accept(keys, guest(toB))).json().data.org.id).toBe(b.orgId)
  expect((await accept(keys, { token: toA, password: PASSWORD })).json().data.org.id).toBe(a.orgId)
})

test('a member cannot be invited, or accept an earlier invitation', async ({ keys }) => {
  const org = await keys.signUp()
  const response = await create(keys, org, { email: org.email.toUpperCase(), role: 'member' })
  expect(response.statusCode).toBe(409)
  expect(response.json().error.detail).toBe('The user is already a member of the organization')
  const email = newEmail()
  const token = await keys.invite(org, email)
  const ben = await keys.signUp()
  await keys.database.pool.query('update invitation set email = $1 where email = $2', [ben.email, email])
  await keys.database.pool.query(`insert into membership (org_id, user_id, role) values ($1, $2, 'admin')`, [
    org.orgId,
    ben.userId,
  ])
  expect((await accept(keys, { token, password: ben.password })).statusCode).toBe(409)
})

test('a withdrawn invitation is invalid: 204, then 404', async ({ keys }) => {
  const org = await keys.signUp()
  const { id, token } = (await create(keys, org, { email: newEmail(), role: 'member' })).json().data
  expect((await revoke(keys, org, id)).statusCode).toBe(204)
  const again = await revoke(keys, org, id)
  expect(again.statusCode).toBe(404)
  expect(again.json().error.detail).toBe('Invitation not found')
  expect((await accept(keys, guest(token))).statusCode).toBe(401)
})

test.for(['DELETE', 'PATCH'] as const)(
  'an administrator who loses the role by %s leaves no invitations behind',
  async (method, { keys }) => {
    const org = await keys.signUp()
    const eve = await keys.join(org, 'admin')
    const token = await keys.invite(eve, newEmail(), 'admin')
    const kept = newEmail()
    await keys.invite(org, kept)
    const body = method === 'PATCH' ? { role: 'member' } : undefined
    const member = `/api/v1/orgs/${org.orgId}/members/${eve.userId}`
    const response = await keys.send(member, { method, caller: keys.admin(org), body })
    expect(response.statusCode).toBeLessThan(300)
    expect((await accept(keys, guest(token))).statusCode).toBe(401)
    expect(await emails(keys, org)).toEqual([kept])
  },
)

test('the list is newest first, pages, and never shows a token', async ({ keys }) => {
  const org = await keys.signUp()
  const invited = [newEmail(), newEmail(), newEmail()] as const
  for (const email of invited) await keys.invite(org, email)
  expect(await emails(keys, org)).toEqual(invited.toReversed())
  expect(await emails(keys, org, '?limit=1&offset=1')).toEqual([invited[1]])
  expect((await list(keys, org, '?offset=9')).json()).toMatchObject({ data: [], total_count: 3 })
  expect((await list(keys, org)).body).not.toContain('token')
})

test('an invitation allows no more password guesses than signing in', async ({ keys }) => {
  const [org, ben] = [await keys.signUp(), await keys.signUp()]
  const token = await keys.invite(org, ben.email)
  for (let i = 0; i < 10; i += 1)
    expect((await accept(keys, { token, password: `wrong guess ${i}` })).statusCode).toBe(401)
  const take = await takeToken(keys.database.pool, accountBucket(ben.email), ACCOUNT_RATE)
  expect(take.taken).toBe(false)
  expect((await accept(keys, { token, password: ben.password })).statusCode).toBe(200)
})

test.for([
  { body: { role: 'member' }, field: 'email', code: 'required' },
  { body: { email: 'ben@example.com' }, field: 'role', code: 'required' },
  { body: { email: 'ben', role: 'member' }, field: 'email', code: 'invalid_value' },
  { body: { email: `${'b'.repeat(250)}@e.example`, role: 'member' }, field: 'email', code: 'too_long' },
  { body: { email: 'ben@example.com', role: 'owner' }, field: 'role', code: 'invalid_value' },
  { body: { email: 'ben@example.com', role: 'member', org: 1 }, field: 'org', code: 'unknown_field' },
])('an invitation with a bad $field ($code) is refused', async ({ body, field, code }, { keys }) => {
  const response = await create(keys, await keys.signUp(), body)
  expect(response.statusCode).toBe(400)
  expect(response.json().error.fields).toMatchObject([{ field, code }])
})

test("another organization's id in the path is 403, its invitation 404", async ({ keys }) => {
  const [mine, theirs] = [await keys.signUp(), await keys.signUp()]
  const { id, token } = (await create(keys, theirs, { email: newEmail(), role: 'member' })).json().data
  const caller = keys.admin(mine)
  for (const response of [
    await keys.send(path(theirs.orgId), { caller }),
    await keys.post(path(theirs.orgId), { email: 5 }, { caller }),
    await keys.send(path(theirs.orgId, id), { method: 'DELETE', caller }),
  ])
    expect(response.statusCode).toBe(403)
  expect((await revoke(keys, mine, id)).statusCode).toBe(404)
  expect((await revoke(keys, mine, 'abc')).statusCode).toBe(400)
  expect((await accept(keys, guest(token))).statusCode).toBe(200)
})

test('every operation on invitations needs a principal', async ({ keys }) => {
  const { orgId } = await keys.signUp()
  expect((await keys.send(path(orgId))).statusCode).toBe(401)
  expect((await keys.post(path(orgId), {})).statusCode).toBe(401)
  expect((await keys.send(path(orgId, 1), { method: 'DELETE' })).statusCode).toBe(401)
})
