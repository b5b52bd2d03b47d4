import { describe, expect, test } from 'vitest'
import { ApiError, createClient, exchangeKey, unwrap } from './client.ts'
import { createWhereabouts } from './whereabouts.ts'
import { signIn } from './sign-in.ts'

/** A server that records its requests and always sends the same response. */
function fakeServer(status: number, body: unknown) {
  const requests: Request[] = []
  const fetch = async (request: Request) => {
    requests.push(request.clone())
    return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
  }
  return { requests, fetch }
}

const baseUrl = 'https://api.example.com/'

test('a request names the product and has the current token', async () => {
  const { requests, fetch } = fakeServer(200, { data: [], limit: 50, offset: 0, total_count: 0 })
  let token = 'first'
  const client = createClient({ baseUrl, fetch, getToken: () => token })
  await client.GET('/api/v1/assets', { params: { query: { limit: 5, external_key: ['A', 'B'] } } })
  token = 'second'
  await client.GET('/api/v1/assets')
  expect(requests[0]?.url).toBe('https://api.example.com/api/v1/assets?limit=5&external_key=A&external_key=B')
  expect(requests[0]?.headers.get('user-agent')).toBe('whereabouts-client/1')
  expect(requests.map((r) => r.headers.get('authorization'))).toEqual(['Bearer first', 'Bearer second'])
})

test('a PATCH is sent as a merge patch, which the API requires', async () => {
  const { requests, fetch } = fakeServer(200, { data: {} })
  const client = createClient({ baseUrl, fetch, token: 't' })
  await client.PATCH('/api/v1/webhooks/{webhook_id}', {
    params: { path: { webhook_id: 7 } },
    body: { enabled: false },
  })
  expect(requests[0]?.headers.get('content-type')).toBe('application/merge-patch+json')
})

test('exchanging a key sends the client credentials grant and returns the tokens', async () => {
  const tokens = { access_token: 'a', refresh_token: 'r', token_type: 'Bearer', expires_in: 900 }
  const { requests, fetch } = fakeServer(200, tokens)
  const answer = await exchangeKey(createClient({ baseUrl, fetch }), { clientId: 'id', clientSecret: 's' })
  expect(answer).toEqual(tokens)
  expect(requests[0]?.headers.get('authorization')).toBeNull()
  expect(await requests[0]?.json()).toEqual({
    grant_type: 'client_credentials',
    client_id: 'id',
    client_secret: 's',
  })
})

test('a refused sign-in throws the envelope of the API', async () => {
  const error = {
    type: 'unauthorized',
    title: 'T',
    status: 401,
    detail: 'Wrong',
    instance: '/',
    request_id: 'R1',
  }
  const { fetch } = fakeServer(401, { error })
  const attempt = signIn(createClient({ baseUrl, fetch }), { email: 'a@b.c', password: 'wrong' })
  await expect(attempt).rejects.toThrow(new ApiError(401, error))
})

test('an error without the envelope throws with its status', () => {
  const response = new Response('Forbidden', { status: 403 })
  expect(() => unwrap({ error: 'Forbidden', response })).toThrow('HTTP status 403')
})

describe('an address', () => {
  const key = { clientId: 'id', clientSecret: 's', userAgent: 'tests/1' }
  const insecure = [
    'http://192.0.2.1',
    'HTTP://api.example.com',
    'http://127.0.0.1.example.com',
    'http://[::2]:8080',
  ]

  test.for(insecure)('%s is refused before any request, unless it is allowed', async (address) => {
    const { requests, fetch } = fakeServer(200, { access_token: 't', expires_in: 900, data: {} })
    for (const make of [createClient, createWhereabouts])
      expect(() => make({ ...key, baseUrl: address, fetch })).toThrow(/unencrypted.*allowInsecureHttp/)
    expect(requests).toEqual([])
    const { api } = createWhereabouts({ ...key, baseUrl: address, fetch, allowInsecureHttp: true })
    expect((await api.GET('/api/v1/orgs/me')).response.ok).toBe(true)
    expect(requests).toHaveLength(2)
  })

  const others = ['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]:8080', 'https://192.0.2.1']
  test.for(others)('%s is allowed', async (address) => {
    const { requests, fetch } = fakeServer(200, { data: {} })
    await createClient({ baseUrl: address, fetch }).GET('/api/v1/orgs/me')
    expect(requests).toHaveLength(1)
  })
})
