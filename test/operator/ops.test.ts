import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { opsEnvFile } from '@whereabouts/deploy/workshop/stack/ops-env'
import { roleUrl } from '@whereabouts/deploy/installation/services'
import { DATABASE } from '@whereabouts/deploy/database/roles'
import pg from 'pg'
import { describe, expect, test, vi } from 'vitest'
import { ops, operatorOf, runProgram } from '../system/operator.ts'
import { newAsset, newLocation, newOrganization, newReader, newWebhook } from '../system/organization.ts'
import { connectReader } from '../system/readers.ts'
import {
  dataDir,
  received,
  receiverUrl,
  restartService,
  secrets,
  stopService,
  urls,
} from './support/system.ts'

const operate = operatorOf({ dataDir })
const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const ID = expect.any(Number)

type Sent = { token?: string; body?: unknown }
/** The fields of responses that tests read. */
type Body = {
  access_token: string
  data: { access_token: string; id: number; client_id: string; client_secret: string }
}
type Reply = { status: number; headers: Headers; json: Body }

async function call(method: string, path: string, { token, body }: Sent = {}): Promise<Reply> {
  const response = await fetch(`${urls.base}/api/v1${path}`, {
    method,
    headers: {
      'user-agent': 'operator-test/1',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    json: text === '' ? undefined : JSON.parse(text),
  }
}

let count = 0

/** A new organization with a signed-in administrator. */
async function newOrg(name = 'Acme') {
  count += 1
  const email = `operator-${process.pid}-${count}@example.com`
  const args = ['org', 'create', '--name', name, '--admin-email', email, '--admin-name', 'Ada', '--json']
  const { org, password } = (await operate(args)).json()
  const login = await call('POST', '/auth/login', { body: { email, password } })
  return { orgId: org.id, email, session: login.json.data.access_token }
}

async function newKey({ orgId, session }: { orgId: number; session: string }) {
  const body = { name: 'Dock', scopes: ['assets:read'] }
  const created = await call('POST', `/orgs/${orgId}/api-keys`, { token: session, body })
  const { id, client_id, client_secret } = created.json.data
  const exchange = async (): Promise<Reply> =>
    call('POST', '/oauth/token', { body: { grant_type: 'client_credentials', client_id, client_secret } })
  return {
    id: String(id),
    jti: client_id,
    exchange,
    token: (await exchange()).json.access_token,
  }
}

const listAssets = (token: string) => call('GET', '/assets?limit=1', { token })
const kidOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid

// First and alone: their time limits are part of the contract (D9.3).
describe('key limit', () => {
  test('a limit applies at the gateway within a second, and default resets it', async () => {
    const key = await newKey(await newOrg())
    const limit = async () => (await listAssets(key.token)).headers.get('x-ratelimit-limit')
    expect(await limit()).toBe('60')
    const set = await operate(['key', 'limit', key.id, '--per-minute', '7', '--json'])
    expect(set.json()).toMatchObject({
      key: { id: Number(key.id), jti: key.jti, rate_limit_per_minute: 7 },
      changed: true,
      published: true,
    })
    await expect.poll(limit, { timeout: 1_000, interval: 20 }).toBe('7')
    const again = await operate(['key', 'limit', key.jti, '--per-minute', '7', '--json'])
    expect(again.json()).toMatchObject({ changed: false, published: true })
    expect((await operate(['key', 'limit', key.jti, '--per-minute', 'default'])).stdout).toContain('default')
    await expect.poll(limit, { timeout: 1_000, interval: 20 }).toBe('60')
  })
})

describe('key list and revoke', () => {
  test('a revoked key is refused within a second, listed only by --all, and can be revoked again', async () => {
    const org = await newOrg()
    const [kept, gone] = [await newKey(org), await newKey(org)]
    expect((await listAssets(gone.token)).status).toBe(200)
    const revoked = await operate(['key', 'revoke', gone.jti, '--json'])
    await expect
      .poll(async () => (await listAssets(gone.token)).status, { timeout: 1_000, interval: 20 })
      .toBe(401)
    expect((await gone.exchange()).status).toBe(401)
    expect(revoked.json()).toEqual({
      key: {
        id: Number(gone.id),
        jti: gone.jti,
        org_id: org.orgId,
        name: 'Dock',
        scopes: ['assets:read'],
        rate_limit_per_minute: null,
        message_rate_per_second: null,
        created_at: INSTANT,
        created_by: ID,
        created_by_key_id: null,
        expires_at: null,
        revoked_at: INSTANT,
        last_used_at: INSTANT,
      },
      changed: true,
      published: true,
    })
    const again = await operate(['key', 'revoke', gone.id])
    expect(again).toMatchObject({ exitCode: 0, stderr: '' })
    expect(again.stdout).toContain(`was revoked already, at ${revoked.json().key.revoked_at}`)
    const list = async (...flags: string[]) =>
      (await operate(['key', 'list', '--org', String(org.orgId), '--json', ...flags])).json()
    expect(await list()).toMatchObject({ data: [{ jti: kept.jti }], total_count: 1, limit: 100, offset: 0 })
    expect(await list('--all')).toMatchObject({
      data: [{ jti: gone.jti }, { jti: kept.jti }],
      total_count: 2,
    })
    const limited = await operate(['key', 'limit', gone.id, '--per-minute', '5', '--json'])
    expect(limited.exitCode).toBe(1)
    expect(limited.json().error.type).toBe('conflict')
    expect((await listAssets(kept.token)).status).toBe(200)
  })
})

describe.concurrent('org create', () => {
  const args = (email: string, ...more: string[]) => [
    'org',
    'create',
    '--name',
    'New Org',
    '--admin-email',
    email,
    '--admin-name',
    'Grace',
    ...more,
  ]

  test('a generated password is shown once and works', async () => {
    const made = await operate(args('grace@example.com'))
    expect(made).toMatchObject({ exitCode: 0, stderr: '' })
    const password = /^Password +(\S{24}) /m.exec(made.stdout)?.[1]
    const login = await call('POST', '/auth/login', { body: { email: 'grace@example.com', password } })
    expect(login.json.data).toMatchObject({
      user: { name: 'Grace', email: 'grace@example.com', role: 'admin' },
      org: { name: 'New Org' },
    })
    const listed = await operate(['org', 'list', '--q', 'GRACE@'])
    expect(listed.stdout).toContain('New Org')
    expect(listed.stdout).not.toContain(password)
  })

  test('a password from standard input works and is never printed', async () => {
    const made = await operate(args('lin@example.com', '--password-stdin', '--json'), 'from stdin ünï\n')
    expect(made.json()).toEqual({
      org: { id: ID, name: 'New Org', created_at: INSTANT, subscription_ends_at: null },
      admin: { id: ID, name: 'Grace', email: 'lin@example.com' },
      password: null,
      published: true,
    })
    const body = { email: 'lin@example.com', password: 'from stdin ünï' }
    expect((await call('POST', '/auth/login', { body })).status).toBe(200)
  })

  test('an e-mail in use fails, names its member and creates nothing', async () => {
    const { orgId, email } = await newOrg('Taken')
    const again = await operate(args(email.toUpperCase(), '--json'))
    expect(again.exitCode).toBe(1)
    expect(again.stdout).toBe('')
    expect(again.json()).toEqual({
      error: {
        type: 'conflict',
        message: expect.stringContaining(`admin of organization ${orgId} "Taken"`),
        memberships: [{ user_id: ID, user_name: 'Ada', org_id: orgId, org_name: 'Taken', role: 'admin' }],
      },
    })
    expect((await operate(['org', 'list', '--q', email, '--json'])).json().total_count).toBe(1)
  })

  test('the sign-up rules apply, and errors name the flag', async () => {
    const made = await operate(args('no address', '--password-stdin', '--json'), 'short')
    expect(made.exitCode).toBe(2)
    expect(made.json().error).toEqual({
      type: 'usage',
      message:
        '--admin-email must be an e-mail address\nthe password on standard input must be at least 10 characters',
    })
  })
})

describe.concurrent('org subscription', () => {
  test('deliveries stop at its end and resume when it is extended, without those in between', async () => {
    const org = await newOrganization({ urls }, 'subscriber')
    const locationId = await newLocation(org, 'Dock', 'DOCK-1')
    await newReader(org, { key: 'gate-1', format: 'canonical', locationId, antennas: 1 })
    await newWebhook(org, receiverUrl.replace('/hook', '/subscription'))
    const reader = await connectReader({ urls }, org.readerKey, 'nats')
    const delivered = async () =>
      (await received())
        .filter(({ path }) => path === '/subscription')
        .map(({ body }) => JSON.parse(body).data.asset.name)
    const dropped = async () => {
      const metrics = await (await fetch(`${urls.ops['webhook-dispatcher']}/metrics`)).text()
      return Number(/^webhook_dropped_total\{[^}]*subscription_lapsed[^}]*\} (\d+)/m.exec(metrics)?.[1] ?? 0)
    }
    /** The first scan of an asset: one movement, one event. */
    const move = async (name: string) => {
      await newAsset(org, name, [{ tag_type: 'barcode', value: name }])
      const read = { tag: { type: 'barcode', value: name }, antenna: 1 }
      await reader.publish(org.id, 'gate-1', 'canonical', Buffer.from(JSON.stringify({ reads: [read] })))
    }
    const subscription = (endsAt: string) =>
      operate(['org', 'subscription', String(org.id), '--ends-at', endsAt, '--json'])

    await move('before')
    await vi.waitFor(async () => expect(await delivered()).toEqual(['before']), { timeout: 10_000 })
    expect((await subscription('2026-01-01T01:00:00+01:00')).json()).toEqual({
      org: {
        id: org.id,
        name: 'subscriber',
        created_at: INSTANT,
        subscription_ends_at: '2026-01-01T00:00:00.000Z',
      },
      changed: true,
      published: true,
    })
    expect((await subscription('2026-01-01T00:00:00Z')).json()).toMatchObject({ changed: false })
    await move('lapsed')
    await vi.waitFor(async () => expect(await dropped()).toBe(1), { timeout: 10_000 })
    expect((await subscription('never')).json().org.subscription_ends_at).toBeNull()
    await move('after')
    await vi.waitFor(async () => expect(await delivered()).toEqual(['before', 'after']), { timeout: 10_000 })
    await reader.close()
  })
})

