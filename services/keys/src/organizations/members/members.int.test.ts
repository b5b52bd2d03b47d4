import { MemberState } from '@whereabouts/contracts/messages/keys-state'
import type { Caller } from '@whereabouts/testing/caller'
import { expect } from 'vitest'
import { test, type Keys, type Org } from '../../../test/keys.fixture.ts'

const path = (orgId: number | string, user?: number | string) =>
  `/api/v1/orgs/${orgId}/members${user === undefined ? '' : `/${user}`}`

type Target = { orgId: number; userId: number | string }

const list = (keys: Keys, org: Org, query = '', caller = keys.admin(org)) =>
  keys.send(`${path(org.orgId)}${query}`, { caller })
const setRole = (keys: Keys, caller: Caller, { orgId, userId }: Target, role: unknown) =>
  keys.send(path(orgId, userId), { method: 'PATCH', caller, body: { role } })
const remove = (keys: Keys, caller: Caller, { orgId, userId }: Target) =>
  keys.send(path(orgId, userId), { method: 'DELETE', caller })
const refresh = (keys: Keys, { session }: Org) =>
  keys.post('/api/v1/auth/refresh', { refresh_token: session.refresh_token })
const logIn = (keys: Keys, { email, password }: Org) => keys.post('/api/v1/auth/login', { email, password })

const revisionIn = (token: string): number =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).member_revision

async function states(keys: Keys, { orgId, userId }: Org): Promise<MemberState[]> {
  const rows = await keys.database.db
    .selectFrom('outbox')
    .selectAll()
    .where('subject', '=', `keys.member.${orgId}.${userId}`)
    .orderBy('id')
    .execute()
  expect(rows.every(({ keep }) => keep === 'last')).toBe(true)
  return rows.map(({ payload }) => MemberState.parse(payload))
}

async function roles(keys: Keys, org: Org): Promise<Record<number, string>> {
  const { data } = (await list(keys, org)).json<{ data: { id: number; role: string }[] }>()
  return Object.fromEntries(data.map(({ id, role }) => [id, role]))
}

test('every member sees the members, in the order of joining, page by page', async ({ keys }) => {
  const org = await keys.signUp()
  const [second, third] = [await keys.join(org), await keys.join(org, 'admin')]
  const all = await list(keys, org, '', keys.member(second))
  expect(all.statusCode).toBe(200)
  const [joined_at, last_signed_in_at] = [expect.any(String), null]
  expect(all.json()).toEqual({
    data: [
      { id: org.userId, name: 'Ada', email: org.email, role: 'admin', joined_at, last_signed_in_at },
      { id: second.userId, name: 'Ben', email: second.email, role: 'member', joined_at, last_signed_in_at },
      { id: third.userId, name: 'Ben', email: third.email, role: 'admin', joined_at, last_signed_in_at },
    ],
    limit: 50,
    offset: 0,
    total_count: 3,
  })
  const page = await list(keys, org, '?limit=1&offset=1')
  expect(page.json()).toMatchObject({ data: [{ id: second.userId }], limit: 1, offset: 1, total_count: 3 })
  expect((await list(keys, org, '?offset=9')).json()).toMatchObject({ data: [], total_count: 3 })
  expect((await list(keys, org, '?sort=name')).json().error.fields).toMatchObject([{ field: 'sort' }])
  expect((await list(keys, org, '?limit=201')).json().error.fields).toMatchObject([{ code: 'too_large' }])
})

test('administrators see the last sign-in to their organization, and of no other', async ({ keys }) => {
  const [org, other] = [await keys.signUp(), await keys.signUp()]
  const token = await keys.invite(other, org.email)
  await keys.post('/api/v1/auth/accept-invitation', { token, password: org.password })
  const seenBy = async (of: Org, { userId }: Org) => {
    const { data } = (await list(keys, of)).json<{ data: { id: number; last_signed_in_at: string }[] }>()
    return data.find(({ id }) => id === userId)?.last_signed_in_at ?? ''
  }
  const [here, there] = [await seenBy(org, org), await seenBy(other, org)]
  expect(Date.parse(there)).toBeGreaterThan(Date.parse(here))
  await keys.post('/api/v1/auth/login', { email: org.email, password: org.password })
  expect(Date.parse(await seenBy(org, org))).toBeGreaterThan(Date.parse(there))
  expect(await seenBy(other, org)).toBe(there)
})

