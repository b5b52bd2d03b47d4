import { randomBytes, randomUUID } from 'node:crypto'
import type { AuditEntry } from '@whereabouts/contracts/messages/audit'
import { KeyState } from '@whereabouts/contracts/messages/keys-state'
import { describe, expect } from 'vitest'
import { ELSEWHERE, test, type Keys, type Org } from '../../test/keys.fixture.ts'
import { switchOn } from '../../test/second-factor.fixture.ts'
import { createSigningKeys } from '../credentials/tokens/signing-keys.ts'
import { findLinkedUser, linkSubject } from '../people/single-sign-on/sign-on.queries.ts'
import { markVerified } from '../people/users/own-sessions.queries.ts'
import type { ReloadedServer } from '@whereabouts/messaging/connect/ask-servers'
import type { Request } from './arguments/request.ts'
import { perform } from './perform.ts'

type Output = {
  org: { id: number }
  invitation: { link: string } | null
  changed: boolean
  total_count: number
  data: { state?: string; ready_at?: string }[]
}

/** The JSON output of the command. No service runs during these tests, so nothing is published. */
async function run(keys: Keys, request: Request, secret = keys.secret): Promise<Output> {
  const printed: string[] = []
  await perform(request, {
    db: keys.database.db,
    signingKeySecret: () => secret,
    readPassword: async () => 'correct horse',
    publishTimeoutMs: 100,
    usageElsewhere: async () => ELSEWHERE,
    reloadBrokers: async () => reloaded,
    publicUrl: 'https://whereabouts.example/',
    issuer: undefined,
    print: (text) => printed.push(text),
  })
  expect(printed).toHaveLength(1)
  return JSON.parse(printed[0] ?? '')
}

/** What the brokers answer to a reload. */
let reloaded: ReloadedServer[] = []

const create = (adminEmail: string): Request => ({
  command: 'org create',
  name: 'Acme',
  adminEmail,
  adminName: 'Ada',
  passwordStdin: true,
  json: true,
})
const rotate: Request = { command: 'signing-keys rotate', json: true }
const list: Request = { command: 'signing-keys list', json: true }

const states = (keys: Keys, subject: string) =>
  keys.database.db.selectFrom('outbox').selectAll().where('subject', '=', subject).orderBy('id').execute()

async function freshSigningKeys(keys: Keys, ageMinutes: number): Promise<void> {
  await keys.database.db.deleteFrom('signing_key').execute()
  await createSigningKeys({ db: keys.database.db, secret: keys.secret, now: Date.now }).active()
  await keys.database.pool.query(
    'update signing_key set created_at = created_at - make_interval(mins => $1)',
    [ageMinutes],
  )
}

test('a change that is not published is kept, and the command reports it', async ({ keys }) => {
  const made = await run(keys, create(`${randomUUID()}@example.com`))
  expect(made).toMatchObject({ org: { name: 'Acme' }, published: false })
  expect(await states(keys, `keys.org.${made.org.id}`)).toHaveLength(1)
})

test('of two concurrent creations with one address one leaves nothing behind', async ({ keys }) => {
  const email = `${randomUUID()}@example.com`
  const results = await Promise.allSettled([run(keys, create(email)), run(keys, create(email))])
  const failed = results.filter((result) => result.status === 'rejected')
  expect(failed).toHaveLength(1)
  expect(failed[0]?.reason).toMatchObject({ type: 'conflict', details: { memberships: [{ role: 'admin' }] } })
  const found = await run(keys, { command: 'org list', q: email, limit: 10, offset: 0, json: true })
  expect(found).toMatchObject({ total_count: 1, data: [{ admins: [email] }] })
})

test('of two concurrent revocations one changes the key, and both succeed', async ({ keys }) => {
  const { jti, id } = await keys.createKey(await keys.signUp())
  const results = await Promise.all(
    [jti, id].map((key) => run(keys, { command: 'key revoke', key, json: true })),
  )
  expect(new Set(results.map((result) => result.changed))).toEqual(new Set([true, false]))
  expect(await states(keys, `keys.key.${jti}`)).toHaveLength(2) // created, revoked
  const pending = keys.database.db.selectFrom('pending_disconnect').where('jti', '=', jti).selectAll()
  expect(await pending.execute()).toHaveLength(1)
})

