import { describe, expect } from 'vitest'
import { newOrganization, succeed } from '../contract/support/organization.ts'
import type { Api } from '../contract/support/api.ts'
import { fromNewAddress } from '../system/addresses.ts'
import { test } from './support/walls.fixture.ts'

/** A second session of the administrator. */
async function newSession(api: Api) {
  const { email, password } = await newOrganization(api)
  const call = { body: { email, password }, headers: fromNewAddress() }
  return (await succeed(api.call('logIn', call))).body.data
}

const WITHIN_A_SECOND = { timeout: 1_000, interval: 50 }

describe('S11 a tokens of a session that ended', () => {
  test('S11 a sign-out ends the access token within a second', async ({ api }) => {
    const { access_token: token, refresh_token } = await newSession(api)
    const asked = async () => (await api.call('getCurrentUser', { token })).status
    expect(await asked()).toBe(200)
    expect((await api.call('logOut', { body: { refresh_token } })).status).toBe(204)
    await expect.poll(asked, WITHIN_A_SECOND).toBe(401)
  })

  test('S11 a refresh token that is used twice ends the access tokens of its chain within a second', async ({
    api,
  }) => {
    const { access_token: first, refresh_token } = await newSession(api)
    const refresh = () => api.call('refreshSession', { body: { refresh_token }, headers: fromNewAddress() })
    const { access_token: second } = (await succeed(refresh())).body.data
    expect((await refresh()).status).toBe(401)
    for (const token of [first, second])
      await expect
        .poll(async () => (await api.call('getCurrentUser', { token })).status, WITHIN_A_SECOND)
        .toBe(401)
  })
})
