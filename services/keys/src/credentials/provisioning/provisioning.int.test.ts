import { limits } from '@whereabouts/contracts/limits'
import { describe, expect } from 'vitest'
import { test, type Keys, type Org } from '../../../test/keys.fixture.ts'
import { updateLimit } from '../../organizations/orgs/orgs.queries.ts'
import { purgeExpiredLinks } from './provisioning.queries.ts'

const DOCK = { reader_key: 'dock-1', format: 'impinj' }

const linkFor = (keys: Keys, org: Org, caller = keys.admin(org)) =>
  keys.post(`/api/v1/orgs/${org.orgId}/provisioning-links`, DOCK, { caller })

async function tokenFor(keys: Keys, org: Org): Promise<string> {
  const response = await linkFor(keys, org)
  expect(response.statusCode).toBe(201)
  return response.json().data.token
}

const open = (keys: Keys, token: string, address?: string) =>
  keys.post('/api/v1/auth/provision', { token }, address === undefined ? {} : { address })

const keysOf = async (keys: Keys, org: Org) =>
  (await keys.send(`/api/v1/orgs/${org.orgId}/api-keys`, { caller: keys.admin(org) })).json().data

const USELESS = {
  status: 404,
  type: 'not_found',
  detail: 'The link was used, has expired or was withdrawn. Ask for a new one.',
}

async function expectUseless(keys: Keys, ...tokens: string[]): Promise<void> {
  for (const token of tokens) expect((await open(keys, token)).json().error).toMatchObject(USELESS)
}

describe('D16.1 a provisioning link', () => {
  test('creates a key for its reader alone when it is used, and works once', async ({ keys }) => {
    const org = await keys.signUp()
    const link = await linkFor(keys, org)
    expect(link.headers['cache-control']).toBe('no-store')
    const { token, expires_at } = link.json().data
    const hours = (Date.parse(expires_at) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(23.9)
    expect(hours).toBeLessThanOrEqual(24)
    expect(await keysOf(keys, org)).toEqual([])

    const before = keys.changes()
    const opened = await open(keys, token)
    expect([opened.statusCode, opened.headers['cache-control']]).toEqual([200, 'no-store'])
    const { data } = opened.json()
    expect(data).toMatchObject({ org_id: org.orgId, ...DOCK })
    expect(keys.changes()).toBe(before + 1)
    const [key] = await keysOf(keys, org)
    expect(key).toMatchObject({
      jti: data.client_id,
      name: 'dock-1 (provisioned)',
      scopes: ['scans:write'],
      reader_key: 'dock-1',
      created_by: org.userId,
      expires_at: null,
    })
    expect((await keys.exchange({ ...key, ...data })).statusCode).toBe(200)
    const state = await keys.database.db
      .selectFrom('outbox')
      .select('subject')
      .where('subject', '=', `keys.key.${data.client_id}`)
      .execute()
    expect(state).toHaveLength(1)
    await expectUseless(keys, token, 'unknown')
    expect(await keysOf(keys, org)).toHaveLength(1)
  })

  test('works for one of two at the same moment', async ({ keys }) => {
    const org = await keys.signUp()
    const token = await tokenFor(keys, org)
    const both = await Promise.all([open(keys, token), open(keys, token)])
    expect(new Set(both.map(({ statusCode }) => statusCode))).toEqual(new Set([200, 404]))
    expect(await keysOf(keys, org)).toHaveLength(1)
  })

  test('is stored as a digest, expires and is purged', async ({ keys }) => {
    const org = await keys.signUp()
    const token = await tokenFor(keys, org)
    const rows = await keys.database.db
      .selectFrom('provisioning_link')
      .selectAll()
      .where('org_id', '=', org.orgId)
      .execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token)
    await expire(keys, org)
    await expectUseless(keys, token)
    expect(await purgeExpiredLinks(keys.database.worker.db, 1_000)).toBe(1)
  })

  test('is for administrators of the organization', async ({ keys }) => {
    const [org, other] = [await keys.signUp(), await keys.signUp()]
    const ben = await keys.join(org)
    expect((await linkFor(keys, org, keys.member(ben))).statusCode).toBe(403)
    // A demotion that has not reached the gateway.
    expect((await linkFor(keys, org, keys.admin(ben))).statusCode).toBe(403)
    expect((await linkFor(keys, org, keys.admin(other))).statusCode).toBe(403)
    await open(keys, await tokenFor(keys, other))
    expect(await keysOf(keys, org)).toEqual([])
    expect(await keysOf(keys, other)).toHaveLength(1)
  })

  test('ends with the rights and with the membership of who made it', async ({ keys }) => {
    const org = await keys.signUp()
    const [demoted, removed] = [await keys.join(org, 'admin'), await keys.join(org, 'admin')]
    const tokens = [await tokenFor(keys, demoted), await tokenFor(keys, removed)]
    const member = ({ userId }: Org) => `/api/v1/orgs/${org.orgId}/members/${userId}`
    const by = { caller: keys.admin(org) }
    await keys.send(member(demoted), { method: 'PATCH', body: { role: 'member' }, ...by })
    await keys.send(member(removed), { method: 'DELETE', ...by })
    await expectUseless(keys, ...tokens)
    expect(await keysOf(keys, org)).toEqual([])
  })

  test('counts in the limit of keys, and is not used up by it', async ({ keys }) => {
    const org = await keys.signUp()
    const key = await keys.createKey(org)
    await keys.database.db.transaction().execute((tx) => updateLimit(tx, org.orgId, 'api_keys', 1))
    const token = await tokenFor(keys, org)
    const refused = (await open(keys, token)).json().error
    expect(refused).toMatchObject({ status: 409, type: 'conflict' })
    expect(refused.detail).toMatch(/^The organization has 1 API keys/)
    const path = `/api/v1/orgs/${org.orgId}/api-keys/${key.id}`
    await keys.send(path, { method: 'DELETE', caller: keys.admin(org) })
    expect((await open(keys, token)).statusCode).toBe(200)
  })

  test('is refused beyond 100 open ones, also of two at the same moment', async ({ keys }) => {
    const [org, other] = [await keys.signUp(), await keys.signUp()]
    const most = limits.provisioningLinks.organization
    const token = await tokenFor(keys, org)
    await Promise.all(Array.from({ length: most - 2 }, () => tokenFor(keys, org)))
    const last = await Promise.all([linkFor(keys, org), linkFor(keys, org)])
    expect(new Set(last.map(({ statusCode }) => statusCode))).toEqual(new Set([201, 409]))
    expect((await linkFor(keys, other)).statusCode).toBe(201)
    await open(keys, token)
    expect((await linkFor(keys, org)).statusCode).toBe(201)
    expect((await linkFor(keys, org)).statusCode).toBe(409)
    await expire(keys, org)
    expect((await linkFor(keys, org)).statusCode).toBe(201)
  })

  // More than the shared bucket and, on a slow machine, the local one together.
  test('allows few attempts from one address', async ({ keys }) => {
    const attempt = () => open(keys, 'x', '2001:db8:2::1')
    const all = await Promise.all(Array.from({ length: 45 }, attempt))
    expect(new Set(all.map(({ statusCode }) => statusCode))).toEqual(new Set([404, 429]))
  })
})

const expire = (keys: Keys, org: Org) =>
  keys.database.pool.query(`update provisioning_link set expires_at = clock_timestamp() where org_id = $1`, [
    org.orgId,
  ])
