import { describe, expect } from 'vitest'
import { fromNewAddress } from '../system/addresses.ts'
import { jwtParts } from '../system/jwt.ts'
import type { Reply, Api } from './support/api.ts'
import { test as base } from './support/fixtures.ts'
import type { Key, Organization } from './support/organization.ts'

type Token = Reply<{
  access_token: string
  refresh_token: string
  token_type: 'Bearer'
  expires_in: number
  scope: string
}>

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})
const grant = (fields: object) => ({ grant_type: 'client_credentials', ...fields })
const credentials = ({ clientId, clientSecret }: Key) => ({
  client_id: clientId,
  client_secret: clientSecret,
})
const asForm = (fields: Record<string, string>) => new URLSearchParams(fields).toString()

/** Sends requests to the token endpoint, each from its own address unless one is given. */
const tokenClientOf = (api: Api) => ({
  ask: (body: unknown, headers: Record<string, string> = {}): Promise<Token> =>
    api.call('createToken', { body, headers: { ...fromNewAddress(), ...headers } }),
  refresh: (token: string, headers: Record<string, string> = fromNewAddress()): Promise<Token> =>
    api.call('createToken', { body: { grant_type: 'refresh_token', refresh_token: token }, headers }),
})
type TokenClient = ReturnType<typeof tokenClientOf>

const test = base
  .extend('key', { scope: 'file' }, ({ org }) => org.key({ scopes: ['assets:read'] }))
  .extend('tokenClient', { scope: 'file' }, ({ api }) => tokenClientOf(api))

/** The tokens of another exchange of the key, which are a separate chain. */
const exchange = async ({ ask }: TokenClient, key: Key) => (await ask(grant(credentials(key)))).body

const revoke = (api: Api, org: Organization, key: Key) =>
  api.call('revokeApiKey', { params: { org_id: org.id, key_id: key.jti }, token: org.admin })

type Send = (tokenClient: TokenClient, key: Key) => Promise<Token>

describe('D9.1 client credentials are accepted in every form', () => {
  const forms: { name: string; send: Send }[] = [
    { name: 'JSON', send: ({ ask }, key) => ask(grant(credentials(key))) },
    {
      name: 'JSON with a charset',
      send: ({ ask }, key) =>
        ask(grant(credentials(key)), { 'content-type': 'application/json; charset=utf-8' }),
    },
    { name: 'a form', send: ({ ask }, key) => ask(asForm({ ...grant({}), ...credentials(key) }), FORM) },
    {
      name: 'HTTP Basic with JSON',
      send: ({ ask }, key) => ask(grant({}), basic(key.clientId, key.clientSecret)),
    },
    {
      name: 'HTTP Basic with a form, the scheme in capitals',
      send: ({ ask }, key) => {
        const { authorization } = basic(key.clientId, key.clientSecret)
        return ask(asForm(grant({})), { ...FORM, authorization: authorization.replace('Basic', 'BASIC') })
      },
    },
    {
      name: 'the client id in capitals',
      send: ({ ask }, key) => ask(grant({ ...credentials(key), client_id: key.clientId.toUpperCase() })),
    },
  ]
  test.for(forms)('$name', async ({ send }, { api, tokenClient, key }) => {
    const reply = await send(tokenClient, key)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.body).toEqual({
      access_token: expect.any(String),
      refresh_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'assets:read',
    })
    const used = await api.call('getCurrentOrg', { token: reply.body.access_token })
    expect(used.body.data.api_key_id).toBe(key.jti)
  })

  test('D9.2 the access token is EdDSA, names key and environment, and lives 15 minutes', async ({ key }) => {
    const { header, claims } = jwtParts(key.token)
    expect(header).toMatchObject({ alg: 'EdDSA', kid: expect.any(String) })
    expect(claims['iss']).toContain('local')
    expect(claims['aud']).toContain('local')
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(900)
  })
})