test('a change of role is returned, stored, and published with a higher revision', async ({ keys }) => {
  const org = await keys.signUp()
  const ben = await keys.join(org)
  const response = await setRole(keys, keys.admin(org), ben, 'admin')
  expect(response.statusCode).toBe(200)
  expect(response.json().data).toMatchObject({ id: ben.userId, email: ben.email, role: 'admin' })
  expect(await roles(keys, org)).toMatchObject({ [ben.userId]: 'admin' })
  const [joined, promoted] = await states(keys, ben)
  expect(joined).toMatchObject({ org_id: org.orgId, user_id: ben.userId, role: 'member', deleted_at: null })
  expect(promoted).toMatchObject({ role: 'admin', deleted_at: null })
  expect(promoted?.revision).toBeGreaterThan(joined?.revision ?? Infinity)
})

test('setting the current role changes nothing and ends no session', async ({ keys }) => {
  const org = await keys.signUp()
  const ben = await keys.join(org)
  expect((await setRole(keys, keys.admin(org), ben, 'member')).statusCode).toBe(200)
  expect(await states(keys, ben)).toHaveLength(1)
})

test('a demoted member refreshes into a session with the new role and revision', async ({ keys }) => {
  const org = await keys.signUp()
  const ben = await keys.join(org, 'admin')
  const before = revisionIn(ben.session.access_token)
  expect((await states(keys, ben)).map(({ revision }) => revision)).toEqual([before])
  await setRole(keys, keys.admin(org), ben, 'member')
  const next = (await refresh(keys, ben)).json().data
  expect(next.user.role).toBe('member')
  expect(revisionIn(next.access_token)).toBeGreaterThan(before)
})

test('a removed member is signed out for good, and the removal is published', async ({ keys }) => {
  const org = await keys.signUp()
  const ben = await keys.join(org)
  const again = (await logIn(keys, ben)).json().data
  const changes = keys.changes()
  expect((await remove(keys, keys.admin(org), ben)).statusCode).toBe(204)
  expect(keys.changes()).toBe(changes + 1)
  for (const session of [ben.session, again])
    expect((await refresh(keys, { ...ben, session })).statusCode).toBe(401)
  expect((await logIn(keys, ben)).statusCode).toBe(401)
  const last = (await states(keys, ben)).at(-1)
  expect(last?.deleted_at).toEqual(expect.stringMatching(/Z$/))
  expect(last?.revision).toBeGreaterThan(revisionIn(again.access_token))
  expect(await roles(keys, org)).toEqual({ [org.userId]: 'admin' })
  const repeated = await remove(keys, keys.admin(org), ben)
  expect(repeated.statusCode).toBe(404)
  expect(repeated.json().error.detail).toBe('Member not found')
})

test('a removed member keeps other organizations', async ({ keys }) => {
  const [org, own] = [await keys.signUp(), await keys.signUp()]
  const token = await keys.invite(org, own.email)
  await keys.post('/api/v1/auth/accept-invitation', { token, password: own.password })
  await remove(keys, keys.admin(org), { orgId: org.orgId, userId: own.userId })
  expect((await refresh(keys, own)).statusCode).toBe(200)
  expect((await logIn(keys, own)).json().data.org.id).toBe(own.orgId)
})

test('a member who joins again has a higher revision than the removal', async ({ keys }) => {
  const org = await keys.signUp()
  const ben = await keys.join(org)
  await remove(keys, keys.admin(org), ben)
  const { email, password } = ben
  const token = await keys.invite(org, email)
  const back = await keys.post('/api/v1/auth/accept-invitation', { token, password })
  const [, removed, rejoined] = await states(keys, ben)
  expect(rejoined).toMatchObject({ role: 'member', deleted_at: null })
  expect(rejoined?.revision).toBeGreaterThan(removed?.revision ?? Infinity)
  expect(revisionIn(back.json().data.access_token)).toBe(rejoined?.revision)
})

