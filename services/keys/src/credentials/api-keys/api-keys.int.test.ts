import { KeyState } from '@whereabouts/contracts/messages/keys-state'
import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import { test, type Keys, type Org } from '../../../test/keys.fixture.ts'

const path = (orgId: number | string, key?: number | string) =>
  `/api/v1/orgs/${orgId}/api-keys${key === undefined ? '' : `/${key}`}`

const list = (keys: Keys, org: Org, query = '') =>
  keys.send(`${path(org.orgId)}${query}`, { caller: keys.admin(org) })

const revoke = (keys: Keys, org: Org, key: number | string) =>
  keys.send(path(org.orgId, key), { method: 'DELETE', caller: keys.admin(org) })

const create = (keys: Keys, org: Org, body: unknown) =>
  keys.post(path(org.orgId), body, { caller: keys.admin(org) })

const names = (response: LightMyRequestResponse) =>
  response.json<{ data: { name: string }[] }>().data.map((key) => key.name)

const states = async (keys: Keys, jti: string) =>
  keys.database.db
    .selectFrom('outbox')
    .selectAll()
    .where('subject', '=', `keys.key.${jti}`)
    .orderBy('id')
    .execute()

test('D9.6 creating a key shows its secret once and stores a hash only', async ({ keys }) => {
  const org = await keys.signUp()
  const expires_at = '2999-01-01T00:00:00.000Z'
  const response = await create(keys, org, {
    name: 'Dock',
    scopes: ['scans:write', 'scans:write'],
    expires_at,
  })
  expect(response.statusCode).toBe(201)
  expect(response.headers['cache-control']).toBe('no-store')
  const { data } = response.json()
  expect(data).toEqual({
    id: expect.any(Number),
    jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
    client_id: data.jti,
    client_secret: expect.stringMatching(/^wb_[0-9a-f]{64}$/),
    name: 'Dock',
    scopes: ['scans:write'],
    reader_key: null,
    created_at: expect.stringMatching(/Z$/),
    expires_at,
  })
  const everything = await keys.database.pool.query('select k::text as row from api_key k')
  expect(JSON.stringify(everything.rows)).not.toContain(data.client_secret)
  const [state] = await states(keys, data.jti)
  expect(state?.payload).toMatchObject({ org_id: org.orgId, id: data.id, revoked_at: null, expires_at })
  expect(JSON.stringify(state)).not.toContain('secret')
})

test.for([
  { name: 'expires_at in the past', field: { expires_at: '2020-01-01T00:00:00Z' }, code: 'invalid_value' },
  { name: 'expires_at without a zone', field: { expires_at: '2999-01-01' }, code: 'invalid_value' },
  { name: 'an unknown scope', field: { scopes: ['assets:read', 'root'] }, code: 'invalid_value' },
  { name: 'no scope', field: { scopes: [] }, code: 'too_short' },
  { name: 'an empty name', field: { name: '' }, code: 'too_short' },
])('D9.5 a key with $name is refused', async ({ field, code }, { keys }) => {
  const org = await keys.signUp()
  const response = await create(keys, org, { name: 'Dock', scopes: ['assets:read'], ...field })
  expect(response.statusCode).toBe(400)
  expect(response.json().error.fields).toMatchObject([{ code }])
})

test('D9.5 the refusal of a scope names the allowed ones', async ({ keys }) => {
  const response = await create(keys, await keys.signUp(), { name: 'Dock', scopes: ['root'] })
  expect(response.json().error.fields[0].params.allowed_values).toContain('tracking:read')
})

test('the creator of a key is recorded: a user, or another key', async ({ keys }) => {
  const org = await keys.signUp()
  const first = await keys.createKey(org, { scopes: ['keys:admin'] })
  const caller = { orgId: org.orgId, kind: 'key' as const, keyId: first.jti, scopes: ['keys:admin'] }
  await keys.post(path(org.orgId), { name: 'Second', scopes: ['keys:admin'] }, { caller })
  expect((await list(keys, org)).json().data).toMatchObject([
    { name: 'Second', created_by: null, created_by_key_id: first.id },
    { name: 'Dock', created_by: org.userId, created_by_key_id: null, expires_at: null, last_used_at: null },
  ])
})

test('a revoked key cannot create keys, even before the revocation reaches the gateway', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await keys.createKey(org, { scopes: ['keys:admin'] })
  await revoke(keys, org, key.id)
  const caller = { orgId: org.orgId, kind: 'key' as const, keyId: key.jti, scopes: ['keys:admin'] }
  const response = await keys.post(path(org.orgId), { name: 'Late', scopes: ['keys:admin'] }, { caller })
  expect(response.statusCode).toBe(401)
  expect((await list(keys, org)).json().total_count).toBe(0)
})