describe.concurrent('signing-keys', () => {
  const keysDatabase = () => roleUrl('keys', { secrets, postgresUrl: urls.postgres, database: DATABASE })

  async function changeKeys(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: keysDatabase() })
    await client.connect()
    await client.query(statement)
    await client.end()
  }
  /** So that the test does not wait for a rotation. */
  const ageNextKey = () => changeKeys("update signing_key set created_at = created_at - interval '1 hour'")
  /** The shared system may have been running for long. */
  const renewNextKey = () =>
    changeKeys('update signing_key set created_at = clock_timestamp() where activated_at is null')

  test(
    'a rotation changes the signing key and refuses no client, before, during or after it',
    { concurrent: false, timeout: 90_000 },
    async () => {
      const org = await newOrg()
      const keys = [await newKey(org), await newKey(org)] as const
      for (const { id } of keys) await operate(['key', 'limit', id, '--per-minute', '1000000'])
      const statuses = new Map<number, number>()
      const kids = new Set<string>()
      let isOver = false
      /** Two clients, each with a new token every second and with an old token. */
      const sendRequests = async (key: (typeof keys)[number]) => {
        while (!isOver) {
          const exchanged = await key.exchange()
          const fresh = exchanged.json.access_token
          const replies = [exchanged]
          for (let i = 0; i < 10; i += 1) replies.push(await listAssets(fresh), await listAssets(key.token))
          for (const { status } of replies) statuses.set(status, (statuses.get(status) ?? 0) + 1)
          if (exchanged.status === 200) kids.add(kidOf(fresh))
          await delay(1_000)
        }
      }
      const requests = Promise.all(keys.map(sendRequests))
      const before = kidOf(keys[0].token)

      await renewNextKey()
      const early = await operate(['signing-keys', 'rotate', '--json'])
      expect(early.exitCode).toBe(1)
      expect(early.json().error).toMatchObject({ type: 'too_early', ready_at: INSTANT })
      await ageNextKey()
      const rotated = await operate(['signing-keys', 'rotate', '--json'])
      const none = { activated_at: null, retired_at: null, ready_at: null, published_until: null }
      expect(rotated.json().data).toEqual([
        {
          ...none,
          kid: before,
          state: 'retired',
          created_at: INSTANT,
          activated_at: INSTANT,
          retired_at: INSTANT,
          published_until: INSTANT,
        },
        { ...none, kid: expect.any(String), state: 'active', created_at: INSTANT, activated_at: INSTANT },
        { ...none, kid: expect.any(String), state: 'next', created_at: INSTANT, ready_at: INSTANT },
      ])
      const after = rotated.json().data[1]?.kid
      expect((await operate(['signing-keys', 'list', '--json'])).json()).toEqual(rotated.json())

      // The running service caches its signing key for half a minute.
      await vi.waitFor(() => expect(kids).toContain(after), { timeout: 40_000, interval: 200 })
      isOver = true
      await requests
      expect([...statuses.keys()]).toEqual([200])
      expect(statuses.get(200)).toBeGreaterThan(100)
      expect(kids).toEqual(new Set([before, after]))
      expect((await listAssets(org.session)).status).toBe(200)
      expect((await operate(['signing-keys', 'rotate'])).stderr).toContain('Nothing has changed.')
    },
  )

  test(
    'with the secret of another system it exits with 78, and tokens are signed as before',
    { concurrent: false },
    async () => {
      await ageNextKey()
      const env = { DATABASE_URL: keysDatabase(), SIGNING_KEY_SECRET: 'A'.repeat(43) }
      const ran = await ops(['signing-keys', 'rotate'], env)
      expect(ran).toMatchObject({ exitCode: 78, stdout: '' })
      expect(ran.stderr).toMatch(/^signing key \S+ cannot be opened: was SIGNING_KEY_SECRET changed\?\n$/)
      expect((await listAssets((await newKey(await newOrg())).token)).status).toBe(200)
    },
  )
})

