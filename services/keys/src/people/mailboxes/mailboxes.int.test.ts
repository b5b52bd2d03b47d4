import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import { test } from '../../../test/mail.fixture.ts'
import type { Keys, Org } from '../../../test/keys.fixture.ts'

const NEW = 'a password never used before'
const newAddress = () => `fay-${randomUUID()}@example.com`

const me = async (keys: Keys, org: Org) =>
  (await keys.send('/api/v1/users/me', { caller: keys.admin(org) })).json().data
const logIn = async (keys: Keys, email: string, password: string) =>
  (await keys.post('/api/v1/auth/login', { email, password })).statusCode
const forgot = (keys: Keys, email: string) => keys.post('/api/v1/auth/password/forgot', { email })
const reset = async (keys: Keys, token: string, password = NEW) =>
  (await keys.post('/api/v1/auth/password/reset', { token, password })).statusCode
const verify = async (keys: Keys, token: string) =>
  (await keys.post('/api/v1/auth/verify', { token })).statusCode
const confirm = async (keys: Keys, token: string) =>
  (await keys.post('/api/v1/auth/email/confirm', { token })).statusCode
const changeEmail = (keys: Keys, org: Org, email: string, password = org.password) =>
  keys.post('/api/v1/users/me/email', { email, password }, { caller: keys.admin(org) })
const refresh = async (keys: Keys, { session }: Org) =>
  (await keys.post('/api/v1/auth/refresh', { refresh_token: session.refresh_token })).statusCode

describe('D15.2 a forgotten password', () => {
  test('is replaced with the link of the mail, once, and verifies the address', async ({ keys, post }) => {
    const org = await keys.signUp()
    expect((await forgot(keys, org.email.toUpperCase())).statusCode).toBe(202)
    const { token, subject } = await post.lastTo(org.email)
    expect(subject).toBe('Choose a new password')
    expect(await reset(keys, token, 'short')).toBe(400)
    expect(await reset(keys, token)).toBe(204)
    expect(await reset(keys, token)).toBe(401)
    expect([await logIn(keys, org.email, org.password), await logIn(keys, org.email, NEW)]).toEqual([
      401, 200,
    ])
    expect(await refresh(keys, org)).toBe(401)
    expect((await me(keys, org)).email_verified).toBe(true)
  })

  test('gets the same answer and leaves the same row for an unknown address, which gets no mail', async ({
    keys,
    post,
  }) => {
    const [org, unknown] = [await keys.signUp(), newAddress()]
    await post.send()
    const answers = [await forgot(keys, org.email), await forgot(keys, unknown)]
    expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual([
      [202, ''],
      [202, ''],
    ])
    const waiting = await keys.database.db
      .selectFrom('mail')
      .select(['template', 'recipient', 'attempts'])
      .where('recipient', 'in', [org.email, unknown])
      .execute()
    expect(waiting).toHaveLength(2)
    await post.send()
    expect(post.caught.filter(({ to }) => to === unknown)).toEqual([])
  })

  test('sends at most three mails at once to one address', async ({ keys, post }) => {
    const org = await keys.signUp()
    for (let times = 0; times < 5; times += 1) expect((await forgot(keys, org.email)).statusCode).toBe(202)
    await post.send()
    const links = post.caught.filter(({ to, subject }) => to === org.email && subject.startsWith('Choose'))
    expect(links).toHaveLength(3)
    // Each of them works: who asks for another one ends none.
    expect(await reset(keys, links[0]?.token ?? '')).toBe(204)
  })
})

describe('D15.2 a verification', () => {
  test('is mailed at the sign-up, and again when asked for', async ({ keys, post }) => {
    const org = await keys.signUp()
    expect((await me(keys, org)).email_verified).toBe(false)
    const first = await post.lastTo(org.email)
    const again = await keys.post('/api/v1/users/me/verification', undefined, { caller: keys.admin(org) })
    expect([again.statusCode, again.json()]).toEqual([202, { data: { mail: 'sent' } }])
    const second = await post.lastTo(org.email)
    expect(second.token).not.toBe(first.token)
    expect([await verify(keys, first.token), await verify(keys, second.token)]).toEqual([204, 204])
    expect((await me(keys, org)).email_verified).toBe(true)
    expect(await verify(keys, 'unknown')).toBe(401)
  })

  test('asked for too often is 429', async ({ keys }) => {
    const org = await keys.signUp()
    const ask = async () =>
      (await keys.post('/api/v1/users/me/verification', undefined, { caller: keys.admin(org) })).statusCode
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([202, 202, 202, 429])
  })
})

describe('D15.2 a change of address', () => {
  test('needs the password and the new mailbox, and the old one gets a notice', async ({ keys, post }) => {
    const [org, email] = [await keys.signUp(), newAddress()]
    expect((await changeEmail(keys, org, email, 'wrong')).statusCode).toBe(400)
    const asked = await changeEmail(keys, org, email)
    expect([asked.statusCode, asked.json()]).toEqual([202, { data: { mail: 'sent' } }])
    await forgot(keys, org.email)
    const { token: oldLink } = await post.lastTo(org.email)
    const { token } = await post.lastTo(email)
    expect((await me(keys, org)).email).toBe(org.email)
    expect(await verify(keys, token)).toBe(401)
    expect([await confirm(keys, token), await confirm(keys, token)]).toEqual([204, 401])
    expect(await me(keys, org)).toMatchObject({ email, email_verified: true })
    expect((await post.lastTo(org.email)).text).toContain(email)
    // A link in the mailbox that is not theirs any more.
    expect(await reset(keys, oldLink)).toBe(401)
    expect(await logIn(keys, email, org.password)).toBe(200)
  })

  test('to a taken address gets the same answer, and the link says 409', async ({ keys, post }) => {
    const [org, other] = [await keys.signUp(), await keys.signUp()]
    const asked = await changeEmail(keys, org, other.email)
    expect([asked.statusCode, asked.json()]).toEqual([202, { data: { mail: 'sent' } }])
    expect(await confirm(keys, (await post.lastTo(other.email)).token)).toBe(409)
    expect((await me(keys, org)).email).toBe(org.email)
  })

  test('ends with a new password', async ({ keys, post }) => {
    const [org, email] = [await keys.signUp(), newAddress()]
    await changeEmail(keys, org, email)
    const { token } = await post.lastTo(email)
    await forgot(keys, org.email)
    expect(await reset(keys, (await post.lastTo(org.email)).token)).toBe(204)
    expect(await confirm(keys, token)).toBe(401)
  })
})
