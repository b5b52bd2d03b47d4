import type { ApiKeyView } from '@whereabouts/contracts/resources/keys/api-keys'
import type { ErrorEnvelope } from '@whereabouts/contracts/errors'
import { createLocalJWKSet, decodeJwt, jwtVerify, type JSONWebKeySet } from 'jose'
import { expect } from 'vitest'
import { tokenAudience, tokenIssuer, TokenClaims } from '@whereabouts/contracts/resources/keys/token-claims'
import { test, type Key, type Keys } from '../../../test/keys.fixture.ts'
import { purgeExpiredTokens } from './tokens.queries.ts'

const PATH = '/api/v1/oauth/token'
const WRONG = { client_secret: `wb_${'0'.repeat(64)}` }

const refresh = (keys: Keys, refresh_token: string, address = '203.0.113.10') =>
  keys.post(PATH, { grant_type: 'refresh_token', refresh_token }, { address })

const basic = ({ client_id, client_secret }: Key) => ({
  authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
})

test('D9.2 an access token verifies against the published keys and names the caller', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await keys.createKey(org, { scopes: ['assets:read', 'scans:write'] })
  const response = await keys.exchange(key)
  expect(response.statusCode).toBe(200)
  expect(response.headers['cache-control']).toBe('no-store')
  const pair = response.json()
  expect(Object.keys(pair).toSorted()).toEqual([
    'access_token',
    'expires_in',
    'refresh_token',
    'scope',
    'token_type',
  ])
  expect(pair).toMatchObject({ token_type: 'Bearer', expires_in: 900 })

  const jwks = (await keys.send('/.well-known/jwks.json')).json<JSONWebKeySet>()
  const wanted = { issuer: tokenIssuer('production'), audience: tokenAudience('production') }
  const { payload } = await jwtVerify(pair.access_token, createLocalJWKSet(jwks), wanted)
  expect(TokenClaims.parse(payload)).toEqual({
    typ: 'key',
    sub: key.jti,
    org_id: org.orgId,
    scopes: ['assets:read', 'scans:write'],
    reader_key: null,
    sid: expect.any(String),
  })
  expect(Number(payload.exp) - Number(payload.iat)).toBe(900)
  expect(JSON.stringify(jwks)).not.toContain('"d"')
})

test('D16.1 an access token names the reader that its key is bound to, also after a refresh', async ({
  keys,
}) => {
  const key = await keys.createKey(await keys.signUp(), { scopes: ['scans:write'], reader_key: 'dock-1' })
  const first = (await keys.exchange(key)).json()
  const second = (await refresh(keys, first.refresh_token)).json()
  for (const { access_token } of [first, second])
    expect(decodeJwt(access_token)).toMatchObject({ scopes: ['scans:write'], reader_key: 'dock-1' })
})

test('D9.1 credentials may come as a form or by HTTP Basic', async ({ keys }) => {
  const key = await keys.createKey(await keys.signUp())
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const asForm = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: key.client_id,
    client_secret: key.client_secret,
  })
  const inForm = await keys.post(PATH, asForm.toString(), { headers: form })
  expect(inForm.statusCode).toBe(200)
  const headers = { ...form, ...basic(key) }
  const inHeader = await keys.post(PATH, 'grant_type=client_credentials', { headers })
  expect(inHeader.statusCode).toBe(200)
  const refreshed = await keys.post(
    PATH,
    `grant_type=refresh_token&refresh_token=${inHeader.json().refresh_token}`,
    { headers: form },
  )
  expect(refreshed.statusCode).toBe(200)
})

