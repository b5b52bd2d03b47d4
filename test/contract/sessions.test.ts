import { API_PREFIX } from '@whereabouts/contracts/routes'
import { openEvents } from '@whereabouts/testing/event-stream'
import { describe, expect, inject } from 'vitest'
import { startGateway } from '../system/gateways.ts'
import { fromNewAddress } from '../system/addresses.ts'
import { createApi, type Api } from './support/api.ts'
import { test as base } from './support/fixtures.ts'
import { succeed, type Organization } from './support/organization.ts'

/** `gateways`: the system's own, and one more. */
const test = base.extend('gateways', { scope: 'file' }, async ({ api, description }, { onCleanup }) => {
  const second = await startGateway(inject('place'))
  onCleanup(() => second.stop())
  return [api, createApi(second.base, description)]
})

const signIn = async (api: Api, { email, password }: Organization) =>
  (await succeed(api.call('logIn', { body: { email, password } }))).body.data

const statuses = (gateways: readonly Api[], token: string) =>
  Promise.all(gateways.map(async (gateway) => (await gateway.call('listAssets', { token })).status))

/** Fails unless both gateways refuse the token within a second of now. */
async function expectEnded(gateways: readonly Api[], token: string): Promise<void> {
  const before = performance.now()
  await expect.poll(() => statuses(gateways, token), { interval: 5, timeout: 3_000 }).toEqual([401, 401])
  expect(performance.now() - before).toBeLessThan(1_000)
}

describe('S11a on every gateway, within a second', () => {
  test('signing out ends the access token, the live feed, and nothing of another session', async ({
    api,
    gateways,
    newOrg,
  }) => {
    const org = await newOrg()
    const session = await signIn(api, org)
    const feed = await openEvents(`${inject('urls').base}${API_PREFIX}/movements/live`, {
      authorization: `Bearer ${session.access_token}`,
      'user-agent': 'contract-suite/1',
    })
    expect(feed.status).toBe(200)
    expect(await statuses(gateways, session.access_token)).toEqual([200, 200])
    const { refresh_token } = session
    expect((await api.call('logOut', { body: { refresh_token } })).status).toBe(204)
    await expectEnded(gateways, session.access_token)
    expect(await feed.ended).toBe('complete')
    expect(await statuses(gateways, org.admin)).toEqual([200, 200])
  })

  test('the replay of a refresh token ends every access token of the session', async ({
    api,
    gateways,
    newOrg,
  }) => {
    const session = await signIn(api, await newOrg())
    const refresh = () => api.call('refreshSession', { body: { refresh_token: session.refresh_token } })
    const { access_token } = (await refresh()).body.data
    for (const token of [session.access_token, access_token])
      expect(await statuses(gateways, token)).toEqual([200, 200])
    expect((await refresh()).status).toBe(401)
    for (const token of [session.access_token, access_token]) await expectEnded(gateways, token)
  })

  test('the replay of a refresh token of a key ends its chain, and no other of the key', async ({
    api,
    gateways,
    org,
  }) => {
    const key = await org.key({ scopes: ['assets:read'] })
    const body = {
      grant_type: 'client_credentials',
      client_id: key.clientId,
      client_secret: key.clientSecret,
    }
    const other = (await api.call('createToken', { body })).body.access_token
    const refresh = () =>
      api.call('createToken', { body: { grant_type: 'refresh_token', refresh_token: key.refreshToken } })
    expect((await refresh()).status).toBe(200)
    expect((await refresh()).status).toBe(401)
    await expectEnded(gateways, key.token)
    expect(await statuses(gateways, other)).toEqual([200, 200])
  })

  test('D15.2 a new password ends all sessions but the current one', async ({ api, gateways, newOrg }) => {
    const org = await newOrg()
    const other = await signIn(api, org)
    const body = { current_password: org.password, new_password: 'another long password' }
    expect((await api.call('changePassword', { token: org.admin, body })).status).toBe(204)
    await expectEnded(gateways, other.access_token)
    expect(await statuses(gateways, org.admin)).toEqual([200, 200])
    const logIn = (password: string) => api.call('logIn', { body: { email: org.email, password } })
    expect((await logIn(org.password)).status).toBe(401)
    expect((await logIn('another long password')).status).toBe(200)
  })

  test('D15.2 a password chosen with a reset link ends every session of the person', async ({
    api,
    gateways,
    newOrg,
  }) => {
    const org = await newOrg()
    const params = { org_id: org.id }
    const invited = { email: `ben-${org.email}`, role: 'member' }
    const { token } = (
      await succeed(api.call('createInvitation', { params, token: org.admin, body: invited }))
    ).body.data
    const joining = { token, name: 'Ben', password: 'correct horse battery' }
    const ben = (await succeed(api.call('acceptInvitation', { body: joining }))).body.data
    const link = { params: { ...params, user_id: ben.user.id }, token: org.admin }
    const body = {
      token: (await succeed(api.call('createResetLink', link))).body.data.token,
      password: 'a new one of Ben',
    }
    expect((await api.call('resetPassword', { body })).status).toBe(204)
    await expectEnded(gateways, ben.access_token)
    expect(await statuses(gateways, org.admin)).toEqual([200, 200])
    expect((await api.call('resetPassword', { body })).status).toBe(401)
  })

  test('D15.2 a session that its user ends in the list is refused', async ({ api, gateways, newOrg }) => {
    const org = await newOrg()
    const other = await signIn(api, org)
    const { data } = (await api.call('listSessions', { token: org.admin })).body
    expect(data.filter(({ current }) => current)).toHaveLength(1)
    expect(data).toHaveLength(2)
    const { id: session_id } = data.find(({ current }) => !current) ?? { id: '' }
    const end = () => api.call('endSession', { token: org.admin, params: { session_id } })
    expect((await end()).status).toBe(204)
    await expectEnded(gateways, other.access_token)
    expect((await end()).status).toBe(404)
    expect(await statuses(gateways, org.admin)).toEqual([200, 200])
  })
})

describe('S3 S4 one client address', () => {
  const password = 'correct horse battery'

  test('is refused after too many attempts through API and console, and others are served', async ({
    api,
    newOrg,
  }) => {
    const org = await newOrg()
    const headers = fromNewAddress()
    const attempt = (i: number) =>
      api.call('logIn', { headers, body: { email: `nobody-${i}@example.com`, password } })
    const replies = await Promise.all(Array.from({ length: 40 }, (_, i) => attempt(i)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401, 429]))
    const own = { email: org.email, password: org.password }
    const refused = await api.call('logIn', { headers, body: own })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const door = { ...headers, 'sec-fetch-site': 'same-origin' }
    const console = await api.request('/session/sign-in', { method: 'POST', headers: { ...door, 'content-type': 'application/json' }, body: own }) // oxfmt-ignore
    expect(console.status).toBe(429)
    expect(Number(console.headers.get('retry-after'))).toBeGreaterThan(0)
    const served = await Promise.all(
      Array.from({ length: 5 }, () => api.call('logIn', { headers: fromNewAddress(), body: own })),
    )
    expect(served.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  })
})
