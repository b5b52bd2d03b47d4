import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { test, type Keys, type Org } from '../../../test/keys.fixture.ts'

const newEmail = () => `ben-${randomUUID()}@example.com`
const describeIt = (keys: Keys, token: string) => keys.post('/api/v1/auth/describe-invitation', { token })
const accept = (keys: Keys, body: unknown) => keys.post('/api/v1/auth/accept-invitation', body)
const join = (keys: Keys, who: Org, token: string) =>
  keys.post('/api/v1/auth/join', { token }, { caller: keys.admin(who) })

test('D15.2 an invitation says who invites whom and where to, and not whether the address has an account', async ({
  keys,
}) => {
  const [org, ben] = [await keys.signUp(), await keys.signUp()]
  const email = newEmail()
  const ofNobody = await describeIt(keys, await keys.invite(org, email, 'admin'))
  expect(ofNobody.statusCode).toBe(200)
  expect(ofNobody.json().data).toEqual({
    org: { id: org.orgId, name: 'Acme' },
    email,
    role: 'admin',
    invited_by: 'Ada',
    expires_at: expect.stringMatching(/Z$/),
  })
  const ofBen = await describeIt(keys, await keys.invite(org, ben.email.toUpperCase()))
  expect(ofBen.json().data).toEqual({
    ...ofNobody.json().data,
    email: ben.email.toUpperCase(),
    role: 'member',
    expires_at: expect.stringMatching(/Z$/),
  })
})

test('an invitation that was used, withdrawn or never made is 404, in one sentence', async ({ keys }) => {
  const org = await keys.signUp()
  const used = await keys.invite(org, newEmail())
  expect((await accept(keys, { token: used, name: 'Ben', password: 'long enough 1' })).statusCode).toBe(200)
  const email = newEmail()
  const [replaced, expired] = [await keys.invite(org, email), await keys.invite(org, email)]
  await keys.database.pool.query(`update invitation set expires_at = clock_timestamp() where email = $1`, [
    email,
  ])
  for (const token of [used, replaced, expired, 'made-up'])
    expect((await describeIt(keys, token)).json().error).toMatchObject({
      status: 404,
      detail: 'The invitation was used, has expired or was withdrawn. Ask for a new one.',
    })
})

test('descriptions count as attempts of the address', async ({ keys }) => {
  const sent = { address: '2001:db8:3::1' }
  const attempt = () => keys.post('/api/v1/auth/describe-invitation', { token: 'made-up' }, sent)
  const replies = await Promise.all(Array.from({ length: 45 }, attempt))
  expect(new Set(replies.map(({ statusCode }) => statusCode))).toEqual(new Set([404, 429]))
})

test('a signed-in person joins without a password, once, and stays where they are', async ({ keys }) => {
  const [org, ben] = [await keys.signUp(), await keys.signUp()]
  const token = await keys.invite(org, ben.email)
  const joined = await join(keys, ben, token)
  expect(joined.statusCode).toBe(200)
  expect(joined.json().data).toMatchObject({
    org_id: ben.orgId,
    orgs: [
      { id: ben.orgId, role: 'admin' },
      { id: org.orgId, role: 'member' },
    ],
  })
  expect((await join(keys, ben, token)).statusCode).toBe(404)
})

test('nobody joins with the invitation of somebody else, or without a session', async ({ keys }) => {
  const [org, ben, eve] = [await keys.signUp(), await keys.signUp(), await keys.signUp()]
  const token = await keys.invite(org, ben.email)
  expect((await join(keys, eve, token)).json().error).toMatchObject({
    status: 409,
    detail: 'The invitation is for another e-mail address',
  })
  expect((await keys.post('/api/v1/auth/join', { token })).statusCode).toBe(401)
  expect((await join(keys, ben, token)).statusCode).toBe(200)
})

test('of two acceptances at the same moment, by session and by password, one joins', async ({ keys }) => {
  const [org, ben] = [await keys.signUp(), await keys.signUp()]
  const token = await keys.invite(org, ben.email)
  const both = await Promise.all([join(keys, ben, token), accept(keys, { token, password: ben.password })])
  const statuses = both.map(({ statusCode }) => statusCode)
  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(statuses.filter((status) => status >= 500)).toEqual([])
})