test('a member may leave, but not remove others', async ({ keys }) => {
  const org = await keys.signUp()
  const [ben, eve] = [await keys.join(org), await keys.join(org)]
  const refused = await remove(keys, keys.member(ben), eve)
  expect(refused.statusCode).toBe(403)
  expect(refused.json().error.detail).toMatch(/^Organization admin role required/)
  expect((await remove(keys, keys.member(ben), ben)).statusCode).toBe(204)
  expect(await roles(keys, org)).toEqual({ [org.userId]: 'admin', [eve.userId]: 'member' })
})

test('the last administrator is neither demoted nor removed and cannot leave', async ({ keys }) => {
  const org = await keys.signUp()
  await keys.join(org)
  for (const response of [
    await setRole(keys, keys.admin(org), org, 'member'),
    await remove(keys, keys.admin(org), org),
  ]) {
    expect(response.statusCode).toBe(409)
    expect(response.json().error).toMatchObject({
      type: 'conflict',
      detail: 'The organization must keep at least one administrator',
    })
  }
  expect(await roles(keys, org)).toMatchObject({ [org.userId]: 'admin' })
  expect((await refresh(keys, org)).statusCode).toBe(200)
})

test('one administrator remains, whatever the last two do to each other concurrently', async ({ keys }) => {
  const org = await keys.signUp()
  for (let round = 0; round < 6; round += 1) {
    const others = await keys.join(org, 'admin')
    const [a, b] = [keys.admin(org), keys.admin(others)]
    const pairs = [
      () => [setRole(keys, a, others, 'member'), setRole(keys, b, org, 'member')],
      () => [remove(keys, a, org), remove(keys, b, others)],
      () => [remove(keys, a, others), setRole(keys, b, others, 'member')],
    ]
    const responses = await Promise.all(pairs[round % 3]?.() ?? [])
    expect(responses.every(({ statusCode }) => statusCode < 500)).toBe(true)
    const { rows } = await keys.database.pool.query(
      `select user_id from membership where org_id = $1 and role = 'admin'`,
      [org.orgId],
    )
    expect(rows.length).toBeGreaterThan(0)
    // One administrator, and the first one, before the next round.
    await keys.database.pool.query(`delete from membership where org_id = $1`, [org.orgId])
    await keys.database.pool.query(
      `insert into membership (org_id, user_id, role) values ($1, $2, 'admin')`,
      [org.orgId, org.userId],
    )
  }
})

test('a lost role binds at once, even while the gateway still signs the old one', async ({ keys }) => {
  const org = await keys.signUp()
  const [demoted, removed, ben] = [
    await keys.join(org, 'admin'),
    await keys.join(org, 'admin'),
    await keys.join(org),
  ]
  await setRole(keys, keys.admin(org), demoted, 'member')
  await remove(keys, keys.admin(org), removed)
  const newKey = { name: 'Late', scopes: ['keys:admin'] }
  for (const [late, status] of [
    [demoted, 403],
    [removed, 401],
  ] as const) {
    const caller = keys.admin(late)
    const invitation = { email: 'late@example.com', role: 'admin' }
    const attempts = [
      await setRole(keys, caller, ben, 'admin'),
      await remove(keys, caller, ben),
      await keys.post(`/api/v1/orgs/${org.orgId}/invitations`, invitation, { caller }),
    ]
    expect(attempts.map(({ statusCode }) => statusCode)).toEqual([status, status, status])
    const minted = await keys.post(`/api/v1/orgs/${org.orgId}/api-keys`, newKey, { caller })
    expect(minted.statusCode).toBe(403)
  }
  expect(await roles(keys, org)).toMatchObject({ [ben.userId]: 'member' })
})

test('signing in during the removal returns 401, and not 500', async ({ keys }) => {
  const ben = await keys.join(await keys.signUp())
  const removal = await keys.database.pool.connect()
  try {
    await removal.query('begin')
    await removal.query('delete from membership where user_id = $1', [ben.userId])
    const login = logIn(keys, ben)
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect
      .poll(async () => (await keys.database.pool.query(waiting)).rowCount, { timeout: 5_000 })
      .toBe(1)
    await removal.query('commit')
    expect((await login).statusCode).toBe(401)
  } finally {
    removal.release()
  }
})