describe.concurrent('failures', () => {
  test.for([
    { args: ['org', 'list'], why: 'DATABASE_URL is not set' },
    {
      args: ['signing-keys', 'rotate'],
      env: { DATABASE_URL: 'postgres://a@127.0.0.1:1/b' },
      why: 'SIGNING_KEY_SECRET is not set',
    },
  ])(
    'without configuration $args exits with 78 and names the missing variable',
    async ({ args, env = {}, why }) => {
      const ran = await ops(args, env)
      expect(ran).toMatchObject({ exitCode: 78, stdout: '', stderr: expect.stringContaining(why) })
    },
  )

  test('an unreachable database is named as the cause, without its password', async () => {
    const ran = await ops(['org', 'list', '--json'], {
      DATABASE_URL: 'postgres://keys:hunter2@127.0.0.1:1/x',
    })
    expect(ran.exitCode).toBe(1)
    expect(ran.json().error).toMatchObject({
      type: 'unavailable',
      message: expect.stringContaining('ECONNREFUSED'),
    })
    expect(ran.stderr).not.toContain('hunter2')
  })

  test.for([
    { line: 'org subscription 1 --ends-at never' },
    { line: 'key list --org 1' },
    { line: 'key limit 9007199254740993 --per-minute 5' },
    { line: 'key revoke 00000000-0000-0000-0000-000000000001' },
  ])('an unknown id fails with 1 and not_found: $line', async ({ line }) => {
    const ran = await operate([...line.split(' '), '--json'])
    expect(ran).toMatchObject({ exitCode: 1, stdout: '' })
    expect(ran.json().error.type).toBe('not_found')
  })

  test('wrong arguments exit with 2 before any connection', async () => {
    expect(await ops(['key', 'revoke', 'dock'])).toMatchObject({ exitCode: 2, stdout: '' })
    expect((await ops(['org', 'list', '--limit', 'x', '--json'])).json().error.type).toBe('usage')
  })
})