test('the list is newest first, pages, and hides revoked keys', async ({ keys }) => {
  const org = await keys.signUp()
  for (const name of ['A', 'B', 'C']) await keys.createKey(org, { name })
  const { id } = await keys.createKey(org, { name: 'Gone' })
  await revoke(keys, org, id)
  expect(names(await list(keys, org))).toEqual(['C', 'B', 'A'])
  const second = await list(keys, org, '?limit=1&offset=1')
  expect(names(second)).toEqual(['B'])
  expect(second.json()).toMatchObject({ limit: 1, offset: 1, total_count: 3 })
  expect((await list(keys, org, '?offset=99')).json()).toMatchObject({ data: [], total_count: 3 })
  expect((await list(keys, org, '?limit=201')).json().error.fields).toMatchObject([{ code: 'too_large' }])
  expect((await list(keys, org)).body).not.toContain('secret')
})

test('D9.6 a key is revoked by its id or its jti: 204, then 404', async ({ keys }) => {
  const org = await keys.signUp()
  const [a, b] = [await keys.createKey(org), await keys.createKey(org)]
  for (const key of [a.id, b.jti]) {
    expect((await revoke(keys, org, key)).statusCode).toBe(204)
    const again = await revoke(keys, org, key)
    expect(again.statusCode).toBe(404)
    expect(again.json().error.detail).toBe('API key not found')
  }
})

test('a revocation is published with a higher revision and queues a disconnect', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await keys.createKey(org)
  const before = keys.changes()
  await revoke(keys, org, key.id)
  const [made, revoked] = (await states(keys, key.jti)).map(({ payload }) => KeyState.parse(payload))
  expect(revoked).toMatchObject({ revoked_at: expect.any(String) })
  expect(revoked?.revision).toBeGreaterThan(made?.revision ?? Infinity)
  const pending = keys.database.db.selectFrom('pending_disconnect').select('jti').where('jti', '=', key.jti)
  expect(await pending.execute()).toHaveLength(1)
  expect(keys.changes()).toBe(before + 1)
})

test('two revocations at once: one 204, one 404, one message', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await keys.createKey(org)
  const responses = await Promise.all([revoke(keys, org, key.id), revoke(keys, org, key.jti)])
  expect(new Set(responses.map((r) => r.statusCode))).toEqual(new Set([204, 404]))
  expect(await states(keys, key.jti)).toHaveLength(2)
})

/** A chain of keys with `keys:admin`, each created by the one before. */
async function chainOfKeys(keys: Keys, org: Org, length: number) {
  const chain = [await keys.createKey(org, { scopes: ['keys:admin'] })]
  while (chain.length < length) {
    const caller = {
      orgId: org.orgId,
      kind: 'key' as const,
      keyId: chain.at(-1)!.jti,
      scopes: ['keys:admin'],
    }
    const body = { name: 'Child', scopes: ['keys:admin'] }
    chain.push((await keys.post(path(org.orgId), body, { caller })).json().data)
  }
  return chain
}

const revokeAll = (keys: Keys, org: Org, key: number | string) => revoke(keys, org, `${key}?descendants=true`)

test('D17.6 descendants=true revokes what the key created, through revoked keys too, and nothing else', async ({
  keys,
}) => {
  const org = await keys.signUp()
  const [root, child, grandchild] = await chainOfKeys(keys, org, 3)
  const other = await keys.createKey(org)
  await revoke(keys, org, child!.id)
  expect((await revokeAll(keys, org, root!.jti)).statusCode).toBe(204)
  expect((await list(keys, org)).json().data).toMatchObject([{ id: other.id }])
  const disconnects = keys.database.db.selectFrom('pending_disconnect').select('jti')
  for (const { jti } of [root!, child!, grandchild!]) {
    expect((await states(keys, jti)).at(-1)?.payload).toMatchObject({ revoked_at: expect.any(String) })
    expect(await states(keys, jti)).toHaveLength(2)
    expect(await disconnects.where('jti', '=', jti).execute()).toHaveLength(1)
  }
})

test('D17.6 a revoked key: 204 while a descendant is live, then 404', async ({ keys }) => {
  const org = await keys.signUp()
  const [root, , grandchild] = await chainOfKeys(keys, org, 3)
  await revoke(keys, org, root!.id)
  expect((await revoke(keys, org, root!.id)).statusCode).toBe(404)
  expect((await revokeAll(keys, org, root!.id)).statusCode).toBe(204)
  expect((await keys.exchange(grandchild!)).statusCode).toBe(401)
  expect((await revokeAll(keys, org, root!.id)).statusCode).toBe(404)
  expect((await revokeAll(keys, await keys.signUp(), root!.id)).statusCode).toBe(404)
})

