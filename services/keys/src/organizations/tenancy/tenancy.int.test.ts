import { createLogger } from '@whereabouts/service-kit/observe/logging'
import { createRegistry } from '@whereabouts/service-kit/observe/metrics'
import { testCallers, type Caller } from '@whereabouts/testing/caller'
import { withoutOrgFilter } from '@whereabouts/testing/database/without-org-filter'
import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { buildApp } from '../../app.ts'
import type { Tenants } from '../../db.ts'
import { ADDRESS_RATE, test, type Keys, type Org } from '../../../test/keys.fixture.ts'
import { findOrg } from '../orgs/orgs.queries.ts'

/** The service with statements that omit the organization, on the database of this file. */
function forgetfulService(keys: Keys, tenants: Tenants) {
  const callers = testCallers('keys')
  const app = buildApp({
    tenants,
    db: keys.database.worker.db,
    log: createLogger('keys', 'fatal'),
    registry: createRegistry('keys'),
    verify: callers.verify,
    verifyGateway: (token) => callers.verifyGateway(token),
    isCredentialOptional: false,
    buckets: keys.buckets,
    devices: keys.devices,
    secondFactors: keys.secondFactors,
    addressRate: ADDRESS_RATE,
    signingKeys: keys.signingKeys,
    signOn: undefined,
    environment: 'production',
    mails: keys.mails,
    now: Date.now,
    usageElsewhere: async () => [],
    onChange: () => undefined,
  })
  return {
    close: () => app.close(),
    async call(caller: Caller, method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: unknown) {
      const headers = { ...(await callers.headersFor(caller)), 'content-type': 'application/json' }
      const payload = body === undefined ? {} : { payload: JSON.stringify(body) }
      return app.inject({ method, url, headers, ...payload })
    },
  }
}

/** An organization with a second member, a key and an invitation. */
async function fill(keys: Keys): Promise<{ org: Org; ben: Org; key: number; invitation: number }> {
  const org = await keys.signUp()
  const ben = await keys.join(org)
  const { id: key } = await keys.createKey(org)
  const body = { email: `eve-${org.orgId}@example.com`, role: 'member' }
  const path = `/api/v1/orgs/${org.orgId}/invitations`
  const made = await keys.post(path, body, { caller: keys.admin(org) })
  return { org, ben, key, invitation: made.json().data.id }
}

const rowsOf = async ({ database: { db } }: Keys, orgId: number) =>
  Promise.all(
    (['membership', 'invitation', 'api_key', 'token_chain', 'refresh_token'] as const).map((table) =>
      db.selectFrom(table).selectAll().where('org_id', '=', orgId).execute(),
    ),
  )

describe('if every statement forgets the organization', () => {
  test('lists contain only the own rows', async ({ keys }) => {
    await fill(keys)
    const { org } = await fill(keys)
    const service = forgetfulService(
      keys,
      withoutOrgFilter((orgId) => keys.tenants.forOrg(orgId)),
    )
    for (const [list, own] of [
      ['api-keys', 1],
      ['members', 2],
      ['invitations', 1],
    ] as const) {
      // oxfmt-ignore
      const answer = await service.call(keys.admin(org), 'GET', `/api/v1/orgs/${org.orgId}/${list}`)
      const { data, total_count } = answer.json<{ data: unknown[]; total_count: number }>()
      expect({ list, rows: data.length, total_count }).toEqual({ list, rows: own, total_count: own })
    }
    await service.close()
  })

  test("another organization's key, member and invitation stay unchanged", async ({ keys }) => {
    const theirs = await fill(keys)
    const mine = await keys.signUp()
    const before = await rowsOf(keys, theirs.org.orgId)
    const service = forgetfulService(
      keys,
      withoutOrgFilter((orgId) => keys.tenants.forOrg(orgId)),
    )
    const requests = [
      ['DELETE', `api-keys/${theirs.key}`],
      ['PATCH', `members/${theirs.ben.userId}`, { role: 'admin' }],
      ['DELETE', `members/${theirs.ben.userId}`],
      ['DELETE', `invitations/${theirs.invitation}`],
    ] as const
    for (const [method, path, body] of requests) {
      const answer = await service.call(keys.admin(mine), method, `/api/v1/orgs/${mine.orgId}/${path}`, body)
      expect({ method, path, status: answer.statusCode }).toEqual({ method, path, status: 404 })
    }
    expect(await rowsOf(keys, theirs.org.orgId)).toEqual(before)
    await service.close()
  })

  // Proves that the tests above would fail without row security.
  test('without row security the same statements reach another organization', async ({ keys }) => {
    await fill(keys)
    const { org } = await fill(keys)
    const service = forgetfulService(
      keys,
      withoutOrgFilter(() => keys.database.worker.db),
    )
    for (const [list, own] of [
      ['api-keys', 1],
      ['members', 2],
    ] as const) {
      // oxfmt-ignore
      const answer = await service.call(keys.admin(org), 'GET', `/api/v1/orgs/${org.orgId}/${list}`)
      expect(answer.json<{ total_count: number }>().total_count).toBeGreaterThan(own)
    }
    await service.close()
  })
})