test('a limit that is set twice is published once, with a higher revision', async ({ keys }) => {
  const { jti, id } = await keys.createKey(await keys.signUp())
  const limit: Request = { command: 'key limit', key: id, perMinute: 600, json: true }
  expect(await run(keys, limit)).toMatchObject({ changed: true })
  expect(await run(keys, limit)).toMatchObject({ changed: false })
  const [made, limited, ...more] = (await states(keys, `keys.key.${jti}`)).map(
    ({ payload }) => payload as { revision: number },
  )
  expect(limited).toMatchObject({ rate_limit_per_minute: 600 })
  expect(limited?.revision).toBeGreaterThan(made?.revision ?? Infinity)
  expect(more).toEqual([])
})

test('the message rate of a key is published with its state, and `default` resets it', async ({ keys }) => {
  const { jti, id } = await keys.createKey(await keys.signUp())
  const rate = (perSecond: number | null): Request => ({
    command: 'key message-rate',
    key: jti,
    perSecond,
    json: true,
  })
  expect(await run(keys, rate(500))).toMatchObject({
    changed: true,
    key: { id, message_rate_per_second: 500 },
  })
  expect(await run(keys, rate(500))).toMatchObject({ changed: false })
  expect(await run(keys, rate(null))).toMatchObject({ changed: true, key: { message_rate_per_second: null } })
  const published = (await states(keys, `keys.key.${jti}`)).map(({ payload }) => KeyState.parse(payload))
  expect(published.map((state) => state.message_rate_per_second)).toEqual([null, 500, null])
  expect(published.every((state) => state.rate_limit_per_minute === null)).toBe(true)
  await run(keys, { command: 'key revoke', key: jti, json: true })
  await expect(run(keys, rate(1))).rejects.toMatchObject({ type: 'conflict' })
})

test('the search finds literal text, in any case, in names and addresses', async ({ keys }) => {
  const { email, orgId } = await keys.signUp()
  const search = (q: string) => run(keys, { command: 'org list', q, limit: 10, offset: 0, json: true })
  expect((await search(email.toUpperCase())).data).toMatchObject([{ id: orgId, admins: [email] }])
  expect((await search('%')).total_count).toBe(0)
  expect((await search('ACM')).total_count).toBeGreaterThan(0)
})

test('an organization is named by its whole name, in any case; otherwise the error says which may be meant', async ({
  keys,
}) => {
  const name = `Org ${randomUUID()}`
  const named = async (called: string) => {
    const made = await keys.signUp()
    await keys.database.db.updateTable('org').set({ name: called }).where('id', '=', made.orgId).execute()
    return made
  }
  const [owner, longer] = [await named(name), await named(`${name} East`)]
  const id = owner.orgId
  const keysOf = (org: number | string): Request => ({
    command: 'key list',
    org,
    all: false,
    limit: 10,
    offset: 0,
    json: true,
  })
  const key = await keys.createKey(owner)
  expect((await run(keys, keysOf(name.toUpperCase()))).data).toMatchObject([{ id: key.id, org_id: id }])
  expect((await run(keys, keysOf(id))).data).toMatchObject([{ id: key.id }])
  await expect(run(keys, keysOf(name.slice(0, -1)))).rejects.toMatchObject({
    type: 'not_found',
    details: { candidates: [{ id }, { id: longer.orgId }] },
  })
  await expect(run(keys, keysOf(randomUUID()))).rejects.toMatchObject({
    type: 'not_found',
    details: { candidates: [] },
  })
  const ids = [id, (await named(name)).orgId].toSorted((a, b) => a - b) // they are random numbers
  for (const request of [
    keysOf(name),
    { command: 'org limit', org: name, name: 'readers', value: 5, json: true } as const,
  ])
    await expect(run(keys, request)).rejects.toMatchObject({
      type: 'conflict',
      message: expect.stringContaining(`Give the id:\n  ${ids[0]}  ${name}`),
      details: { candidates: ids.map((one) => ({ id: one })) },
    })
})

test('a next key that a gateway may not know yet is not promoted', async ({ keys }) => {
  await freshSigningKeys(keys, 9)
  const before = await run(keys, list)
  await expect(run(keys, rotate)).rejects.toMatchObject({
    type: 'too_early',
    details: { ready_at: before.data.find((key) => key.state === 'next')?.ready_at },
  })
  expect(await run(keys, list)).toEqual(before)
})