test('D17.6 a revoked key whose only unrevoked descendant has expired is 404', async ({ keys }) => {
  const org = await keys.signUp()
  const [root, child] = await chainOfKeys(keys, org, 2)
  await revoke(keys, org, root!.id)
  await keys.database.pool.query(`update api_key set expires_at = '2020-01-01' where id = $1`, [child!.id])
  expect((await revokeAll(keys, org, root!.id)).statusCode).toBe(404)
})

test('D17.6 at most 200 keys that are neither revoked nor expired, also of creations at once', async ({
  keys,
}) => {
  const org = await keys.signUp()
  await keys.database.pool.query(
    `insert into api_key (org_id, name, scopes, secret_hash, expires_at, revoked_at)
     select $1::bigint, 'k', '{assets:read}', sha256('x'), case when n > 210 then now() end, case when n > 199 then now() end
     from generate_series(1, 220) n`,
    [org.orgId],
  )
  const body = { name: 'Last', scopes: ['assets:read'] }
  const replies = await Promise.all(Array.from({ length: 8 }, () => create(keys, org, body)))
  const refused = replies.find(({ statusCode }) => statusCode === 409)
  expect(replies.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1)
  expect(refused?.json().error).toMatchObject({
    type: 'conflict',
    detail: expect.stringContaining('200 API keys'),
  })
  await keys.database.pool.query('update org set api_key_limit = 201 where id = $1', [org.orgId])
  expect((await create(keys, org, body)).statusCode).toBe(201)
})

test.for([
  { key: '0', status: 400, code: 'too_small' },
  { key: 'abc', status: 400, code: 'invalid_value' },
  { key: '9007199254740993', status: 404, code: undefined },
  { key: '00000000-0000-0000-0000-000000000001', status: 404, code: undefined },
])('DELETE of key $key answers $status', async ({ key, status, code }, { keys }) => {
  const response = await revoke(keys, await keys.signUp(), key)
  expect(response.statusCode).toBe(status)
  if (code !== undefined) expect(response.json().error.fields).toMatchObject([{ field: 'key_id', code }])
})

test("D9.6 another organization's id in the path is 403, before the body is checked", async ({ keys }) => {
  const [mine, theirs] = [await keys.signUp(), await keys.signUp()]
  const key = await keys.createKey(theirs)
  const caller = keys.admin(mine)
  const responses = [
    await keys.send(path(theirs.orgId), { caller }),
    await keys.post(path(theirs.orgId), { name: 5 }, { caller }),
    await keys.send(path(theirs.orgId, key.id), { method: 'DELETE', caller }),
    await keys.send(path(theirs.orgId), { caller: { ...caller, kind: 'key', keyId: key.jti } }),
  ]
  for (const response of responses) {
    expect(response.statusCode).toBe(403)
    expect(response.json().error.type).toBe('forbidden')
  }
  expect((await list(keys, theirs)).json().total_count).toBe(1)
})

test("another organization's key in the own organization's path is 404 and stays", async ({ keys }) => {
  const [mine, theirs] = [await keys.signUp(), await keys.signUp()]
  const key = await keys.createKey(theirs)
  expect((await revoke(keys, mine, key.id)).statusCode).toBe(404)
  expect((await revoke(keys, mine, key.jti)).statusCode).toBe(404)
  expect((await keys.exchange(key)).statusCode).toBe(200)
})

test('every operation on keys needs a principal', async ({ keys }) => {
  const { orgId } = await keys.signUp()
  expect((await keys.send(path(orgId))).statusCode).toBe(401)
  expect((await keys.post(path(orgId), {})).statusCode).toBe(401)
  expect((await keys.send(path(orgId, 1), { method: 'DELETE' })).statusCode).toBe(401)
})

test('the gateway can read the state of a key, also of a revoked one', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await keys.createKey(org, { scopes: ['scans:write'] })
  const live = await keys.ask(`/internal/keys/${key.jti}`)
  expect(live.json()).toMatchObject({
    org_id: org.orgId,
    jti: key.jti,
    scopes: ['scans:write'],
    revoked_at: null,
  })
  expect(live.body).not.toContain('secret')
  await revoke(keys, org, key.id)
  const revoked = await keys.ask(`/internal/keys/${key.jti}`)
  expect(revoked.json().revoked_at).toEqual(expect.any(String))
  expect(revoked.json().revision).toBeGreaterThan(live.json().revision)
  expect((await keys.ask('/internal/keys/00000000-0000-0000-0000-000000000001')).statusCode).toBe(404)
  expect((await keys.ask('/internal/keys/not-a-uuid')).statusCode).toBe(404)
})
