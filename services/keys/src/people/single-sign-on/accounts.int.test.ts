import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import type { Keys, Org } from '../../../test/keys.fixture.ts'
import { PUBLIC_URL, signOnAs, start, test, type TestProvider } from '../../../test/provider.fixture.ts'
import { markVerified } from '../users/own-sessions.queries.ts'

type Given = { keys: Keys; provider: TestProvider }

/** A group with the role in an organization. */
function groupOf(provider: TestProvider, { orgId }: Pick<Org, 'orgId'>, role: 'admin' | 'member' | 'viewer') {
  const group = `group-${randomUUID()}`
  provider.roles.push({ group, orgId, role })
  return group
}

const newEmail = () => `eve-${randomUUID()}@example.com`

/** The session of a person who signs on. */
async function sessionOf(given: Given, subject: string) {
  const { sign_on: code } = await signOnAs(given, subject)
  expect(code).toBeDefined()
  const response = await given.keys.post('/api/v1/auth/oidc/session', { code })
  expect(response.statusCode, response.body).toBe(200)
  return response.json().data
}

const problemOf = async (given: Given, subject: string) => (await signOnAs(given, subject)).sign_on_problem

const userOf = async (keys: Keys, email: string) =>
  keys.database.db.selectFrom('app_user').selectAll().where('email', '=', email).executeTakeFirst()

const verify = (keys: Keys, { userId }: Org) =>
  keys.database.db.transaction().execute((tx) => markVerified(tx, userId))

/** What was recorded in the organization about the user, without sign-ups. */
async function auditOf(keys: Keys, { orgId }: Org, userId: number) {
  const { rows } = await sql<{
    entry: { action: string; actor: { id: number }; ip: string | null; changes: object }
  }>`
    select payload as entry from outbox where subject = ${`audit.${orgId}`} order by id`.execute(
    keys.database.db,
  )
  return rows.map(({ entry }) => entry).filter(({ actor }) => actor.id === userId)
}

describe('D15.5 somebody new', () => {
  test('with a mapped group gets an account without a password, its role and a verified address', async ({
    keys,
    provider,
  }) => {
    const given = { keys, provider }
    const org = await keys.signUp()
    const [email, groups] = [
      newEmail(),
      ['else', groupOf(provider, org, 'viewer'), groupOf(provider, org, 'member')],
    ]
    const session = await sessionOf(
      given,
      provider.person({ email, email_verified: true, name: 'Eve', groups }),
    )
    expect(session).toMatchObject({ user: { name: 'Eve', email, role: 'member' }, org: { id: org.orgId } })
    const user = await userOf(keys, email)
    expect(user?.email_verified_at).not.toBeNull()
    const password = await keys.post('/api/v1/auth/login', { email, password: '' })
    expect(password.statusCode).toBe(400)
    const entries = await auditOf(keys, org, session.user.id)
    expect(entries.map(({ action, changes }) => ({ action, changes }))).toEqual([
      { action: 'member.create', changes: { role: { from: null, to: 'member' } } },
      { action: 'user.update', changes: { email_verified: { from: false, to: true } } },
      { action: 'session.create', changes: { way: { from: null, to: 'single_sign_on' } } },
    ])
    expect(entries.every(({ ip }) => ip !== null)).toBe(true)
  })

  test.for([
    { name: 'false', claims: { email_verified: false } },
    { name: 'missing', claims: {} },
    { name: 'a text', claims: { email_verified: 'true' } },
  ])('has no verified address if email_verified is $name', async ({ claims }, { keys, provider }) => {
    const [org, email] = [await keys.signUp(), newEmail()]
    const groups = [groupOf(provider, org, 'viewer')]
    await sessionOf({ keys, provider }, provider.person({ email, ...claims, groups }))
    expect((await userOf(keys, email))?.email_verified_at).toBeNull()
  })

  test.for([
    { name: 'no groups claim', claims: {} },
    { name: 'a group that is not mapped', claims: { groups: ['strangers'] } },
  ])('with $name is refused, without an account', async ({ claims }, { keys, provider }) => {
    const email = newEmail()
    const subject = provider.person({ email, email_verified: true, ...claims })
    expect(await problemOf({ keys, provider }, subject)).toBe('no_access')
    expect(await userOf(keys, email)).toBeUndefined()
  })

  test('without a group gets 403, and the browser is led to the sign-in screen', async ({
    keys,
    provider,
  }) => {
    const { cookie, address } = await start(keys.send)
    const back = await provider.signIn(address, provider.person({ email: newEmail() }))
    const response = await keys.send(`${back.pathname}${back.search}`, { headers: { cookie } })
    expect(response.json().error).toMatchObject({ status: 403, type: 'forbidden' })
    expect(response.headers['refresh']).toBe(`0; url=${PUBLIC_URL}/sign-in#sign_on_problem=no_access`)
    expect(response.headers['location']).toBeUndefined()
  })

  test('whose only group is of an organization that is not there is refused', async ({ keys, provider }) => {
    const given = { keys, provider }
    const groups = [groupOf(given.provider, { orgId: 999_999_999 }, 'admin')]
    expect(await problemOf(given, given.provider.person({ email: newEmail(), groups }))).toBe('no_access')
  })

  test('without an address is refused', async ({ keys, provider }) => {
    const given = { keys, provider }
    const org = await given.keys.signUp()
    const groups = groupOf(given.provider, org, 'viewer')
    expect(await problemOf(given, given.provider.person({ groups }))).toBe('no_address')
  })

  test('may have a single group as a text', async ({ keys, provider }) => {
    const given = { keys, provider }
    const org = await given.keys.signUp()
    const groups = groupOf(given.provider, org, 'viewer')
    const session = await sessionOf(given, given.provider.person({ email: newEmail(), groups }))
    expect(session.user.role).toBe('viewer')
  })
})

