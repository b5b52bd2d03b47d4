import { expect } from 'vitest'
import { test, type Post } from '../../../test/mail.fixture.ts'
import type { Keys, Org } from '../../../test/keys.fixture.ts'
import { switchOn } from '../../../test/second-factor.fixture.ts'

type Body = { token: string; name?: string; password: string; code?: string }

const accept = async (keys: Keys, body: Body) => {
  const answer = await keys.post('/api/v1/auth/accept-invitation', body)
  return { status: answer.statusCode, secondFactor: answer.json().error?.second_factor }
}
const verify = async (keys: Keys, post: Post, { email }: Org) =>
  keys.post('/api/v1/auth/verify', { token: (await post.lastTo(email)).token })

test('D15.2 a registered guest needs a code to accept an invitation', async ({ keys }) => {
  const [org, guest] = [await keys.signUp(), await keys.signUp()]
  const app = await switchOn(keys, guest)
  const body = { token: await keys.invite(org, guest.email), password: guest.password }
  expect(await accept(keys, body)).toEqual({ status: 401, secondFactor: true })
  expect(await accept(keys, { ...body, code: 'wrong' })).toEqual({ status: 401, secondFactor: true })
  expect(await accept(keys, { ...body, password: 'wrong password' })).toEqual({
    status: 401,
    secondFactor: undefined,
  })
  expect(await accept(keys, { ...body, code: app.next() })).toEqual({ status: 200, secondFactor: undefined })
})

test('D15.2 a signed-in guest joins without one, and gets no other session', async ({ keys }) => {
  const [org, guest] = [await keys.signUp(), await keys.signUp()]
  await switchOn(keys, guest)
  const token = await keys.invite(org, guest.email)
  const joined = await keys.post('/api/v1/auth/join', { token }, { caller: keys.admin(guest) })
  expect(joined.statusCode).toBe(200)
  expect(joined.json().data).toMatchObject({ second_factor: true, org_id: guest.orgId })
  expect(joined.json().data).not.toHaveProperty('refresh_token')
})

test('D15.2 a mailbox alone takes over no account with one-time codes', async ({ keys, post }) => {
  const [org, guest] = [await keys.signUp(), await keys.signUp()]
  await verify(keys, post, org)
  const app = await switchOn(keys, guest)
  await keys.invite(org, guest.email)
  const { token } = await post.lastTo(guest.email)
  const body = { token, name: 'Owner', password: 'a password never used before' }
  expect(await accept(keys, body)).toEqual({ status: 401, secondFactor: true })
  const { email, password } = guest
  const still = await keys.post('/api/v1/auth/login', { email, password, code: app.next() })
  expect(still.statusCode).toBe(200)
  expect(await accept(keys, { ...body, code: app.next() })).toEqual({ status: 200, secondFactor: undefined })
})
