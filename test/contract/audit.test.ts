import { randomUUID } from 'node:crypto'
import type { AuditRow } from '@whereabouts/contracts/resources/keys/audit'
import { admitsSessions } from '@whereabouts/contracts/route'
import type { OperationId } from '@whereabouts/contracts/routes'
import { describe, expect } from 'vitest'
import { jwtParts } from '../system/jwt.ts'
import type { Api } from './support/api.ts'
import { test } from './support/fixtures.ts'
import { newMember } from './support/members.ts'
import { succeed, type Organization } from './support/organization.ts'
import { callerOf, rows, type Row } from './support/rows.ts'
import { scenarios } from './scenarios/scenarios.ts'
import type { Make } from './scenarios/scenario.ts'

/** They have another method than GET, and are nobody's change. A new one belongs here only with a reason. */
const CHANGES_NOTHING: readonly OperationId[] = [
  // Its row goes with the organization, and nobody can read it (ADR 126).
  'deleteOrg',
  // Its session has a row, as tests of keys show: there is no provider here.
  'openSignOnSession',
  // Questions with a body.
  'decodeReaderMessage',
  'describeInvitation',
  'lookUpValues',
  'previewPlacement',
  'previewRule',
  // Tokens of a key or a session that has its own row. Programs get them all day.
  'createLegacyToken',
  'createToken',
  'refreshSession',
  // Ask for a mail. What its link changes has a row.
  'changeEmail',
  'forgotPassword',
  'sendVerification',
  // Its confirmation has a row.
  'createTotp',
  // Reads, as from a reader.
  'sendReaderMessage',
  'sendTestRead',
  // Messages to those whom a rule tells, which change nothing of it.
  'testRule',
  // Messages to a receiver, which its own log lists.
  'replayEndpoint',
  'replayWebhook',
  'resendEndpointDelivery',
  'resendWebhookDelivery',
  'testWebhook',
  'testWebhookEndpoint',
]

const writing = rows.filter(({ method }) => method !== 'GET')
const changing = writing.filter(({ operationId }) => !CHANGES_NOTHING.includes(operationId))

/** How the operation succeeds. */
function successOf({ operationId, success }: Row): Make {
  const make = scenarios[operationId]?.[success.status]
  if (typeof make !== 'function') throw new Error(`${operationId} has no scenario of success`)
  return make
}

const auditOf = async (
  api: Api,
  org: { id: number; admin: string },
  query: Record<string, string | number> = {},
) =>
  (
    await succeed(
      api.call('listAudit', {
        params: { org_id: org.id },
        token: org.admin,
        query: { limit: 200, ...query },
      }),
    )
  ).body as { data: AuditRow[]; total_count: number }

/** The rows of one request, once there are some. */
async function rowsOf(
  api: Api,
  orgs: readonly { id: number; admin: string }[],
  requestId: string,
): Promise<AuditRow[]> {
  const find = async () => {
    const pages = await Promise.all(orgs.map((org) => auditOf(api, org)))
    return pages.flatMap(({ data }) => data).filter(({ request_id }) => request_id === requestId)
  }
  await expect.poll(find, { timeout: 10_000, interval: 50 }).not.toEqual([])
  return find()
}

/** What an answer shows once. */
const SECRETS = new Set(['client_secret', 'access_token', 'refresh_token', 'token', 'secret', 'password'])

function secretsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) =>
    typeof part === 'string' && SECRETS.has(name) && part.length > 4 ? [part] : secretsIn(part),
  )
}

type Audited = { id: number; admin: string }

/** Where the row may be: also in the organization of which the caller or the answer is a session of an administrator. */
function auditedOrgs(org: Organization, sent: string | undefined, body: object): Audited[] {
  const answered = (body as { data?: { access_token?: string } }).data?.access_token
  const others = [answered, sent].flatMap((token) => {
    const { org_id: id, role } = token === undefined ? {} : jwtParts(token).claims
    return token !== undefined && role === 'admin' && id !== org.id ? [{ id: Number(id), admin: token }] : []
  })
  return [org, ...others]
}