test('of two concurrent rotations one succeeds, so that no key is skipped', async ({ keys }) => {
  await freshSigningKeys(keys, 11)
  const results = await Promise.allSettled([run(keys, rotate), run(keys, rotate)])
  expect(new Set(results.map((result) => result.status))).toEqual(new Set(['fulfilled', 'rejected']))
  const { data } = await run(keys, list)
  expect(data.map((key) => key.state)).toEqual(['retired', 'active', 'next'])
})

test("nothing is rotated with another secret than the service's", async ({ keys }) => {
  await freshSigningKeys(keys, 11)
  const before = await run(keys, list)
  await expect(run(keys, rotate, randomBytes(32))).rejects.toThrow('was SIGNING_KEY_SECRET changed?')
  expect(await run(keys, list)).toEqual(before)
})

test('a reload names the brokers, and fails if one of them keeps its old configuration', async ({ keys }) => {
  const reload: Request = { command: 'broker reload', json: true }
  reloaded = ['nats-0', 'nats-1', 'nats-2'].map((name) => ({ name, problem: undefined }))
  expect(await run(keys, reload)).toEqual({ data: reloaded.map(({ name }) => ({ name })) })
  reloaded = [
    { name: 'nats-0', problem: undefined },
    { name: 'nats-1', problem: 'no such file' },
  ]
  await expect(run(keys, reload)).rejects.toThrow(
    'These brokers keep the configuration that they had. nats-1: no such file',
  )
})

test('an organization is deleted with --yes alone, and the list shows how far it is', async ({ keys }) => {
  const [{ orgId }, other] = [await keys.signUp(), await keys.signUp()]
  const remove = (yes: boolean) => run(keys, { command: 'org delete', org: orgId, yes, json: true })
  const listed = async () => {
    const { rows } = await keys.database.pool.query<{ name: string }>('select name from org where id = $1', [orgId]) // oxfmt-ignore
    const found = await run(keys, {
      command: 'org list',
      q: rows[0]?.name,
      limit: 500,
      offset: 0,
      json: true,
    })
    return (found.data as { id?: number; deleting?: unknown }[]).filter(
      ({ id }) => id === orgId || id === other.orgId,
    )
  }
  await expect(remove(false)).rejects.toThrow('Add --yes')
  expect((await listed()).map(({ deleting }) => deleting)).toEqual([null, null])
  expect(await remove(true)).toMatchObject({
    org: { id: orgId, deleted_at: expect.any(String) },
    published: false,
  })
  await keys.database.pool.query(`update deleted_org set erased = '{"catalog": 7}' where id = $1`, [orgId])
  const mine = (await listed()).find(({ id }) => id === orgId)
  expect(mine?.deleting).toMatchObject({ erased: { catalog: 7 } })
  await expect(remove(true)).rejects.toThrow(`There is no organization ${orgId}.`)
  expect(await states(keys, `keys.org.${other.orgId}`)).toHaveLength(1)
})

test('the time zone of an organization is set and shown', async ({ keys }) => {
  const { orgId } = await keys.signUp()
  const zone = (timezone?: string) => run(keys, { command: 'org timezone', org: orgId, timezone, json: true })
  expect(await zone()).toMatchObject({ org: { timezone: 'UTC' } })
  for (const timezone of ['Europe/Berlin', 'Asia/Tokyo', 'Asia/Tokyo'])
    expect(await zone(timezone)).toMatchObject({ org: { timezone } })
  expect(await states(keys, `keys.org.${orgId}`)).toHaveLength(3)
  expect(await zone()).toMatchObject({ org: { timezone: 'Asia/Tokyo' } })
  const entries = (await states(keys, `audit.${orgId}`)).map(({ payload }) => payload as AuditEntry)
  const changes = entries.filter(({ action }) => action === 'org.update').map((entry) => entry.changes)
  expect(changes).toEqual([
    { timezone: { from: 'UTC', to: 'Europe/Berlin' } },
    { timezone: { from: 'Europe/Berlin', to: 'Asia/Tokyo' } },
  ])
})

