import { expect } from 'vitest'
import { test } from '../../../test/keys.fixture.ts'

const PATH = '/api/v1/orgs/me'

test('a key sees its organization and its own scopes', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await keys.createKey(org, { scopes: ['assets:read'] })
  const caller = { orgId: org.orgId, kind: 'key' as const, keyId: key.jti, scopes: ['assets:read'] }
  const response = await keys.send(PATH, { caller })
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({
    data: { id: org.orgId, name: 'Acme', scopes: ['assets:read'], api_key_id: key.jti },
  })
})

test('D9.8 a session is refused with 401', async ({ keys }) => {
  const response = await keys.send(PATH, { caller: keys.admin(await keys.signUp()) })
  expect(response.statusCode).toBe(401)
  expect(response.json().error.type).toBe('unauthorized')
  expect(response.headers['www-authenticate']).toBe('Bearer realm="api"')
})

test('a request without a principal is refused with 401', async ({ keys }) => {
  expect((await keys.send(PATH)).statusCode).toBe(401)
})

test('a deleted organization is 404', async ({ keys }) => {
  const caller = { orgId: 1, kind: 'key' as const, keyId: '00000000-0000-0000-0000-000000000001' }
  expect((await keys.send(PATH, { caller })).statusCode).toBe(404)
})