/** Of scenarios whose request says what is stored already. */
const CHANGED: Partial<Record<OperationId, object>> = {
  updateCurrentUser: { name: 'Ada Byron' },
  updateMember: { role: 'viewer' },
  updateOrg: { name: 'Acme 2' },
  updatePlacement: { exit_delay_seconds: 47 },
}

/** What is restored was deleted before. */
const DELETED: Partial<Record<OperationId, OperationId>> = {
  restoreAsset: 'deleteAsset',
  restoreLocation: 'deleteLocation',
}

describe('D15.4 each change has a row, with who made it and without secrets', () => {
  test('the list of what changes nothing has no operation that is gone', () => {
    const known = new Set(writing.map(({ operationId }) => operationId))
    expect(CHANGES_NOTHING.filter((operationId) => !known.has(operationId))).toEqual([])
  })

  test.for(changing)('$operationId', async (row, { api, org, token }) => {
    const made = await successOf(row)({ api, org, token })
    const caller = row.access === 'none' ? undefined : callerOf(row, { admin: org.admin, token })
    const deletion = DELETED[row.operationId]
    if (deletion) await succeed(api.call(deletion, { params: made.params ?? {}, token }))
    const requestId = randomUUID()
    const body = CHANGED[row.operationId]
    const call = {
      token: caller,
      ...made,
      ...(body && { body }),
      headers: { ...made.headers, 'x-request-id': requestId },
    }
    const reply = await api.call(row.operationId, call)
    expect(reply.status, reply.text).toBe(row.success.status)
    const found = await rowsOf(api, auditedOrgs(org, call.token, reply.body), requestId)
    for (const { actor, action, subject, ip } of found) {
      expect(actor.name, action).toEqual(expect.any(String))
      expect(['user', 'key']).toContain(actor.type)
      expect(action).toMatch(
        new RegExp(`^${subject.type}\\.(?:create|update|delete|restore|fail|acknowledge)$`),
      )
      expect(ip).toMatch(/^[\d.:a-f]+$/)
    }
    const secrets = [...secretsIn(call.body), ...secretsIn(reply.body)]
    const text = JSON.stringify(found)
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
  })
})

test('D15.4 an update says from what to what, by whom, and an update of nothing has no row', async ({
  api,
  newOrg,
}) => {
  const org = await newOrg()
  const { user, access_token: token } = await newMember(api, org, 'admin')
  const made = (
    await succeed(api.call('createAsset', { token, body: { name: 'Pump', external_key: 'PUMP' } }))
  ).body.data
  const params = { asset_id: made.id }
  await succeed(api.call('updateAsset', { token, params, body: { name: 'Pump 2' } }))
  await succeed(api.call('updateAsset', { token, params, body: { name: 'Pump 2' } }))
  await succeed(api.call('deleteAsset', { token, params }))
  await succeed(api.call('restoreAsset', { token, params, body: {} }))
  const query = { subject_id: made.id, subject_type: 'asset' }
  const story = ['asset.restore', 'asset.delete', 'asset.update', 'asset.create']
  const actions = async () => (await auditOf(api, org, query)).data.map(({ action }) => action)
  await expect.poll(actions, { timeout: 10_000 }).toEqual(story)
  const [update] = (await auditOf(api, org, { ...query, action: 'asset.update' })).data
  expect(update).toMatchObject({
    actor: { type: 'user', id: user.id, name: user.name },
    subject: { type: 'asset', id: made.id, external_key: 'PUMP' },
    changes: { name: { from: 'Pump', to: 'Pump 2' } },
  })
  expect((await auditOf(api, org, { ...query, actor_id: user.id })).total_count).toBe(4)
  expect((await auditOf(api, org, { ...query, actor_id: org.userId })).total_count).toBe(0)
  expect((await auditOf(api, org, { ...query, from: update!.at, to: update!.at })).data).toContainEqual(
    update,
  )
  expect((await auditOf(api, org, { ...query, to: '2020-01-01T00:00:00Z' })).data).toEqual([])
})

