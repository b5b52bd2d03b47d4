import { LEGACY_PREFIX } from '@whereabouts/contracts/routes'
import { expect } from 'vitest'
import { test } from '../../test/keys.fixture.ts'

const TOKEN = `${LEGACY_PREFIX}/oauth/token`

test('D17.1 a key is created, used and revoked below the legacy base URL', async ({ keys }) => {
  const org = await keys.signUp()
  const caller = { caller: keys.admin(org) }
  const path = `${LEGACY_PREFIX}/orgs/${org.orgId}/api-keys`
  const made = await keys.post(path, { name: 'Old', scopes: ['assets:read'] }, caller)
  expect([made.statusCode, made.headers['cache-control']]).toEqual([201, 'no-store'])
  const { id, client_id, client_secret } = made.json().data
  const body = { grant_type: 'client_credentials', client_id, client_secret }
  const granted = await keys.post(TOKEN, body)
  expect(granted.json()).toMatchObject({ token_type: 'Bearer', scope: 'assets:read' })
  const listed = (await keys.send(path, caller)).json()
  expect(listed).toEqual((await keys.send(path.replace('/legacy', ''), caller)).json())
  expect(listed.data).toMatchObject([{ id, expires_at: null }])
  expect((await keys.send(`${path}/${id}`, { method: 'DELETE', ...caller })).statusCode).toBe(204)
  expect((await keys.post(TOKEN, body)).statusCode).toBe(401)
})

test('D9.6 another organization in the path is 403 there too', async ({ keys }) => {
  const [org, other] = [await keys.signUp(), await keys.signUp()]
  const path = `${LEGACY_PREFIX}/orgs/${other.orgId}/api-keys`
  expect((await keys.send(path, { caller: keys.admin(org) })).statusCode).toBe(403)
})

test('D9.1 both token endpoints count failures of an address together', async ({ keys }) => {
  const body = { grant_type: 'client_credentials', client_id: crypto.randomUUID(), client_secret: 'x' }
  const from = { address: '2001:db8:77::1' }
  const statuses: number[] = []
  for (let i = 0; i < 100 && statuses.at(-1) !== 429; i += 1)
    statuses.push((await keys.post(TOKEN, body, from)).statusCode)
  expect(statuses.at(-1)).toBe(429)
  const current = await keys.post(TOKEN.replace('/legacy', ''), body, from)
  expect(current.statusCode).toBe(429)
})