test('D9.1 unknown, wrong, revoked and expired clients get the same response', async ({ keys }) => {
  const org = await keys.signUp()
  const [wrong, revoked, expired] = [
    await keys.createKey(org),
    await keys.createKey(org),
    await keys.createKey(org, { expires_at: '2999-01-01T00:00:00Z' }),
  ]
  await keys.send(`/api/v1/orgs/${org.orgId}/api-keys/${revoked.id}`, {
    method: 'DELETE',
    caller: keys.admin(org),
  })
  await keys.database.db
    .updateTable('api_key')
    .set({ expires_at: '2020-01-01T00:00:00Z' })
    .where('id', '=', expired.id)
    .execute()
  const unknown = { ...wrong, client_id: '00000000-0000-4000-8000-000000000000' }
  const malformed = { ...wrong, client_id: 'not-a-uuid' }
  const refused = [{ ...wrong, ...WRONG }, revoked, expired, unknown, malformed]
  for (const client of refused) {
    const response = await keys.exchange(client)
    expect(response.statusCode).toBe(401)
    expect(response.json().error.detail).toBe('Invalid client credentials')
    expect(response.headers['www-authenticate']).toBe('Bearer realm="api"')
  }
})

test('a broken Authorization header is refused', async ({ keys }) => {
  const headers = { authorization: 'Basic !!!' }
  const response = await keys.post(PATH, { grant_type: 'client_credentials' }, { headers })
  expect(response.statusCode).toBe(401)
  expect(response.json().error.detail).toBe('Invalid client credentials')
})

test.for([
  { name: 'unknown grant', body: { grant_type: 'password' }, fields: [['grant_type', 'invalid_value']] },
  {
    name: 'no credentials',
    body: { grant_type: 'client_credentials' },
    fields: [
      ['client_id', 'required'],
      ['client_secret', 'required'],
    ],
  },
  {
    name: 'no refresh token',
    body: { grant_type: 'refresh_token' },
    fields: [['refresh_token', 'required']],
  },
])('$name: 400 that names the fields', async ({ body, fields }, { keys }) => {
  const response = await keys.post(PATH, body)
  expect(response.statusCode).toBe(400)
  const entries = response.json<ErrorEnvelope>().error.fields ?? []
  expect(entries.map(({ field, code }) => [field, code])).toEqual(fields)
})

test('credentials sent twice are ambiguous', async ({ keys }) => {
  const key = await keys.createKey(await keys.signUp())
  const response = await keys.exchange(key, { headers: basic(key) })
  expect(response.statusCode).toBe(400)
  expect(response.json().error.fields).toMatchObject([{ field: 'client_secret', code: 'ambiguous_fields' }])
})

test('D9.1 repeated failures are throttled without locking out the right owner', async ({ keys }) => {
  const key = await keys.createKey(await keys.signUp())
  const address = '203.0.113.20'
  const codes: number[] = []
  for (let i = 0; i < 12; i += 1)
    codes.push((await keys.exchange({ ...key, ...WRONG }, { address })).statusCode)
  expect(codes.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 401))
  expect(codes.slice(10)).toEqual([429, 429])
  expect((await keys.exchange(key, { address })).statusCode).toBe(200)
  expect((await keys.exchange({ ...key, ...WRONG }, { address: '203.0.113.21' })).statusCode).toBe(401)
})

test('last_used_at is set by an exchange, and not again within a minute', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await keys.createKey(org)
  const lastUsed = async () => {
    const caller = keys.admin(org)
    const response = await keys.send(`/api/v1/orgs/${org.orgId}/api-keys`, { caller })
    return response.json<{ data: ApiKeyView[] }>().data[0]?.last_used_at
  }
  expect(await lastUsed()).toBeNull()
  await keys.exchange(key)
  const first = await lastUsed()
  expect(first).toMatch(/Z$/)
  await keys.exchange(key)
  expect(await lastUsed()).toBe(first)
})

test('a refresh token is single use; replaying it revokes the whole chain', async ({ keys }) => {
  const key = await keys.createKey(await keys.signUp())
  const first = (await keys.exchange(key)).json()
  const second = await refresh(keys, first.refresh_token)
  expect(second.statusCode).toBe(200)
  expect(second.json()).toMatchObject({ token_type: 'Bearer', expires_in: 900 })
  const third = (await refresh(keys, second.json().refresh_token)).json()

  const replay = await refresh(keys, first.refresh_token)
  expect(replay.statusCode).toBe(401)
  expect(replay.json().error.detail).toBe('Invalid or expired refresh token')
  expect((await refresh(keys, third.refresh_token)).statusCode).toBe(401)
  expect((await keys.exchange(key)).statusCode).toBe(200)
})

