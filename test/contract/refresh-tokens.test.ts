import { describe, expect } from 'vitest'
import { fromNewAddress } from '../system/addresses.ts'
import type { Api } from './support/api.ts'
import { test as base } from './support/fixtures.ts'

/** Uses refresh tokens, each from its own address. */
const chainsOf = (api: Api) => ({
  ask: (body: object | string, headers: Record<string, string> = {}) =>
    api.call('createToken', { body, headers: { ...fromNewAddress(), ...headers } }),
  refresh: (token: string) =>
    api.call('createToken', {
      body: { grant_type: 'refresh_token', refresh_token: token },
      headers: fromNewAddress(),
    }),
})

const test = base.extend('tokens', { scope: 'file' }, ({ api }) => chainsOf(api))

const INVALID = { type: 'unauthorized', detail: 'Invalid or expired refresh token' }

describe('D9.1 refresh tokens of API keys', () => {
  test('rotation gives a new pair for the same key, and both access tokens are valid', async ({
    api,
    org,
    tokens,
  }) => {
    const key = await org.key()
    const reply = await tokens.refresh(key.refreshToken)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.body).toMatchObject({ token_type: 'Bearer', expires_in: 900 })
    expect(reply.body.refresh_token).not.toBe(key.refreshToken)
    for (const token of [key.token, reply.body.access_token])
      expect((await api.call('getCurrentOrg', { token })).body.data.api_key_id).toBe(key.jti)
  })

  test('a form, and the own client id next to the token, are accepted', async ({ org, tokens }) => {
    const key = await org.key()
    const form = { grant_type: 'refresh_token', refresh_token: key.refreshToken, client_id: key.clientId }
    const reply = await tokens.ask(new URLSearchParams(form).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    })
    expect(reply.status).toBe(200)
  })

  test('the replay of a used token is 401 and also revokes its successors', async ({ org, tokens }) => {
    const { refreshToken: first } = await org.key()
    const { refresh_token: second } = (await tokens.refresh(first)).body
    const { refresh_token: third } = (await tokens.refresh(second)).body
    for (const token of [first, third, second]) {
      const reply = await tokens.refresh(token)
      expect(reply.status).toBe(401)
      expect(reply.body.error).toMatchObject(INVALID)
    }
  })

  test('a replay does not affect the other chains of the key', async ({ org, tokens }) => {
    const key = await org.key()
    const { clientId: client_id, clientSecret: client_secret } = key
    const other = await tokens.ask({ grant_type: 'client_credentials', client_id, client_secret })
    await tokens.refresh(key.refreshToken)
    expect((await tokens.refresh(key.refreshToken)).status).toBe(401)
    expect((await tokens.refresh(other.body.refresh_token)).status).toBe(200)
  })

  test.for([2, 5, 20])(
    '%i simultaneous uses: exactly one succeeds, and then nothing of the chain works',
    async (uses, { org, tokens }) => {
      const { refreshToken } = await org.key()
      const replies = await Promise.all(Array.from({ length: uses }, () => tokens.refresh(refreshToken)))
      const winners = replies.filter(({ status }) => status === 200)
      expect(winners).toHaveLength(1)
      for (const { status, body } of replies) if (status !== 200) expect(body.error).toMatchObject(INVALID)
      for (const token of [...winners.map(({ body }) => body.refresh_token), refreshToken])
        expect((await tokens.refresh(token)).status).toBe(401)
    },
  )

  test('simultaneous uses of the token and of its successor leave nothing of the chain', async ({
    org,
    tokens,
  }) => {
    const { refreshToken: first } = await org.key()
    const { refresh_token: second } = (await tokens.refresh(first)).body
    const replies = await Promise.all([first, second, first, second].map((token) => tokens.refresh(token)))
    expect(replies.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
    const issued = replies.flatMap(({ status, body }) => (status === 200 ? [body.refresh_token] : []))
    for (const token of [first, second, ...issued]) expect((await tokens.refresh(token)).status).toBe(401)
  })

  test('unknown tokens and tokens of another kind are refused with the same text', async ({
    api,
    org,
    tokens,
  }) => {
    const { token } = await org.key()
    const signIn = { email: org.email, password: org.password }
    const session = (await api.call('logIn', { body: signIn, headers: fromNewAddress() })).body.data
    const others = ['f'.repeat(64), token.slice(0, 255), session.refresh_token, '\u{1f600}'.repeat(20)]
    for (const other of others) {
      const reply = await tokens.refresh(other)
      expect(reply.status).toBe(401)
      expect(reply.body.error).toMatchObject(INVALID)
    }
    // It was not used up either.
    expect(
      (await api.call('refreshSession', { body: { refresh_token: session.refresh_token } })).status,
    ).toBe(200)
  })

  test('the id of another client next to the token is refused, and the token stays unused', async ({
    org,
    tokens,
  }) => {
    const { refreshToken } = await org.key()
    const { clientId } = await org.key()
    const foreign = { grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId }
    expect((await tokens.ask(foreign)).status).toBe(401)
    expect((await tokens.refresh(refreshToken)).status).toBe(200)
  })

  test('D9.3 the revocation of the key takes effect at once', async ({ api, org, tokens }) => {
    const key = await org.key()
    const params = { org_id: org.id, key_id: key.id }
    expect((await api.call('revokeApiKey', { params, token: org.admin })).status).toBe(204)
    expect((await tokens.refresh(key.refreshToken)).body.error).toMatchObject(INVALID)
  })
})

