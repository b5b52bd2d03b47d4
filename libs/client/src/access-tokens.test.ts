import { expect, test } from 'vitest'
import { accessTokens } from './access-tokens.ts'
import { createClient } from './client.ts'

/** A token endpoint that numbers its tokens and fails while `failing` is true. */
function tokenEndpoint() {
  const state = { asked: 0, failing: false, now: 0 }
  const fetch = async () => {
    state.asked += 1
    const failed = { error: { type: 'service_unavailable', detail: 'later', request_id: 'R1' } }
    const tokens = {
      access_token: `t${state.asked}`,
      refresh_token: 'r',
      token_type: 'Bearer',
      expires_in: 900,
    }
    return new Response(JSON.stringify(state.failing ? failed : tokens), {
      status: state.failing ? 503 : 200,
      headers: { 'content-type': 'application/json' },
    })
  }
  const client = createClient({ baseUrl: 'https://api.example.com', fetch })
  const getToken = accessTokens(client, { clientId: 'id', clientSecret: 's' }, () => state.now)
  return { state, getToken }
}

test('a token is used for 14 of its 15 minutes and then replaced', async () => {
  const { state, getToken } = tokenEndpoint()
  expect(await getToken()).toBe('t1')
  state.now = 839_999
  expect(await getToken()).toBe('t1')
  state.now = 840_000
  expect(await getToken()).toBe('t2')
})

test('simultaneous requests share one exchange', async () => {
  const { state, getToken } = tokenEndpoint()
  expect(await Promise.all([getToken(), getToken(), getToken()])).toEqual(['t1', 't1', 't1'])
  expect(state.asked).toBe(1)
})

test('a failed exchange rejects, and the next request tries again', async () => {
  const { state, getToken } = tokenEndpoint()
  state.failing = true
  await expect(getToken()).rejects.toThrow('service_unavailable')
  state.failing = false
  expect(await getToken()).toBe('t2')
})