describe('D9.1 one text for every bad client', () => {
  test('unknown, malformed, wrong, revoked and expired clients get the same bytes', async ({
    api,
    tokenClient: { ask },
    org,
    key,
  }) => {
    const [revoked, other] = [await org.key(), await org.key()]
    await revoke(api, org, revoked)
    const expiring = await org.key({ expiresAt: new Date(Date.now() + 2_000).toISOString() })
    const expired = () => ask(grant(credentials(expiring)))
    await expect.poll(async () => (await expired()).status, { timeout: 5_000 }).toBe(401)
    const wrong = key.clientSecret.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const wrongForm = asForm({ ...grant({}), client_id: key.clientId, client_secret: wrong })
    const replies = await Promise.all([
      ask(grant({ client_id: UNKNOWN, client_secret: key.clientSecret })),
      ask(grant({ client_id: 'nobody', client_secret: key.clientSecret })),
      ask(grant({ client_id: key.clientId, client_secret: wrong })),
      ask(grant({ client_id: key.clientId, client_secret: 'x' })),
      ask(grant({ client_id: key.clientId, client_secret: other.clientSecret })),
      ask(grant({ client_id: key.clientSecret, client_secret: key.clientId })),
      ask(grant(credentials(revoked))),
      expired(),
      ask(wrongForm, FORM),
      ask(grant({}), basic(key.clientId, wrong)),
      ask(grant({}), basic(UNKNOWN, wrong)),
      ask(grant({}), { authorization: 'Basic %%%' }),
      ask(grant({}), { authorization: `Basic ${Buffer.from('no colon').toString('base64')}` }),
      ask(grant({}), { authorization: `Bearer ${org.admin}` }),
    ])
    const [first, ...others] = replies.map(comparable)
    expect(first).toMatchObject({ status: 401, error: { detail: 'Invalid client credentials' } })
    for (const [i, reply] of others.entries()) expect(reply, `answer ${i + 1}`).toEqual(first)
  })

  /** Without the values that differ between any two replies: time and request id. */
  function comparable({ status, headers, body }: Token) {
    const { date: _date, 'x-request-id': _id, ...kept } = Object.fromEntries(headers)
    const { request_id: _sameId, ...error } = body.error
    return { status, headers: kept, error }
  }
})

describe('D9.1 invalid token requests', () => {
  const invalid = (...fields: object[]) => ({ type: 'validation_error', fields })
  const cases: { name: string; status: number; send: Send; want: object }[] = [
    {
      name: 'unknown grant type',
      status: 400,
      send: ({ ask }, key) => ask({ ...credentials(key), grant_type: 'password' }),
      want: invalid({
        field: 'grant_type',
        code: 'invalid_value',
        message: 'grant_type must be one of: client_credentials, refresh_token',
        params: { allowed_values: ['client_credentials', 'refresh_token'] },
      }),
    },
    {
      name: 'unknown grant type in a form',
      status: 400,
      send: ({ ask }) => ask('grant_type=implicit', FORM),
      want: invalid({ field: 'grant_type', code: 'invalid_value' }),
    },
    {
      name: 'no grant type',
      status: 400,
      send: ({ ask }, key) => ask(credentials(key)),
      want: invalid({ field: 'grant_type', code: 'required' }),
    },
    {
      name: 'no credentials',
      status: 400,
      send: ({ ask }) => ask(grant({})),
      want: invalid({ field: 'client_id', code: 'required' }, { field: 'client_secret', code: 'required' }),
    },
    {
      name: 'an empty secret',
      status: 400,
      send: ({ ask }, key) => ask(grant({ client_id: key.clientId, client_secret: '' })),
      want: invalid({ field: 'client_secret', code: 'required' }),
    },
    {
      name: 'a secret that is a number',
      status: 400,
      send: ({ ask }, key) => ask(grant({ client_id: key.clientId, client_secret: 7 })),
      want: invalid({ field: 'client_secret', code: 'invalid_value' }),
    },
    {
      name: 'an empty grant type',
      status: 400,
      send: ({ ask }, key) => ask(asForm({ ...credentials(key), grant_type: '' }), FORM),
      want: invalid({ field: 'grant_type', code: 'required', message: 'grant_type is required' }),
    },
    {
      name: 'a scope that the key lacks',
      status: 400,
      send: ({ ask }, key) => ask(grant({ ...credentials(key), scope: 'assets:read keys:admin' })),
      want: invalid({ field: 'scope', code: 'invalid_value', params: { allowed_values: ['assets:read'] } }),
    },
    {
      name: 'a scope that is a list',
      status: 400,
      send: ({ ask }, key) => ask(grant({ ...credentials(key), scope: ['assets:read'] })),
      want: invalid({ field: 'scope', code: 'invalid_value' }),
    },
    {
      name: 'a repeated form field',
      status: 400,
      send: ({ ask }) => ask('grant_type=client_credentials&client_id=a&client_id=b&client_secret=c', FORM),
      want: invalid({ field: 'client_id', code: 'invalid_value' }),
    },
    {
      name: 'no refresh token',
      status: 400,
      send: ({ ask }) => ask({ grant_type: 'refresh_token' }),
      want: invalid({ field: 'refresh_token', code: 'required' }),
    },
    {
      name: 'an empty refresh token',
      status: 400,
      send: ({ ask }) => ask({ grant_type: 'refresh_token', refresh_token: '' }),
      want: invalid({ field: 'refresh_token', code: 'required' }),
    },
    {
      name: 'a refresh token that is a number',
      status: 400,
      send: ({ ask }) => ask({ grant_type: 'refresh_token', refresh_token: 7 }),
      want: invalid({ field: 'refresh_token', code: 'invalid_value' }),
    },
    {
      name: 'no JSON',
      status: 400,
      send: ({ ask }) => ask('{'),
      want: { type: 'bad_request', detail: 'Request body is not valid JSON' },
    },
    {
      name: 'another media type',
      status: 415,
      send: ({ ask }) => ask('grant_type=client_credentials', { 'content-type': 'text/plain' }),
      want: { type: 'unsupported_media_type' },
    },
  ]
  test.for(cases)('$name is $status', async ({ status, send, want }, { tokenClient, key }) => {
    const reply = await send(tokenClient, key)
    expect(reply.status).toBe(status)
    expect(reply.body.error).toMatchObject(want)
  })
})