describe.concurrent('the local stack', () => {
  const launcher = ['deploy/workshop/launch/run.mjs', 'ops', '--', 'org', 'list', '--json']

  test('pnpm ops works on the data folder of npm start and prints only the result', async () => {
    const { PATH = '' } = process.env
    const ran = await runProgram(launcher, { env: { PATH, DATA_DIR: dataDir } })
    expect(ran).toMatchObject({ exitCode: 0 })
    expect(ran.json()).toMatchObject({ limit: 100, offset: 0, total_count: expect.any(Number) })
  })

  test('npm run dead-letters works on it too', async () => {
    const { PATH = '' } = process.env
    const args = ['deploy/workshop/launch/run.mjs', 'dead-letters', 'list', '--json']
    const ran = await runProgram(args, { env: { PATH, DATA_DIR: dataDir } })
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' })
    expect(ran.json()).toMatchObject({ total: expect.any(Number), next_before: null })
  })

  test('its credentials are readable by their owner only', () => {
    expect(statSync(opsEnvFile(dataDir)).mode & 0o777).toBe(0o600)
    expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600)
  })
})

// Alone: the keys service is down meanwhile.
test('without a running keys service a change is stored, reported as unpublished, and published later', async () => {
  const key = await newKey(await newOrg())
  await stopService('keys')
  const revoked = await operate(['key', 'revoke', key.id, '--json'])
  expect(revoked.exitCode).toBe(0)
  expect(revoked.json()).toMatchObject({ changed: true, published: false })
  expect((await listAssets(key.token)).status).toBe(200)
  await restartService('keys')
  await expect.poll(async () => (await listAssets(key.token)).status, { timeout: 15_000 }).toBe(401)
  expect((await operate(['key', 'revoke', key.id])).stdout).not.toContain('not heard')
})