test("another organization's id in the path is 403, before the body is checked", async ({ keys }) => {
  const [mine, theirs] = [await keys.signUp(), await keys.signUp()]
  const caller = keys.admin(mine)
  for (const response of [
    await keys.send(path(theirs.orgId), { caller }),
    await setRole(keys, caller, theirs, 5),
    await remove(keys, caller, theirs),
  ])
    expect(response.statusCode).toBe(403)
  expect(await roles(keys, theirs)).toEqual({ [theirs.userId]: 'admin' })
})

test("another organization's user in the own organization's path is 404 and unchanged", async ({ keys }) => {
  const [mine, theirs] = [await keys.signUp(), await keys.signUp()]
  const ben = await keys.join(theirs)
  const target = { orgId: mine.orgId, userId: ben.userId }
  expect((await setRole(keys, keys.admin(mine), target, 'admin')).statusCode).toBe(404)
  expect((await remove(keys, keys.admin(mine), target)).statusCode).toBe(404)
  expect(await roles(keys, theirs)).toMatchObject({ [ben.userId]: 'member' })
})

test.for([
  { userId: '0', status: 400, code: 'too_small' },
  { userId: 'abc', status: 400, code: 'invalid_value' },
  { userId: '9007199254740993', status: 404, code: undefined },
])('a member called $userId answers $status', async ({ userId, status, code }, { keys }) => {
  const org = await keys.signUp()
  const target = { orgId: org.orgId, userId }
  for (const response of [
    await setRole(keys, keys.admin(org), target, 'admin'),
    await remove(keys, keys.admin(org), target),
  ]) {
    expect(response.statusCode).toBe(status)
    if (code !== undefined) expect(response.json().error.fields).toMatchObject([{ field: 'user_id', code }])
  }
})

test.for([
  { body: {}, code: 'required' },
  { body: { role: 'owner' }, code: 'invalid_value' },
  { body: { role: null }, code: 'invalid_value' },
  { body: { role: 'admin', name: 'Eve' }, code: 'unknown_field' },
])('a change of role to $body is refused', async ({ body, code }, { keys }) => {
  const org = await keys.signUp()
  const caller = keys.admin(org)
  const response = await keys.send(path(org.orgId, org.userId), { method: 'PATCH', caller, body })
  expect(response.statusCode).toBe(400)
  expect(response.json().error.fields).toMatchObject([{ code }])
})

test.for([
  { type: 'application/json', status: 200 },
  { type: 'application/merge-patch+json', status: 200 },
  { type: 'text/plain', status: 415 },
])('a change of role sent as $type answers $status', async ({ type, status }, { keys }) => {
  const org = await keys.signUp()
  const ben = await keys.join(org)
  const sent = { caller: keys.admin(org), body: { role: 'admin' }, headers: { 'content-type': type } }
  const response = await keys.send(path(org.orgId, ben.userId), { method: 'PATCH', ...sent })
  expect(response.statusCode).toBe(status)
  expect(await roles(keys, org)).toMatchObject({ [ben.userId]: status === 200 ? 'admin' : 'member' })
})

test('every operation on members needs the principal of a user', async ({ keys }) => {
  const org = await keys.signUp()
  expect((await keys.send(path(org.orgId))).statusCode).toBe(401)
  const body = { role: 'member' }
  expect((await keys.send(path(org.orgId, org.userId), { method: 'PATCH', body })).statusCode).toBe(401)
  expect((await keys.send(path(org.orgId, org.userId), { method: 'DELETE' })).statusCode).toBe(401)
})

test('the gateway can read the state of a membership', async ({ keys }) => {
  const org = await keys.signUp()
  const ben = await keys.join(org)
  const state = () => keys.ask(`/internal/members/${org.orgId}/${ben.userId}`)
  expect((await state()).json()).toEqual((await states(keys, ben)).at(-1))
  await remove(keys, keys.admin(org), ben)
  expect((await state()).statusCode).toBe(404)
  expect((await keys.ask('/internal/members/x/y')).statusCode).toBe(404)
  expect((await keys.ask(`/internal/members/${org.orgId}/${2 ** 53}`)).statusCode).toBe(404)
})
