import { randomUUID } from 'node:crypto'
import type { AuditEntry } from '@whereabouts/contracts/messages/audit'
import { KeyState, MemberState, OrgState } from '@whereabouts/contracts/messages/keys-state'
import type { Erasure } from '@whereabouts/contracts/messages/usage'
import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { organizationRows } from '@whereabouts/testing/database/organization-rows'
import { expect } from 'vitest'
import { test, type Keys, type Org } from '../../../test/keys.fixture.ts'
import { recordAudit } from '../../organizations/audit/recording.queries.ts'
import { reapply } from '../../restore/reapply.ts'
import { publishAll } from '../../restore/states.ts'
import { eraseDeleted } from './erasures.loop.ts'

const DAY_MS = 24 * 3_600_000
const remove = (keys: Keys, org: Org, name: unknown = 'Acme', caller = keys.admin(org)) =>
  keys.send(`/api/v1/orgs/${org.orgId}`, { method: 'DELETE', body: { name }, caller })

const published = async ({ database }: Keys, subject: string) => {
  const { rows } = await database.pool.query<{ payload: unknown; headers: Record<string, string> }>(
    'select payload, headers from outbox where subject like $1 order by id',
    [subject],
  )
  return rows
}

/** Runs the job once, with services that answer as given and a clock that is ahead. */
async function erase(
  keys: Keys,
  {
    answer = () => ({ deleted: 0, left: false }),
    aheadMs = 60_000,
  }: {
    answer?: (subject: string, orgId: number) => Erasure
    aheadMs?: number
  } = {},
) {
  const dropped: number[] = []
  await eraseDeleted({
    owner: keys.database.db,
    askToErase: async (subject, orgId) => answer(subject, orgId),
    dropDeadLetters: async (orgId) => void dropped.push(orgId),
    log: createLogger('keys', 'silent'),
    now: () => Date.now() + aheadMs,
  })
  return dropped
}

const rowsOf = ({ database }: Keys, orgId: number) => organizationRows(database.pool, orgId)
const due = ({ database }: Keys, org: Org) =>
  database.pool.query('update deleted_org set next_at = clock_timestamp() where id = $1', [org.orgId])
const noted = async ({ database: { db } }: Keys, org: Org) =>
  db.selectFrom('deleted_org').selectAll().where('id', '=', org.orgId).executeTakeFirst()

const entryOf = (orgId: number): AuditEntry => ({
  id: randomUUID(),
  org_id: orgId,
  at: new Date().toISOString(),
  actor: { type: 'operator', id: null },
  ip: null,
  request_id: null,
  action: 'org.update',
  subject: { type: 'org', id: orgId, external_key: null },
  changes: {},
})

/** An organization with members, keys, an invitation and rows of the audit. */
async function filled(keys: Keys): Promise<Org> {
  const org = await keys.signUp()
  await keys.join(org)
  await keys.invite(org, 'carl@example.com')
  const parent = await keys.createKey(org, { scopes: ['scans:write'] })
  await keys.exchange(await keys.createKey(org))
  await keys.database.pool.query('update api_key set created_by_key_id = $2 where org_id = $1 and id <> $2', [
    org.orgId,
    parent.id,
  ])
  await recordAudit(keys.database.db, [entryOf(org.orgId)])
  await keys.database.pool.query(`insert into mqtt_client (client_id, org_id) values ('gate-' || $1::bigint, $1::bigint)`, [org.orgId]) // oxfmt-ignore
  return org
}

