import { describe, expect } from 'vitest'
import { test as withoutProvider } from '../../../test/keys.fixture.ts'
import { test as withProvider } from '../../../test/provider.fixture.ts'
import { createProvider } from './provider.ts'

const SIGN_UP = { org_name: 'Acme', name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }

const test = withProvider.extend<{ isRequired: boolean }>({ isRequired: [true, { scope: 'file' }] })

const unreachable = withoutProvider.extend({
  signOn: [
    {
      provider: createProvider({
        issuer: 'http://127.0.0.1:1',
        clientId: 'whereabouts',
        clientSecret: 'secret',
        groupsClaim: 'groups',
        callbackUrl: 'https://whereabouts.example/api/v1/auth/oidc/callback',
        now: Date.now,
      }),
      roles: [],
      isRequired: false,
      publicUrl: 'https://whereabouts.example',
    },
    { scope: 'file' },
  ],
})

describe('D15.5 OIDC_REQUIRED', () => {
  test.for([
    { path: 'signup', body: SIGN_UP },
    { path: 'login', body: { email: SIGN_UP.email, password: SIGN_UP.password } },
    { path: 'accept-invitation', body: { token: 'x', name: 'Ada', password: SIGN_UP.password } },
    { path: 'password/forgot', body: { email: SIGN_UP.email } },
    { path: 'password/reset', body: { token: 'x', password: SIGN_UP.password } },
  ])('refuses auth/$path and names the sign-on', async ({ path, body }, { keys }) => {
    const response = await keys.post(`/api/v1/auth/${path}`, body)
    expect(response.json().error).toMatchObject({
      status: 403,
      detail: 'Passwords are not used here. Use single sign-on: GET /api/v1/auth/oidc/start',
    })
  })

  test('is told', async ({ keys }) => {
    expect((await keys.send('/api/v1/auth/oidc')).json()).toEqual({ data: { enabled: true, required: true } })
  })
})

describe('without a provider', () => {
  withoutProvider('its routes are 404, and passwords work', async ({ keys }) => {
    for (const path of ['start', 'callback?state=x&code=y'])
      expect((await keys.send(`/api/v1/auth/oidc/${path}`)).statusCode, path).toBe(404)
    expect((await keys.post('/api/v1/auth/oidc/session', { code: 'x' })).statusCode).toBe(404)
    expect((await keys.send('/api/v1/auth/oidc')).json()).toEqual({
      data: { enabled: false, required: false },
    })
    const { email, password } = await keys.signUp()
    expect((await keys.post('/api/v1/auth/login', { email, password })).statusCode).toBe(200)
  })
})

describe('a provider that cannot be reached when keys starts', () => {
  unreachable('is a 503 that says so', async ({ keys }) => {
    const response = await keys.send('/api/v1/auth/oidc/start')
    expect(response.json().error).toMatchObject({
      status: 503,
      detail: expect.stringContaining('does not answer'),
    })
    expect((await keys.signUp()).orgId).toBeGreaterThan(0)
  })
})