describe('D12.1 further parameters of clients', () => {
  const further = { audience: 'https://api.example', resource: 'x', client_assertion: '', scope: '' }

  test('unknown parameters are ignored, and empty ones count as absent', async ({ tokenClient, key }) => {
    const { clientId: id, clientSecret: secret } = key
    const fields = { ...grant({}), ...further, refresh_token: '' }
    const replies = [
      await tokenClient.ask({ ...fields, ...credentials(key), cnf: { jkt: [1] } }),
      await tokenClient.ask(asForm({ ...fields, ...credentials(key) }), FORM),
      await tokenClient.ask(`${asForm({ ...fields, ...credentials(key) })}&resource=y&resource=z`, FORM),
      await tokenClient.ask(asForm({ ...fields, client_id: '', client_secret: '' }), {
        ...FORM,
        ...basic(id, secret),
      }),
    ]
    for (const { status, body } of replies) expect([status, body.scope]).toEqual([200, 'assets:read'])
  })

  test('a narrowed token opens only its scopes, and so does a token refreshed from it', async ({
    api,
    tokenClient,
    org,
  }) => {
    const key = await org.key({ scopes: ['assets:read', 'locations:read'] })
    const first = await tokenClient.ask(
      asForm({ ...grant({ scope: 'locations:read' }), ...credentials(key) }),
      FORM,
    )
    const second = await tokenClient.refresh(first.body.refresh_token)
    for (const { status, body } of [first, second]) {
      expect([status, body.scope]).toEqual([200, 'locations:read'])
      expect((await api.call('listLocations', { token: body.access_token })).status).toBe(200)
      expect((await api.call('listAssets', { token: body.access_token })).body.error).toMatchObject({
        status: 403,
        detail: 'Missing required scope: assets:read',
      })
    }
  })

  test.for([1, 300, 100_000])(
    'an invalid refresh token of %i characters is 401',
    async (length, { tokenClient }) => {
      const reply = await tokenClient.refresh('x'.repeat(length))
      expect(reply.body.error).toMatchObject({ status: 401, detail: 'Invalid or expired refresh token' })
    },
  )
})

describe('D9.1 repeated failures', () => {
  test('of one client end in 429, and its owner still gets a token', async ({
    tokenClient: { ask },
    key,
  }) => {
    const address = fromNewAddress()
    const wrong = grant({ client_id: key.clientId, client_secret: 'wrong' })
    const statuses: number[] = []
    for (let i = 0; i < 12; i += 1) statuses.push((await ask(wrong, address)).status)
    expect(statuses[0]).toBe(401)
    expect(statuses.at(-1)).toBe(429)
    // From the same address with the right secret, and from elsewhere with a wrong one.
    expect((await ask(grant(credentials(key)), address)).status).toBe(200)
    expect((await ask(wrong)).status).toBe(401)
  })

  test('of refresh tokens end in 429, and a valid one still rotates', async ({ tokenClient, key }) => {
    const address = fromNewAddress()
    const { refresh_token } = await exchange(tokenClient, key)
    const replies = await Promise.all(
      Array.from({ length: 14 }, () => tokenClient.refresh('nonsense', address)),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401, 429]))
    expect((await tokenClient.refresh(refresh_token, address)).status).toBe(200)
  })
})