describe('D9.7 sessions', () => {
  const signIn = async (api: Api, { email, password }: { email: string; password: string }) =>
    (await api.call('logIn', { body: { email, password }, headers: fromNewAddress() })).body.data
  const refresh = (api: Api, refresh_token: string) => api.call('refreshSession', { body: { refresh_token } })

  test('live an hour, carry the organization and rotate', async ({ api, org }) => {
    const session = await signIn(api, org)
    expect(session).toMatchObject({ expires_in: 3_600, org: { id: org.id }, user: { role: 'admin' } })
    const reply = await refresh(api, session.refresh_token)
    expect(reply.body.data).toMatchObject({ expires_in: 3_600, org: { id: org.id } })
    expect(reply.headers.get('cache-control')).toBe('private, no-store')
    const { access_token: token } = reply.body.data
    expect((await api.call('listAssets', { token })).status).toBe(200)
  })

  test('a replayed refresh token ends the session', async ({ api, org }) => {
    const session = await signIn(api, org)
    const { refresh_token: second } = (await refresh(api, session.refresh_token)).body.data
    for (const token of [session.refresh_token, second])
      expect((await refresh(api, token)).body.error).toMatchObject(INVALID)
  })

  test('of ten simultaneous uses one succeeds, and then nothing works', async ({ api, org }) => {
    const session = await signIn(api, org)
    const replies = await Promise.all(Array.from({ length: 10 }, () => refresh(api, session.refresh_token)))
    const winners = replies.filter(({ status }) => status === 200)
    expect(winners).toHaveLength(1)
    for (const { body } of winners) expect((await refresh(api, body.data.refresh_token)).status).toBe(401)
  })

  test('signing out ends the chain, and a second time is accepted', async ({ api, org }) => {
    const { refresh_token } = await signIn(api, org)
    for (const _ of [1, 2]) expect((await api.call('logOut', { body: { refresh_token } })).status).toBe(204)
    expect((await refresh(api, refresh_token)).status).toBe(401)
  })

  test('the refresh token of a key opens no session', async ({ api, org, tokens }) => {
    const { refreshToken } = await org.key()
    expect((await refresh(api, refreshToken)).body.error).toMatchObject(INVALID)
    expect((await tokens.refresh(refreshToken)).status).toBe(200)
  })
})
