import { randomUUID } from 'node:crypto'
import { CHAIN_END_SECONDS } from '@whereabouts/contracts/messages/keys-state'
import { expect } from 'vitest'
import { test, type Keys } from '../../../test/keys.fixture.ts'

const TOKEN = '/api/v1/oauth/token'
const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
const sidOf = (session: { access_token: string }): string => claimsOf(session.access_token).sid

/** The published ends of a chain. */
const told = (keys: Keys, chainId: string) =>
  keys.database.db
    .selectFrom('outbox')
    .select(['payload', 'keep', 'headers'])
    .where('subject', '=', `keys.chain.${chainId}`)
    .execute()

const hasEnded = async (keys: Keys, orgId: number, chainId: string) =>
  (await keys.ask(`/internal/chains/${orgId}/${chainId}`)).json().ended

test('S11a an access token names its session, and so does each refreshed one', async ({ keys }) => {
  const { session, orgId } = await keys.signUp()
  const { refresh_token } = session
  const next = (await keys.post('/api/v1/auth/refresh', { refresh_token })).json().data
  expect(sidOf(session)).toMatch(/^[0-9a-f-]{36}$/)
  expect(sidOf(next)).toBe(sidOf(session))
  expect(await hasEnded(keys, orgId, sidOf(session))).toBe(false)
})

test('S11a signing out is published once, with an expiry', async ({ keys }) => {
  const { session, orgId } = await keys.signUp()
  const { refresh_token } = session
  const before = keys.changes()
  for (let i = 0; i < 2; i += 1) await keys.post('/api/v1/auth/logout', { refresh_token })
  const chain_id = sidOf(session)
  expect(await told(keys, chain_id)).toEqual([
    {
      keep: 'last',
      payload: { org_id: orgId, chain_id, ended_at: expect.stringMatching(/Z$/) },
      headers: expect.objectContaining({ 'Nats-TTL': `${CHAIN_END_SECONDS}s` }),
    },
  ])
  expect(CHAIN_END_SECONDS).toBeGreaterThan(3_600)
  expect(keys.changes()).toBeGreaterThan(before)
  expect(await hasEnded(keys, orgId, chain_id)).toBe(true)
})

test('S11a the replay of a refresh token ends its session or chain', async ({ keys }) => {
  const org = await keys.signUp()
  const { refresh_token } = org.session
  for (let i = 0; i < 3; i += 1) await keys.post('/api/v1/auth/refresh', { refresh_token })
  expect(await told(keys, sidOf(org.session))).toHaveLength(1)

  const pair = (await keys.exchange(await keys.createKey(org))).json()
  const refresh = { grant_type: 'refresh_token', refresh_token: pair.refresh_token }
  for (let i = 0; i < 2; i += 1) await keys.post(TOKEN, refresh)
  expect(await told(keys, sidOf(pair))).toHaveLength(1)
  expect(await hasEnded(keys, org.orgId, sidOf(pair))).toBe(true)
})

test('an unknown chain, and one of another organization, has ended', async ({ keys }) => {
  const [org, other] = [await keys.signUp(), await keys.signUp()]
  expect(await hasEnded(keys, org.orgId, randomUUID())).toBe(true)
  expect(await hasEnded(keys, other.orgId, sidOf(org.session))).toBe(true)
  expect((await keys.ask('/internal/chains/x/y')).json()).toEqual({ ended: true })
})

test('S11l internal routes answer only a gateway', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await keys.createKey(org)
  const paths = [
    `/internal/keys/${key.jti}`,
    `/internal/members/${org.orgId}/${org.userId}`,
    `/internal/chains/${org.orgId}/${sidOf(org.session)}`,
  ]
  for (const path of paths) {
    expect((await keys.ask(path)).statusCode).toBe(200)
    expect((await keys.send(path)).statusCode).toBe(401)
    expect((await keys.send(path, { caller: keys.admin(org) })).statusCode).toBe(401)
    const forged = { 'x-principal': org.session.access_token }
    expect((await keys.send(path, { headers: forged })).statusCode).toBe(401)
  }
})

test.for([
  { scope: 'assets:read', granted: 'assets:read' },
  { scope: ' scans:read  assets:read assets:read ', granted: 'assets:read scans:read' },
  { scope: '', granted: 'assets:read locations:read scans:read' },
  { scope: undefined, granted: 'assets:read locations:read scans:read' },
])('D12.1 scope "$scope" grants "$granted"', async ({ scope, granted }, { keys }) => {
  const key = await keys.createKey(await keys.signUp(), {
    scopes: ['assets:read', 'locations:read', 'scans:read'],
  })
  const { client_id, client_secret } = key
  const body = { grant_type: 'client_credentials', client_id, client_secret, scope }
  const pair = (await keys.post(TOKEN, body)).json()
  expect(pair.scope).toBe(granted)
  expect(claimsOf(pair.access_token).scopes).toEqual(granted.split(' '))
  const next = (
    await keys.post(TOKEN, { grant_type: 'refresh_token', refresh_token: pair.refresh_token })
  ).json()
  expect(next.scope).toBe(granted)
  expect(claimsOf(next.access_token).scopes).toEqual(granted.split(' '))
})

test('D12.1 a refresh may narrow the scopes, never widen them', async ({ keys }) => {
  const key = await keys.createKey(await keys.signUp(), { scopes: ['assets:read', 'locations:read'] })
  const { client_id, client_secret } = key
  const first = { grant_type: 'client_credentials', client_id, client_secret }
  const lacking = await keys.post(TOKEN, { ...first, scope: 'assets:read keys:admin' })
  expect(lacking.statusCode).toBe(400)
  expect(lacking.json().error.fields).toMatchObject([{ field: 'scope', code: 'invalid_value' }])
  const pair = (await keys.post(TOKEN, first)).json()
  const refresh = { grant_type: 'refresh_token', refresh_token: pair.refresh_token }
  const narrower = (await keys.post(TOKEN, { ...refresh, scope: 'assets:read' })).json()
  expect(narrower.scope).toBe('assets:read')
  const next = { ...refresh, refresh_token: narrower.refresh_token }
  const wider = await keys.post(TOKEN, { ...next, scope: 'locations:read' })
  expect(wider.statusCode).toBe(400)
  expect(wider.json().error.fields).toMatchObject([{ field: 'scope', code: 'invalid_value' }])
  expect((await keys.post(TOKEN, next)).json().scope).toBe('assets:read')
})

test('D12.1 a wrong secret is reported before a wrong scope', async ({ keys }) => {
  const key = await keys.createKey(await keys.signUp())
  const body = { grant_type: 'client_credentials', client_id: key.client_id, client_secret: 'wrong' }
  expect((await keys.post(TOKEN, { ...body, scope: 'keys:admin' })).statusCode).toBe(401)
})