test('D15.3 access ends at once: keys, sessions and sign-in; webhooks stop; another organization keeps all', async ({
  keys,
}) => {
  const [org, other] = [await filled(keys), await filled(keys)]
  const key = await keys.createKey(org)
  const before = await rowsOf(keys, other.orgId)
  const response = await remove(keys, org)
  expect([response.statusCode, response.body]).toEqual([202, ''])
  expect((await keys.exchange(key)).statusCode).toBe(401)
  const refresh = { refresh_token: org.session.refresh_token }
  expect((await keys.post('/api/v1/auth/refresh', refresh)).statusCode).toBe(401)
  const [state] = (await published(keys, `keys.org.${org.orgId}`)).slice(-1)
  const last = OrgState.parse(state?.payload)
  expect(last).toMatchObject({ name: '', deleted_at: expect.any(String) })
  expect(Date.parse(last.subscription_ends_at ?? '')).toBeLessThanOrEqual(Date.now())
  const members = (await published(keys, `keys.member.${org.orgId}.%`)).slice(-2)
  for (const { payload, headers } of members) {
    expect(MemberState.parse(payload).deleted_at).not.toBeNull()
    expect(headers).toMatchObject({ 'Nats-TTL': '7200s' })
  }
  const { rows: live } = await keys.database.pool.query(
    'select jti from api_key where org_id = $1 and revoked_at is null',
    [org.orgId],
  )
  expect(live).toEqual([])
  const { rows: waiting } = await keys.database.pool.query('select from pending_disconnect where jti = $1', [key.jti]) // oxfmt-ignore
  expect(waiting).toHaveLength(1)
  expect(await rowsOf(keys, other.orgId)).toEqual(before)
  expect((await remove(keys, org)).statusCode).toBe(401) // again: the caller is not a member any more
})

test('only an administrator deletes it, who names it exactly', async ({ keys }) => {
  const [org, other] = [await keys.signUp(), await keys.signUp()]
  const ben = await keys.join(org)
  for (const name of ['acme', 'Acme ', '', 5, null]) {
    const refused = await remove(keys, org, name)
    expect(refused.statusCode).toBe(400)
    expect(refused.json().error.fields).toMatchObject([{ field: 'name' }])
  }
  expect((await remove(keys, org, 'Acme', keys.member(ben))).statusCode).toBe(403)
  expect((await remove(keys, org, 'Acme', keys.admin(ben))).statusCode).toBe(403) // not one in the database
  expect((await remove(keys, org, 'Acme', keys.admin(other))).statusCode).toBe(403)
  expect(await noted(keys, org)).toBeUndefined()
})

test('who deleted it is in the audit, once, until that is erased too', async ({ keys }) => {
  const org = await filled(keys)
  await remove(keys, org)
  await remove(keys, org)
  const entries = (await published(keys, `audit.${org.orgId}`)).map(({ payload }) => payload as AuditEntry)
  expect(entries.filter(({ action }) => action === 'org.delete')).toMatchObject([
    {
      actor: { type: 'user', id: org.userId },
      subject: { type: 'org', id: org.orgId },
      changes: { name: { from: 'Acme', to: null } },
    },
  ])
})

test('who has no other organization is refused at sign-in, as after a removal from the last one', async ({
  keys,
}) => {
  const [org, other] = [await keys.signUp(), await keys.signUp()]
  const ben = await keys.join(org)
  const carl = await keys.join(other)
  const path = `/api/v1/orgs/${other.orgId}/members/${carl.userId}`
  expect((await keys.send(path, { method: 'DELETE', caller: keys.admin(other) })).statusCode).toBe(204)
  await remove(keys, org)
  const signIn = async ({ email, password }: Org) => {
    const reply = await keys.post('/api/v1/auth/login', { email, password })
    return { ...reply.json().error, request_id: undefined }
  }
  const refused = await signIn(carl)
  expect(refused).toMatchObject({ status: 401, type: 'unauthorized' })
  for (const person of [org, ben]) expect(await signIn(person)).toEqual(refused)
  await erase(keys)
  for (const person of [org, ben]) expect(await signIn(person)).toEqual(refused)
})

test('rows go once all services have none left, and a person can have another organization', async ({
  keys,
}) => {
  const [org, other] = [await filled(keys), await filled(keys)]
  const before = await rowsOf(keys, other.orgId)
  await remove(keys, org)
  const left = { 'rpc.catalog.erase-organization': 3, 'rpc.tracking.erase-organization': 2 } as Record<string, number> // oxfmt-ignore
  const asked: string[] = []
  const answer = (subject: string, orgId: number): Erasure => {
    if (orgId !== org.orgId) return { deleted: 0, left: false } // of another test
    asked.push(subject)
    const rounds = left[subject] ?? 0
    left[subject] = rounds - 1
    return rounds > 0 ? { deleted: 10, left: true } : { deleted: 0, left: false }
  }
  expect(await erase(keys, { answer })).toContain(org.orgId)
  expect(asked.slice(0, 4).every((subject) => subject.startsWith('rpc.catalog'))).toBe(true)
  expect(await rowsOf(keys, org.orgId)).toEqual({})
  expect(await rowsOf(keys, other.orgId)).toEqual(before)
  expect(await noted(keys, org)).toMatchObject({
    erased: { catalog: 30, tracking: 20 },
    gone_at: expect.any(String),
  })
  const ended = await published(keys, 'keys.key.%')
  const own = ended.filter(({ payload }) => KeyState.parse(payload).org_id === org.orgId).slice(-2)
  for (const { payload, headers } of own) {
    expect(KeyState.parse(payload).revoked_at).not.toBeNull()
    expect(headers).toMatchObject({ 'Nats-TTL': '7200s' })
  }
  const { rows } = await keys.database.pool.query('select from app_user where id = $1', [org.userId])
  expect(rows).toHaveLength(1)
})

