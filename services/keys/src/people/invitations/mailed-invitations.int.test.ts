import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { test, type Post } from '../../../test/mail.fixture.ts'
import type { Keys, Org } from '../../../test/keys.fixture.ts'

const NEW = 'a password never used before'
const newAddress = () => `gus-${randomUUID()}@example.com`

/** An organization whose administrator has verified the address. */
async function verifiedOrg(keys: Keys, post: Post): Promise<Org> {
  const org = await keys.signUp()
  const { token } = await post.lastTo(org.email)
  expect((await keys.post('/api/v1/auth/verify', { token })).statusCode).toBe(204)
  return org
}

const invite = (keys: Keys, org: Org, email: string) =>
  keys.post(`/api/v1/orgs/${org.orgId}/invitations`, { email, role: 'member' }, { caller: keys.admin(org) })
const accept = (keys: Keys, token: string, more: { name?: string; password: string }) =>
  keys.post('/api/v1/auth/accept-invitation', { token, ...more })
const me = async (keys: Keys, org: Org, userId: number) =>
  (await keys.send('/api/v1/users/me', { caller: { ...keys.admin(org), userId } })).json().data
const list = async (keys: Keys, org: Org) =>
  (await keys.send(`/api/v1/orgs/${org.orgId}/invitations`, { caller: keys.admin(org) })).json().data

test('an invitation is mailed with a token of its own, which verifies the address of who joins', async ({
  keys,
  post,
}) => {
  const [org, email] = [await verifiedOrg(keys, post), newAddress()]
  const { mail, token: shown } = (await invite(keys, org, email)).json().data
  expect(mail).toBe('sent')
  const { token, text } = await post.lastTo(email)
  expect(text).toContain('Ada invites you to Acme')
  expect(token).not.toBe(shown)
  const { user } = (await accept(keys, token, { name: 'Gus', password: NEW })).json().data
  expect((await me(keys, org, user.id)).email_verified).toBe(true)
})

test('the link of the answer joins, and proves no mailbox', async ({ keys, post }) => {
  const org = await verifiedOrg(keys, post)
  const { token } = (await invite(keys, org, newAddress())).json().data
  const { user } = (await accept(keys, token, { name: 'Gus', password: NEW })).json().data
  expect((await me(keys, org, user.id)).email_verified).toBe(false)
})

test('an administrator whose address nobody has verified sends no mail', async ({ keys, post }) => {
  const [org, email] = [await keys.signUp(), newAddress()]
  expect((await invite(keys, org, email)).json().data.mail).toBe('address not verified')
  await post.send()
  expect(post.caught.filter(({ to }) => to === email)).toEqual([])
})

test('who signed up with a foreign address does not shut out its owner', async ({ keys, post }) => {
  const [org, squatter] = [await verifiedOrg(keys, post), await keys.signUp()]
  const { token: shown } = (await invite(keys, org, squatter.email)).json().data
  // An administrator could otherwise take over the account of anybody.
  expect((await accept(keys, shown, { name: 'Owner', password: NEW })).statusCode).toBe(401)
  const { token } = await post.lastTo(squatter.email)
  const joined = await accept(keys, token, { name: 'Owner', password: NEW })
  expect(joined.statusCode).toBe(200)
  expect(joined.json().data.user).toMatchObject({ id: squatter.userId, name: 'Owner' })
  const { email, password, session } = squatter
  expect((await keys.post('/api/v1/auth/login', { email, password })).statusCode).toBe(401)
  const refreshed = await keys.post('/api/v1/auth/refresh', { refresh_token: session.refresh_token })
  expect(refreshed.statusCode).toBe(401)
})

test('a verified account joins with its own password only', async ({ keys, post }) => {
  const [org, owner] = [await verifiedOrg(keys, post), await verifiedOrg(keys, post)]
  await invite(keys, org, owner.email)
  const { token } = await post.lastTo(owner.email)
  expect((await accept(keys, token, { name: 'X', password: NEW })).statusCode).toBe(401)
  expect((await accept(keys, token, { password: owner.password })).statusCode).toBe(200)
})

test('the list says which mail could not be delivered', async ({ keys, post }) => {
  const [org, email] = [await verifiedOrg(keys, post), newAddress()]
  await invite(keys, org, email)
  expect(await list(keys, org)).toMatchObject([{ email, mail_failed: false }])
  post.answer(550)
  await post.send()
  post.answer(undefined)
  expect(await list(keys, org)).toMatchObject([{ email, mail_failed: true }])
})
