import { KeyState, MemberState, OrgState } from '@whereabouts/contracts/messages/keys-state'
import { decodeJwt } from 'jose'
import { expect } from 'vitest'
import { test, type Key, type Keys, type Org } from '../../test/keys.fixture.ts'
import { createResetLink } from '../ops/users.commands.ts'
import { toKeyState } from '../credentials/api-keys/api-keys.state.ts'
import { listLiveKeys } from './newer.queries.ts'
import { reapply, type KeysStates } from './reapply.ts'
import { forgetQueued, publishAll } from './states.ts'

const none: KeysStates = { orgs: [], keys: [], members: [] }
const REVOKED_AT = '2026-11-21T10:00:00.000Z'

async function rowOf({ database: { db } }: Keys, { jti }: Key) {
  return db.selectFrom('api_key').selectAll().where('jti', '=', jti).executeTakeFirstOrThrow()
}

/** The state in the stream after a later change. */
const later = async (keys: Keys, key: Key, change: Partial<KeyState>): Promise<KeyState> => {
  const state = toKeyState(await rowOf(keys, key))
  return { ...state, revision: state.revision + 1, ...change }
}

const memberOf = async (keys: Keys, org: Org) =>
  keys.database.db
    .selectFrom('membership')
    .selectAll()
    .where('org_id', '=', org.orgId)
    .where('user_id', '=', org.userId)
    .executeTakeFirst()

async function isToDisconnect({ database: { db } }: Keys, jti: string): Promise<boolean> {
  const rows = await db.selectFrom('pending_disconnect').select('jti').where('jti', '=', jti).execute()
  return rows.length > 0
}

const newKey = (keys: Keys, org: Org) => keys.createKey(org, { scopes: ['scans:write'] })

test('a revocation since the backup is applied, and its readers are disconnected', async ({ keys }) => {
  const [org, other] = [await keys.signUp(), await keys.signUp()]
  const [key, untouched] = [await newKey(keys, org), await newKey(keys, other)]
  const state = await later(keys, key, { revoked_at: REVOKED_AT, name: 'renamed', rate_limit_per_minute: 7 })
  const { changed } = await reapply(keys.database.db, { ...none, keys: [state] })
  expect(changed).toBe(1)
  const row = await rowOf(keys, key)
  expect(row).toMatchObject({ revoked_at: REVOKED_AT, name: 'renamed', rate_limit_per_minute: 7 })
  expect(row.revision).toBeGreaterThan(state.revision)
  expect(await isToDisconnect(keys, key.jti)).toBe(true)
  expect((await rowOf(keys, untouched)).revoked_at).toBeNull()
  expect((await keys.exchange(key)).statusCode).toBe(401)
})

test('a revocation is applied whatever the revisions, and never undone', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await newKey(keys, org)
  const live = await later(keys, key, { name: 'as it was', revision: 1_000_000 })
  const revoked = await later(keys, key, { revoked_at: REVOKED_AT, revision: 0, name: 'older' })
  await reapply(keys.database.db, { ...none, keys: [revoked] })
  await reapply(keys.database.db, { ...none, keys: [live] })
  expect((await rowOf(keys, key)).revoked_at).toBe(REVOKED_AT)
  expect((await rowOf(keys, key)).name).not.toBe('older')
})

test('older states change nothing, and missing rows are named', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await newKey(keys, org)
  const before = await rowOf(keys, key)
  const older = await later(keys, key, { revision: 0, name: 'older' })
  const unknown = { ...older, jti: '00000000-0000-4000-8000-000000000000' }
  const { changed, missing } = await reapply(keys.database.db, { ...none, keys: [older, unknown] })
  expect({ changed, missing }).toEqual({ changed: 0, missing: [{ kind: 'key', state: unknown }] })
  expect(await rowOf(keys, key)).toEqual(before)
  expect(await isToDisconnect(keys, key.jti)).toBe(false)
  expect(await isToDisconnect(keys, unknown.jti)).toBe(true) // nobody could revoke it
})

test('a key with the same number in another organization is not changed', async ({ keys }) => {
  const [org, other] = [await keys.signUp(), await keys.signUp()]
  const key = await newKey(keys, org)
  const foreign = await later(keys, key, { revoked_at: REVOKED_AT, org_id: other.orgId })
  const { missing } = await reapply(keys.database.db, { ...none, keys: [foreign] })
  expect(missing).toHaveLength(1)
  expect((await rowOf(keys, key)).revoked_at).toBeNull()
})

test('a removal or demotion since the backup is applied again', async ({ keys }) => {
  const org = await keys.signUp()
  const [removed, lowered] = [await keys.join(org, 'admin'), await keys.join(org, 'admin')]
  const [viewer, other] = [await keys.join(org, 'member'), await keys.join(org, 'admin')]
  const state = async (member: Org, change: Partial<MemberState>): Promise<MemberState> => {
    const row = await memberOf(keys, member)
    const { org_id, user_id, revision = 0, role = 'admin' } = row ?? {}
    return { org_id: org_id ?? 0, user_id: user_id ?? 0, revision: revision + 1, role, deleted_at: null, ...change } // oxfmt-ignore
  }
  const members = [
    await state(removed, { deleted_at: REVOKED_AT }),
    await state(lowered, { role: 'member' }),
    await state(viewer, { role: 'viewer' }),
    await state(other, { role: 'of a later release' }),
    await state(org, { revision: 0, deleted_at: REVOKED_AT }),
  ]
  const { changed, missing } = await reapply(keys.database.db, { ...none, members })
  expect({ changed, missing }).toEqual({ changed: 4, missing: [] })
  expect(await memberOf(keys, removed)).toBeUndefined()
  expect((await memberOf(keys, lowered))?.role).toBe('member')
  expect((await memberOf(keys, viewer))?.role).toBe('viewer')
  expect((await memberOf(keys, other))?.role).toBe('viewer')
  expect((await memberOf(keys, org))?.role).toBe('admin')
  const again = await reapply(keys.database.db, { ...none, members })
  expect({ changed: again.changed, missing: again.missing }).toEqual({ changed: 0, missing: [] })
})