describe('D15.5 an account that exists', () => {
  test('is linked by an address that both sides have verified, and keeps a role that is not mapped', async ({
    keys,
    provider,
  }) => {
    const given = { keys, provider }
    const org = await keys.signUp()
    await verify(keys, org)
    const subject = provider.person({ email: org.email.toUpperCase(), email_verified: true })
    const session = await sessionOf(given, subject)
    expect(session.user).toMatchObject({ id: org.userId, role: 'admin' })
    expect((await auditOf(keys, org, org.userId)).map(({ action }) => action)).toContain('user.update')
  })

  test('stays linked when the address at the provider changes', async ({ keys, provider }) => {
    const given = { keys, provider }
    const org = await keys.signUp()
    await verify(keys, org)
    const subject = provider.person({ email: org.email, email_verified: true })
    await sessionOf(given, subject)
    provider.person({ email: newEmail(), email_verified: false }, subject)
    expect((await sessionOf(given, subject)).user).toMatchObject({ id: org.userId, email: org.email })
  })

  test('is not linked if its address is not verified here', async ({ keys, provider }) => {
    const given = { keys, provider }
    const org = await keys.signUp()
    const groups = [groupOf(provider, org, 'viewer')]
    const subject = provider.person({ email: org.email, email_verified: true, groups })
    expect(await problemOf(given, subject)).toBe('address_taken')
    expect(
      await keys.database.db
        .selectFrom('linked_subject')
        .where('subject', '=', subject)
        .select('user_id')
        .execute(),
    ).toEqual([])
  })

  test.for([{ email_verified: false }, {}, { email_verified: 'true' }])(
    'is not linked if the provider says %o',
    async (claims, { keys, provider }) => {
      const org = await keys.signUp()
      await verify(keys, org)
      expect(await problemOf({ keys, provider }, provider.person({ email: org.email, ...claims }))).toBe(
        'address_unverified',
      )
    },
  )

  test('is not linked to the next owner of its address', async ({ keys, provider }) => {
    const given = { keys, provider }
    const org = await keys.signUp()
    await verify(keys, org)
    const claims = { email: org.email, email_verified: true }
    await sessionOf(given, provider.person(claims))
    expect(await problemOf(given, provider.person(claims))).toBe('address_taken')
  })

  test('gets the mapped role at each sign-on, and its earlier sessions end', async ({ keys, provider }) => {
    const given = { keys, provider }
    const org = await keys.signUp()
    const [viewer, admin] = [groupOf(provider, org, 'viewer'), groupOf(provider, org, 'admin')]
    const email = newEmail()
    const subject = provider.person({ email, groups: [viewer] })
    const { user } = await sessionOf(given, subject)
    provider.person({ email, groups: [admin] }, subject)
    expect((await sessionOf(given, subject)).user).toMatchObject({ id: user.id, role: 'admin' })
    provider.person({ email, groups: [viewer] }, subject)
    expect((await sessionOf(given, subject)).user.role).toBe('viewer')
    const changes = (await auditOf(keys, org, user.id)).filter(({ action }) => action === 'member.update')
    expect(changes.map((entry) => entry.changes)).toEqual([
      { role: { from: 'viewer', to: 'admin' } },
      { role: { from: 'admin', to: 'viewer' } },
    ])
    const { rows } = await sql<{ states: number }>`
      select count(*)::int8 as states from outbox where subject = ${`keys.member.${org.orgId}.${user.id}`}`.execute(
      keys.database.db,
    )
    expect(rows[0]?.states).toBe(3)
  })

  test('stays the last administrator', async ({ keys, provider }) => {
    const given = { keys, provider }
    const org = await keys.signUp()
    await verify(keys, org)
    const groups = [groupOf(provider, org, 'viewer')]
    const subject = provider.person({ email: org.email, email_verified: true, groups })
    expect((await sessionOf(given, subject)).user.role).toBe('admin')
  })

  test('that belongs to no organization any more is refused, also with a code from before', async ({
    keys,
    provider,
  }) => {
    const given = { keys, provider }
    const org = await keys.signUp()
    const email = newEmail()
    const subject = provider.person({ email, groups: [groupOf(provider, org, 'viewer')] })
    const { user } = await sessionOf(given, subject)
    provider.person({ email }, subject)
    const { sign_on: code } = await signOnAs(given, subject)
    const path = `/api/v1/orgs/${org.orgId}/members/${user.id}`
    expect((await keys.send(path, { method: 'DELETE', caller: keys.admin(org) })).statusCode).toBe(204)
    expect((await keys.post('/api/v1/auth/oidc/session', { code })).statusCode).toBe(403)
    expect(await problemOf(given, subject)).toBe('no_access')
  })

  test('is made once by two sign-ons at the same moment', async ({ keys, provider }) => {
    const given = { keys, provider }
    const org = await keys.signUp()
    const subject = provider.person({ email: newEmail(), groups: [groupOf(provider, org, 'viewer')] })
    for (let times = 0; times < 3; times += 1) {
      const sessions = await Promise.all([sessionOf(given, subject), sessionOf(given, subject)])
      expect(new Set(sessions.map(({ user }) => user.id)).size).toBe(1)
    }
  })
})