test('D15.4 a failed sign-in has a row in the organization of the user', async ({ api, newOrg }) => {
  const org = await newOrg()
  const requestId = randomUUID()
  const body = { email: org.email, password: 'not the password' }
  expect((await api.call('logIn', { body, headers: { 'x-request-id': requestId } })).status).toBe(401)
  expect(await rowsOf(api, [org], requestId)).toMatchObject([
    { action: 'session.fail', actor: { type: 'user', id: org.userId }, changes: {} },
  ])
})

test('D15.4 who follows the cursor gets each row once, the oldest first', async ({ api, newOrg }) => {
  const org = await newOrg()
  const { token } = await org.key()
  const keys = Array.from({ length: 30 }, (_, n) => `BOX-${n}`)
  const page = async (query: Record<string, string | number>) => {
    const reply = await api.call('listAudit', { params: { org_id: org.id }, token: org.admin, query })
    return (await succeed(Promise.resolve(reply))).body as unknown as {
      data: AuditRow[]
      cursor: string
      has_more: boolean
    }
  }
  const seen: AuditRow[] = []
  let { cursor } = await page({ after: 'oldest', limit: 1 })
  const { cursor: now } = await page({ after: 'now' })
  const writes = Promise.all(
    keys.map((external_key) => api.call('createAsset', { token, body: { name: 'Box', external_key } })),
  )
  cursor = now
  await expect
    .poll(
      async () => {
        const next = await page({ after: cursor, limit: 7, action: 'asset.create' })
        cursor = next.cursor
        seen.push(...next.data)
        return seen.length
      },
      { timeout: 15_000, interval: 20 },
    )
    .toBe(keys.length)
  await writes
  expect(new Set(seen.map(({ subject }) => subject.external_key))).toEqual(new Set(keys))
  expect(seen).toHaveLength(keys.length)
  const listed = (await auditOf(api, org, { action: 'asset.create' })).data
  expect(new Set(listed.map(({ id }) => id))).toEqual(new Set(seen.map(({ id }) => id)))
})

describe('D15.4 who may read it', () => {
  test('a key with audit:read may, one without and a member may not, and no organization sees another', async ({
    api,
    newOrg,
  }) => {
    const [mine, theirs] = [await newOrg(), await newOrg()]
    const read = async (token: string, org: Organization) =>
      (await api.call('listAudit', { params: { org_id: org.id }, token })).status
    expect(await read((await mine.key({ scopes: ['audit:read'] })).token, mine)).toBe(200)
    expect(await read((await mine.key({ scopes: ['keys:admin'] })).token, mine)).toBe(403)
    expect(await read((await newMember(api, mine, 'member')).access_token, mine)).toBe(403)
    expect(await read(theirs.admin, mine)).toBe(403)
    const { data } = await auditOf(api, theirs)
    const foreign = await auditOf(api, mine, { subject_id: theirs.id })
    expect(foreign.data).toEqual([])
    expect(data.map(({ subject }) => subject.id)).not.toContain(mine.id)
    const after = (
      await api.call('listAudit', {
        params: { org_id: theirs.id },
        token: theirs.admin,
        query: { after: 'now' },
      })
    ).body
    const query = { after: (after as unknown as { cursor: string }).cursor }
    expect(
      (await api.call('listAudit', { params: { org_id: mine.id }, token: mine.admin, query })).status,
    ).toBe(400)
  })

  test('only administrators among sessions', () => {
    const row = rows.find(({ operationId }) => operationId === 'listAudit')
    expect(row && admitsSessions(row) && row.role).toBe('admin')
  })
})

test('D15.4 as CSV', async ({ api, newOrg }) => {
  const org = await newOrg()
  await expect.poll(async () => (await auditOf(api, org)).total_count, { timeout: 10_000 }).toBeGreaterThan(0)
  const headers = { accept: 'text/csv' }
  const { text } = await api.call('listAudit', { params: { org_id: org.id }, token: org.admin, headers })
  const [head, first] = text.replace('\uFEFF', '').split('\r\n')
  expect(head).toBe(
    'id,at,actor.type,actor.id,actor.name,action,subject.type,subject.id,subject.external_key,changes,ip,request_id',
  )
  expect(first).toMatch(/,user,\d+,/)
})