test('a service that does not answer delays it, and a crash anywhere repeats it, three times', async ({
  keys,
}) => {
  const org = await filled(keys)
  await remove(keys, org)
  for (const failing of ['rpc.catalog', 'rpc.tracking', 'rpc.webhook-dispatcher']) {
    const answer = (subject: string): Erasure => {
      if (subject.startsWith(failing)) throw new Error('no responders')
      return { deleted: 0, left: false }
    }
    await erase(keys, { answer })
    expect(await noted(keys, org)).toMatchObject({ gone_at: null })
    expect(await rowsOf(keys, org.orgId)).toMatchObject({ org: 1 })
    await due(keys, org)
  }
  await erase(keys)
  expect(await rowsOf(keys, org.orgId)).toEqual({})
})

test('requests under way end first, and late messages are looked for during eight days', async ({ keys }) => {
  const org = await filled(keys)
  await remove(keys, org)
  await erase(keys, { aheadMs: 0 })
  expect(await noted(keys, org)).toMatchObject({ gone_at: null })
  await due(keys, org)
  await erase(keys)
  await due(keys, org)
  const asked: string[] = []
  const answer = (subject: string): Erasure => {
    asked.push(subject)
    return { deleted: 0, left: false }
  }
  await recordAudit(keys.database.db, [entryOf(org.orgId)])
  expect(await rowsOf(keys, org.orgId)).toEqual({ audit: 1, audit_head: 1 })
  await erase(keys, { answer })
  expect(await rowsOf(keys, org.orgId)).toEqual({})
  expect(asked).toHaveLength(3)
  expect((await noted(keys, org))?.next_at).not.toBeNull()
  await due(keys, org)
  await erase(keys, { aheadMs: 9 * DAY_MS })
  expect((await noted(keys, org))?.next_at).toBeNull()
})

test('several replicas share the work', async ({ keys }) => {
  const orgs = [await filled(keys), await filled(keys), await filled(keys)]
  for (const org of orgs) await remove(keys, org)
  const ids = new Set(orgs.map(({ orgId }) => orgId))
  const all = (await Promise.all([erase(keys), erase(keys), erase(keys)])).flat()
  const dropped = all.filter((id) => ids.has(id))
  expect(dropped).toHaveLength(ids.size)
  expect(new Set(dropped)).toEqual(ids)
  for (const org of orgs) expect(await rowsOf(keys, org.orgId)).toEqual({})
})

test('a restored backup does not bring it back, before and after it was erased', async ({ keys }) => {
  const [org, gone] = [await filled(keys), await filled(keys)]
  await remove(keys, gone)
  const [, state] = await published(keys, `keys.org.${gone.orgId}`)
  const of = (orgId: number) => ({ ...OrgState.parse(state?.payload), org_id: orgId, revision: 0 })
  const { changed } = await reapply(keys.database.db, {
    orgs: [of(org.orgId), of(987_654)],
    keys: [],
    members: [],
  })
  expect(changed).toBe(1)
  expect(await rowsOf(keys, org.orgId)).not.toHaveProperty('membership')
  for (const id of [org.orgId, gone.orgId, 987_654])
    expect(await noted(keys, { ...org, orgId: id })).toMatchObject({ gone_at: null })
  await erase(keys)
  expect(await rowsOf(keys, org.orgId)).toEqual({})
  await keys.database.pool.query('delete from outbox')
  await publishAll(keys.database.db)
  const [last] = await published(keys, `keys.org.${org.orgId}`)
  expect(OrgState.parse(last?.payload)).toMatchObject({ name: '', deleted_at: expect.any(String) })
})