test('D15.4 the audit names the operator, with what changed and without a password', async ({ keys }) => {
  const made = await run(keys, create(`${randomUUID()}@example.com`))
  const org = made.org.id
  await run(keys, { command: 'org limit', org, name: 'assets', value: 500, json: true })
  await run(keys, { command: 'org limit', org, name: 'assets', value: 500, json: true })
  await run(keys, { command: 'org subscription', org, endsAt: '2999-01-01T00:00:00Z', json: true })
  const entries = (await states(keys, `audit.${org}`)).map(({ payload }) => payload as AuditEntry)
  expect(entries.map(({ action, actor }) => [action, actor.type, actor.id])).toEqual(
    ['org.create', 'member.create', 'org.update', 'org.update'].map((action) => [action, 'operator', null]),
  )
  expect(entries[2]?.changes).toEqual({ limits: { from: {}, to: { assets: 500 } } })
  expect(Object.keys(entries[3]?.changes ?? {})).toEqual(['subscription_ends_at'])
  expect(JSON.stringify(entries)).not.toContain('correct horse')
})

test('the operator switches the codes of a person off, once', async ({ keys }) => {
  const org = await keys.signUp()
  await switchOn(keys, org)
  const off: Request = { command: 'user codes-off', email: org.email.toUpperCase(), json: true }
  expect(await run(keys, off)).toMatchObject({ user: { id: org.userId }, changed: true })
  expect(await run(keys, off)).toMatchObject({ changed: false })
  const { email, password } = org
  expect((await keys.post('/api/v1/auth/login', { email, password })).statusCode).toBe(200)
  const row = (await states(keys, `audit.${org.orgId}`)).find(
    ({ payload }) => (payload as AuditEntry).action === 'second_factor.delete',
  )
  expect(row?.payload).toMatchObject({ actor: { type: 'operator' }, subject: { id: org.userId } })
  const unknown = run(keys, { ...off, email: 'nobody@example.com' })
  await expect(unknown).rejects.toMatchObject({ type: 'not_found' })
})

describe('org add-admin', () => {
  const add = (keys: Keys, org: number, email: string) =>
    run(keys, { command: 'org add-admin', org, email, consoleUrl: undefined, json: true })
  const rolesOf = async (keys: Keys, { orgId }: Org) =>
    (await states(keys, `audit.${orgId}`))
      .map(({ payload }) => payload as AuditEntry)
      .filter(({ actor }) => actor.type === 'operator')
      .map(({ action, changes, subject }) => ({ action, changes, id: subject.id }))
  const memberStates = async (keys: Keys, orgId: number, userId: number) =>
    (await states(keys, `keys.member.${orgId}.${userId}`)).map(
      ({ payload }) => payload as { role: string; revision: number },
    )

  test.for(['member', 'viewer'] as const)(
    'a %s becomes one as by a change of the role',
    async (role, { keys }) => {
      const org = await keys.signUp()
      const grace = await keys.join(org, role)
      const result = await add(keys, org.orgId, grace.email.toUpperCase())
      expect(result).toMatchObject({
        changed: true,
        user: { id: grace.userId },
        invitation: null,
        published: false,
      })
      const published = await memberStates(keys, org.orgId, grace.userId)
      expect(published.map((state) => state.role)).toEqual([role, 'admin'])
      expect(published[1]?.revision).toBeGreaterThan(published[0]?.revision ?? Infinity)
      for (const _again of [2, 3])
        expect(await add(keys, org.orgId, grace.email)).toMatchObject({ changed: false })
      expect(await rolesOf(keys, org)).toEqual([
        { action: 'member.update', changes: { role: { from: role, to: 'admin' } }, id: grace.userId },
      ])
    },
  )

  test('somebody with a verified account joins as one, and is not invited', async ({ keys }) => {
    const [org, grace] = [await keys.signUp(), await keys.signUp()]
    await keys.database.db.transaction().execute((tx) => markVerified(tx, grace.userId))
    expect(await add(keys, org.orgId, grace.email)).toMatchObject({
      user: { id: grace.userId },
      invitation: null,
    })
    expect((await memberStates(keys, org.orgId, grace.userId)).map(({ role }) => role)).toEqual(['admin'])
    expect(await rolesOf(keys, org)).toEqual([
      { action: 'member.create', changes: { role: { from: null, to: 'admin' } }, id: grace.userId },
    ])
  })

  test('somebody else gets a link, with which they join as one; only the last link works', async ({
    keys,
  }) => {
    const [org, unverified] = [await keys.signUp(), await keys.signUp()]
    const email = `${randomUUID()}@example.com`
    const tokens: string[] = []
    for (const address of [unverified.email, email, email, email]) {
      const result = await add(keys, org.orgId, address)
      expect(result).toMatchObject({ user: null, changed: true, invitation: { email: address } })
      const [at, token = ''] = result.invitation?.link.split('#token=') ?? []
      expect(at).toBe('https://whereabouts.example/accept-invitation')
      tokens.push(token)
    }
    expect(await memberStates(keys, org.orgId, unverified.userId)).toEqual([])
    const listed = await keys.send(`/api/v1/orgs/${org.orgId}/invitations`, { caller: keys.admin(org) })
    expect(listed.json().data).toMatchObject(
      [email, unverified.email].map((address) => ({
        email: address,
        role: 'admin',
        created_by: null,
        created_by_name: 'The operator',
      })),
    )
    const accept = (token = '') =>
      keys.post('/api/v1/auth/accept-invitation', {
        token,
        name: 'Grace',
        password: `correct horse ${email}`,
      })
    for (const replaced of tokens.slice(1, 3)) expect((await accept(replaced)).statusCode).toBe(401)
    const described = await keys.post('/api/v1/auth/describe-invitation', { token: tokens[3] })
    expect(described.json().data).toMatchObject({ email, role: 'admin', invited_by: 'The operator' })
    const joined = await accept(tokens[3])
    expect(joined.json().data).toMatchObject({ user: { email, role: 'admin' }, org: { id: org.orgId } })
  })

  test('an unknown organization is not found, and nothing is stored', async ({ keys }) => {
    await expect(add(keys, 4_711, 'grace@example.com')).rejects.toMatchObject({ type: 'not_found' })
  })
})