test('a subscription end since the backup is applied', async ({ keys }) => {
  const org = await keys.signUp()
  const { db } = keys.database
  const row = await db.selectFrom('org').selectAll().where('id', '=', org.orgId).executeTakeFirstOrThrow()
  const newer: OrgState = { org_id: org.orgId, revision: row.revision + 1, name: 'New name', subscription_ends_at: REVOKED_AT } // oxfmt-ignore
  const { missing } = await reapply(db, { ...none, orgs: [newer, { ...newer, org_id: 1 }] })
  expect(missing).toHaveLength(1)
  const after = await db.selectFrom('org').selectAll().where('id', '=', org.orgId).executeTakeFirstOrThrow()
  expect(after).toMatchObject({ name: 'New name', subscription_ends_at: REVOKED_AT })
})

test('D22.2 a shorter history since the backup is applied; a state of an older release keeps what there is', async ({
  keys,
}) => {
  const { orgId } = await keys.signUp()
  const { db } = keys.database
  const find = () => db.selectFrom('org').selectAll().where('id', '=', orgId).executeTakeFirstOrThrow()
  const restored = async (change: Partial<OrgState>) => {
    const { revision, name, subscription_ends_at } = await find()
    const newer = { org_id: orgId, revision: revision + 1, name, subscription_ends_at, ...change }
    await reapply(db, { ...none, orgs: [newer] })
    return (await find()).retention_days
  }
  expect(await restored({ retention_days: { person: 30 } })).toEqual({ person: 30 })
  expect(await restored({})).toEqual({ person: 30 })
  expect(await restored({ retention_days: {} })).toEqual({})
})

test('refresh tokens, invitations and links end, because some were spent', async ({ keys }) => {
  const org = await keys.signUp()
  const token = await keys.invite(org, 'late@example.com')
  const { db } = keys.database
  await createResetLink(db, { email: org.email, consoleUrl: undefined })
  const path = `/api/v1/orgs/${org.orgId}/provisioning-links`
  const link = { reader_key: 'dock-1', format: 'canonical' }
  expect((await keys.post(path, link, { caller: keys.admin(org) })).statusCode).toBe(201)
  const { sessions, invitations } = await reapply(db, none)
  for (const table of ['password_reset', 'provisioning_link'] as const)
    expect(await db.selectFrom(table).selectAll().execute()).toEqual([])
  expect(sessions).toBeGreaterThanOrEqual(1)
  expect(invitations).toBeGreaterThanOrEqual(1)
  const refreshed = await keys.post('/api/v1/auth/refresh', { refresh_token: org.session.refresh_token })
  expect(refreshed.statusCode).toBe(401)
  expect(token).not.toBe('')
})

test('each organization, member, key and recently ended chain is published once', async ({ keys }) => {
  const { db } = keys.database
  const org = await keys.signUp()
  const key = await newKey(keys, org)
  const { access_token, refresh_token } = org.session
  await keys.post('/api/v1/auth/logout', { refresh_token })
  await forgetQueued(db)
  const totals = await publishAll(db)
  // Beside entries of the audit, which a restore leaves alone.
  const states = () =>
    db.selectFrom('outbox').select(['subject', 'payload']).where('subject', 'like', 'keys.%').execute()
  const queued = await states()
  expect(queued).toHaveLength(totals.orgs + totals.members + totals.keys + totals.ended)
  const subjects = queued.map(({ subject }) => subject)
  expect(new Set(subjects).size).toBe(queued.length)
  expect(subjects).toContain(`keys.org.${org.orgId}`)
  expect(subjects).toContain(`keys.member.${org.orgId}.${org.userId}`)
  const { sid } = decodeJwt(access_token)
  expect(subjects).toContain(`keys.chain.${String(sid)}`)
  const state = queued.find(({ subject }) => subject === `keys.key.${key.jti}`)
  expect(state?.payload).toEqual(toKeyState(await rowOf(keys, key)))
  await forgetQueued(db)
  expect(await states()).toEqual([])
})

test('the keys to check are the unrevoked ones', async ({ keys }) => {
  const org = await keys.signUp()
  const [live, revoked] = [await newKey(keys, org), await newKey(keys, org)]
  await reapply(keys.database.db, { ...none, keys: [await later(keys, revoked, { revoked_at: REVOKED_AT })] })
  const listed = (await listLiveKeys(keys.database.db)).map(({ jti }) => jti)
  expect(listed).toContain(live.jti)
  expect(listed).not.toContain(revoked.jti)
})