test('of concurrent uses of one refresh token exactly one wins', async ({ keys }) => {
  const key = await keys.createKey(await keys.signUp())
  for (let round = 0; round < 5; round += 1) {
    const address = `203.0.113.${100 + round}` // each with its own attempts
    const { refresh_token } = (await keys.exchange(key)).json()
    const uses = await Promise.all(Array.from({ length: 6 }, () => refresh(keys, refresh_token, address)))
    const winners = uses.filter((use) => use.statusCode === 200)
    expect(winners).toHaveLength(1)
    expect(uses.filter((use) => use.statusCode === 401)).toHaveLength(5)
    const successor = winners[0]?.json().refresh_token
    expect((await refresh(keys, successor, address)).statusCode).toBe(401)
  }
})

test('D9.3 revoking the key ends its refresh tokens at once', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await keys.createKey(org)
  const { refresh_token } = (await keys.exchange(key)).json()
  const path = `/api/v1/orgs/${org.orgId}/api-keys/${key.jti}`
  await keys.send(path, { method: 'DELETE', caller: keys.admin(org) })
  expect((await refresh(keys, refresh_token)).statusCode).toBe(401)
})

test("another client's name, or a session's token, does not refresh and does not spend", async ({ keys }) => {
  const org = await keys.signUp()
  const [mine, other] = [await keys.createKey(org), await keys.createKey(org)]
  const { refresh_token } = (await keys.exchange(mine)).json()
  const address = '203.0.113.40'
  const body = { grant_type: 'refresh_token', refresh_token }
  const stolen = await keys.post(PATH, { ...body, client_id: other.client_id }, { address })
  expect(stolen.statusCode).toBe(401)
  expect((await keys.post(PATH, { ...body, client_id: mine.client_id }, { address })).statusCode).toBe(200)

  const session = { ...body, refresh_token: org.session.refresh_token }
  expect((await keys.post(PATH, session, { address })).statusCode).toBe(401)
  const again = await keys.post('/api/v1/auth/refresh', { refresh_token: org.session.refresh_token })
  expect(again.statusCode).toBe(200)
})

test('an expired refresh token is refused, and purged with its chain', async ({ keys }) => {
  const org = await keys.signUp()
  const { db } = keys.database
  const [kept, old] = [await keys.createKey(org), await keys.createKey(org)]
  await keys.exchange(kept)
  const { refresh_token } = (await keys.exchange(old)).json()
  const past = '2020-01-01T00:00:00Z'
  const chain = await db
    .updateTable('token_chain')
    .set({ expires_at: past })
    .where('key_id', '=', old.id)
    .returning('id')
    .executeTakeFirstOrThrow()
  await db.updateTable('refresh_token').set({ expires_at: past }).where('chain_id', '=', chain.id).execute()
  const body = { grant_type: 'refresh_token', refresh_token }
  expect((await keys.post(PATH, body, { address: '203.0.113.41' })).statusCode).toBe(401)
  expect(await purgeExpiredTokens(db, 100)).toBe(1)
  const left = db.selectFrom('token_chain').select('key_id').where('key_id', 'in', [kept.id, old.id])
  expect(await left.execute()).toEqual([{ key_id: kept.id }])
})

test('neither secrets nor refresh tokens are stored', async ({ keys }) => {
  const key = await keys.createKey(await keys.signUp())
  const { refresh_token } = (await keys.exchange(key)).json()
  const { rows } = await keys.database.pool.query('select t::text as row from refresh_token t')
  expect(JSON.stringify(rows)).not.toContain(refresh_token)
})
