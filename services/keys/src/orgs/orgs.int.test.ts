import { expect } from 'vitest'
import { test, type Keys, type Org } from '../../test/keys.fixture.ts'

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

const rename = (keys: Keys, org: Org, name: unknown, caller = keys.admin(org)) =>
  keys.send(`/api/v1/orgs/${org.orgId}`, { method: 'PATCH', body: { name }, caller })

test('D15.3 an administrator renames the organization, and the others are told', async ({ keys }) => {
  const org = await keys.signUp()
  const states = async () => {
    const subject = `keys.org.${org.orgId}`
    const rows = await keys.database.db.selectFrom('outbox').select('payload').where('subject', '=', subject).orderBy('id').execute() // prettier-ignore
    return rows.map(({ payload }) => payload)
  }
  const response = await rename(keys, org, 'Acme Ost')
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({
    data: { id: org.orgId, name: 'Acme Ost', created_at: org.session.org.created_at },
  })
  expect(await states()).toMatchObject([{ name: 'Acme' }, { name: 'Acme Ost' }])
  expect((await rename(keys, org, 'Acme Ost')).statusCode).toBe(200)
  expect(await states()).toHaveLength(2)
})

test('only an administrator of the organization renames it, to a name that is one line', async ({ keys }) => {
  const [org, other] = [await keys.signUp(), await keys.signUp()]
  const ben = await keys.join(org)
  expect((await rename(keys, org, 'Mine', keys.member(ben))).statusCode).toBe(403)
  expect((await rename(keys, org, 'Mine', keys.admin(ben))).statusCode).toBe(403) // demoted a moment ago
  expect((await rename(keys, org, 'Mine', keys.admin(other))).statusCode).toBe(403)
  for (const name of ['', ' Acme', 'a\nb', 5])
    expect((await rename(keys, org, name)).json().error.fields).toMatchObject([{ field: 'name' }])
})