test('an organization sees itself, its own members, and no password', async ({ keys }) => {
  const [mine, theirs] = [await fill(keys), await fill(keys)]
  const own = keys.tenants.forOrg(mine.org.orgId)
  expect(await findOrg(own, theirs.org.orgId)).toBeUndefined()
  expect(await own.selectFrom('org').select('id').execute()).toEqual([{ id: mine.org.orgId }])
  const people = await own.selectFrom('app_user').select('id').execute()
  expect(new Set(people.map(({ id }) => id))).toEqual(new Set([mine.org.userId, mine.ben.userId]))
  for (const statement of [
    sql`select password_hash from app_user`,
    sql`insert into app_user (name, email) values ('Mallory', 'm@example.com')`,
    sql`update app_user set email = 'm@example.com'`,
    sql`select * from signing_key`,
    sql`select * from pending_disconnect`,
    sql`insert into org (name) values ('Mine too')`,
  ])
    await expect(statement.execute(own)).rejects.toThrow('permission denied')
})

test('concurrent requests see only their own rows, even when some fail', async ({ keys }) => {
  const filled = await Promise.all([fill(keys), fill(keys)])
  const answers = await Promise.all(
    Array.from({ length: 80 }, async (_, i) => {
      const { org, ben } = filled[i % 2] ?? filled[0]
      const caller = keys.admin(org)
      const members = `/api/v1/orgs/${org.orgId}/members`
      // The last administrator stays: refused after the locks were taken.
      const refused =
        i % 4 < 2 ? await keys.send(`${members}/${org.userId}`, { method: 'DELETE', caller }) : undefined
      const { data } = (await keys.send(members, { caller })).json<{ data: { id: number }[] }>()
      return {
        refused: refused?.statusCode ?? 409,
        seen: data.map(({ id }) => id),
        own: [org.userId, ben.userId],
      }
    }),
  )
  expect(answers).toEqual(answers.map(({ own }) => ({ refused: 409, seen: own, own })))
})

// A running release must keep working after the next one has added a column (ADR 30).
test('a column that a migration adds does not disturb requests', async ({ keys }) => {
  const { org } = await fill(keys)
  const path = `/api/v1/orgs/${org.orgId}/api-keys`
  for (const column of ['one', 'two']) {
    const listed = await Promise.all(
      Array.from({ length: 12 }, () => keys.send(path, { caller: keys.admin(org) })),
    )
    expect(new Set(listed.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    await keys.createKey(org)
    await sql`alter table api_key add column ${sql.ref(`later_${column}`)} text`.execute(keys.database.db)
  }
  await keys.createKey(org)
  expect((await keys.send(path, { caller: keys.admin(org) })).statusCode).toBe(200)
})