test('the operator links single sign-on to one person, once, and takes nobody else’s subject', async ({
  keys,
}) => {
  const [ada, grace] = [await keys.signUp(), await keys.signUp()]
  const issuer = 'https://entra.example'
  const link = ({ email }: Org, subject: string, given: string | undefined = issuer): Request => ({
    command: 'user sign-on-link',
    email,
    subject,
    issuer: given,
    json: true,
  })
  expect(await run(keys, link(ada, 'ada-1'))).toMatchObject({ user: { id: ada.userId }, changed: true })
  for (let again = 0; again < 2; again += 1)
    expect(await run(keys, link(ada, 'ada-1'))).toMatchObject({ changed: false })
  expect(await findLinkedUser(keys.database.db, issuer, 'ada-1')).toBe(ada.userId)
  await expect(run(keys, link(grace, 'ada-1'))).rejects.toMatchObject({ type: 'conflict' })
  await expect(run(keys, link(ada, 'ada-2'))).rejects.toMatchObject({ type: 'conflict' })
  await expect(run(keys, { ...link(grace, 'grace-1'), issuer: undefined } as Request)).rejects.toMatchObject({
    type: 'usage',
  })
  expect(await findLinkedUser(keys.database.db, issuer, 'grace-1')).toBeUndefined()
})

test('the operator unlinks single sign-on of one person, who can be linked to another subject then', async ({
  keys,
}) => {
  const [ada, grace] = [await keys.signUp(), await keys.signUp()]
  const { db } = keys.database
  const issuer = 'https://provider.example'
  const link = (subject: string, { userId }: Org) =>
    db.transaction().execute((tx) => linkSubject(tx, issuer, subject, userId))
  await link('ada-1', ada)
  await link('grace-1', grace)
  await expect(link('ada-2', ada)).rejects.toThrow()
  const unlink = (json = true): Request => ({ command: 'user sign-on-unlink', email: ada.email, json })
  expect(await run(keys, unlink())).toMatchObject({
    user: { id: ada.userId, email_verified: false },
    issuers: [issuer],
    changed: true,
  })
  expect(await run(keys, unlink())).toMatchObject({ issuers: [], changed: false })
  expect(await findLinkedUser(db, issuer, 'grace-1')).toBe(grace.userId)
  await link('ada-2', ada)
  const entries = (await states(keys, `audit.${ada.orgId}`)).map(({ payload }) => payload as AuditEntry)
  expect(entries.filter(({ actor }) => actor.type === 'operator')).toMatchObject([
    { action: 'user.update', changes: { single_sign_on: { from: issuer, to: null } } },
  ])
})
