import { scopes } from '@whereabouts/contracts/route'
import { describe, expect } from 'vitest'
import type { Api } from './support/api.ts'
import { test } from './support/fixtures.ts'
import type { Organization } from './support/organization.ts'

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
const HOUR_AHEAD = () => new Date(Date.now() + 3_600_000)

const create = (api: Api, org: Organization, body: object, token = org.admin) =>
  api.call('createApiKey', { params: { org_id: org.id }, token, body: { name: 'a key', ...body } })
const list = (api: Api, org: Organization, query: Record<string, number> = {}, token = org.admin) =>
  api.call('listApiKeys', { params: { org_id: org.id }, token, query })
const revoke = (api: Api, org: Organization, key: string | number, token = org.admin) =>
  api.call('revokeApiKey', { params: { org_id: org.id, key_id: key }, token })

describe('D9.6 creating a key', () => {
  test('201 with the values that are shown once', async ({ api, org }) => {
    const expires_at = HOUR_AHEAD().toISOString()
    const reply = await create(api, org, { name: 'Dock sync', scopes: ['scans:read'], expires_at })
    expect(reply.status).toBe(201)
    expect(reply.headers.get('cache-control')).toBe('private, no-store')
    const { data } = reply.body
    expect(data).toEqual({
      id: expect.any(Number),
      jti: expect.stringMatching(UUID),
      client_id: data.jti,
      client_secret: expect.stringMatching(/^[A-Za-z_]+[\da-f]{64}$/),
      name: 'Dock sync',
      scopes: ['scans:read'],
      reader_key: null,
      created_at: expect.stringMatching(INSTANT),
      expires_at,
    })
  })

  test('two secrets share their prefix and nothing else', async ({ api, org }) => {
    const secrets = await Promise.all(
      [1, 2].map(async () => (await create(api, org, { scopes: ['assets:read'] })).body.data.client_secret),
    )
    const [one = '', other = ''] = secrets
    expect(one.slice(0, -64)).toBe(other.slice(0, -64))
    expect(one.slice(-64)).not.toBe(other.slice(-64))
  })

  test('without expires_at, or with null, it never expires', async ({ api, org }) => {
    for (const body of [{}, { expires_at: null }])
      expect((await create(api, org, { scopes: ['assets:read'], ...body })).body.data.expires_at).toBeNull()
  })

  test('expires_at takes any offset and is shown in UTC', async ({ api, org }) => {
    const at = HOUR_AHEAD()
    const local = new Date(at.getTime() + 5.5 * 3_600_000).toISOString().replace('Z', '+05:30')
    const reply = await create(api, org, { scopes: ['assets:read'], expires_at: local })
    expect(reply.body.data.expires_at).toBe(at.toISOString())
  })

  test('D16.1 reader_key binds a key to one reader, which need not exist, and is shown in the list', async ({
    api,
    org,
  }) => {
    const writes = ['scans:write']
    const bound = await create(api, org, { scopes: writes, reader_key: 'dock-1' })
    expect(bound.body.data).toMatchObject({ scopes: writes, reader_key: 'dock-1' })
    const free = await create(api, org, { scopes: writes, reader_key: null })
    expect(free.body.data.reader_key).toBeNull()
    const listed = (await list(api, org)).body.data
    const readerOf = (id: number) => listed.find((key: { id: number }) => key.id === id)?.reader_key
    expect([readerOf(bound.body.data.id), readerOf(free.body.data.id)]).toEqual(['dock-1', null])
  })

  const refused: { name: string; body: object; field: string; code: string }[] = [
    { name: 'no name', body: { name: undefined }, field: 'name', code: 'required' },
    { name: 'an empty name', body: { name: '' }, field: 'name', code: 'too_short' },
    { name: 'a long name', body: { name: 'x'.repeat(256) }, field: 'name', code: 'too_long' },
    { name: 'a name with a line break', body: { name: 'a\nb' }, field: 'name', code: 'invalid_value' },
    { name: 'null as the name', body: { name: null }, field: 'name', code: 'invalid_value' },
    {
      name: 'D16.1 a reader_key with more scopes than scans:write',
      body: { scopes: ['scans:write', 'scans:read'], reader_key: 'dock-1' },
      field: 'reader_key',
      code: 'invalid_value',
    },
    { name: 'no scopes', body: { scopes: undefined }, field: 'scopes', code: 'required' },
    { name: 'an empty list of scopes', body: { scopes: [] }, field: 'scopes', code: 'too_short' },
    { name: 'null as the scopes', body: { scopes: null }, field: 'scopes', code: 'invalid_value' },
    { name: 'scopes in text', body: { scopes: 'assets:read' }, field: 'scopes', code: 'invalid_value' },
    {
      name: 'an instant in the past',
      body: { expires_at: '2020-01-01T00:00:00Z' },
      field: 'expires_at',
      code: 'invalid_value',
    },
    { name: 'a date', body: { expires_at: '2999-01-01' }, field: 'expires_at', code: 'invalid_value' },
    { name: 'a number as the instant', body: { expires_at: 1 }, field: 'expires_at', code: 'invalid_value' },
    { name: 'an unknown field', body: { rate_limit: 1 }, field: 'rate_limit', code: 'unknown_field' },
    { name: 'a chosen client_id', body: { client_id: 'x' }, field: 'client_id', code: 'unknown_field' },
  ]
  test.for(refused)('$name is $code', async ({ body, field, code }, { api, org }) => {
    const reply = await create(api, org, { scopes: ['assets:read'], ...body })
    expect(reply.status).toBe(400)
    expect(reply.body.error.fields).toMatchObject([{ field, code }])
  })

  test('a name of 255 code points is kept as it was sent', async ({ api, org }) => {
    const name = '\u{1f511}'.repeat(255)
    expect((await create(api, org, { name, scopes: ['assets:read'] })).body.data.name).toBe(name)
  })
})

describe('D9.6 listing keys', () => {
  test('newest first, every field present, revoked ones hidden, secrets never shown', async ({
    api,
    newOrg,
  }) => {
    const org = await newOrg()
    const [first, second, third] = [
      await org.key({ name: 'first', scopes: ['assets:read'] }),
      await org.key({ name: 'second', expiresAt: HOUR_AHEAD().toISOString() }),
      await org.key({ name: 'third' }),
    ]
    await revoke(api, org, second.id)
    const reply = await list(api, org)
    expect(reply.body).toMatchObject({ limit: 50, offset: 0, total_count: 2 })
    expect(reply.body.data.map(({ id }) => id)).toEqual([third.id, first.id])
    expect(reply.body.data[1]).toEqual({
      id: first.id,
      jti: first.jti,
      name: 'first',
      scopes: ['assets:read'],
      reader_key: null,
      created_at: expect.stringMatching(INSTANT),
      created_by: org.userId,
      created_by_key_id: null,
      expires_at: null,
      last_used_at: expect.stringMatching(INSTANT), // `org.key` exchanged it
    })
    for (const { clientSecret, token } of [first, third])
      for (const secret of [clientSecret, token]) expect(reply.text).not.toContain(secret)
  })

  test('last_used_at is null until the key is used', async ({ api, newOrg }) => {
    const org = await newOrg()
    const { client_id, client_secret } = (await create(api, org, { scopes: ['assets:read'] })).body.data
    expect((await list(api, org)).body.data[0]?.last_used_at).toBeNull()
    const before = Date.now()
    const body = { grant_type: 'client_credentials', client_id, client_secret }
    await api.call('createToken', { body })
    const usedAt = Date.parse((await list(api, org)).body.data[0]?.last_used_at ?? '')
    expect(usedAt).toBeGreaterThanOrEqual(before - 1_000)
    expect(usedAt).toBeLessThanOrEqual(Date.now() + 1_000)
  })

  test('an expired key stays in the list', async ({ api, newOrg }) => {
    const org = await newOrg()
    const { token } = await org.key({ expiresAt: new Date(Date.now() + 1_500).toISOString() })
    await expect
      .poll(async () => (await api.call('getCurrentOrg', { token })).status, { timeout: 5_000 })
      .toBe(401)
    expect((await list(api, org)).body.total_count).toBe(1)
  })

  test('pages', async ({ api, newOrg }) => {
    const org = await newOrg()
    for (const name of ['a', 'b', 'c']) await org.key({ name })
    const page = await list(api, org, { limit: 1, offset: 1 })
    expect(page.body).toMatchObject({ data: [{ name: 'b' }], limit: 1, offset: 1, total_count: 3 })
    expect((await list(api, org, { offset: 9 })).body).toMatchObject({ data: [], total_count: 3 })
  })
})

describe('D9.6 revoking a key', () => {
  const forms = [
    { name: 'the id', of: ({ id }: { id: number; jti: string }) => id },
    { name: 'the jti', of: ({ jti }: { id: number; jti: string }) => jti },
  ]
  test.for(forms)('by $name: 204, then 404 in both forms', async ({ of }, { api, org }) => {
    const key = await org.key()
    expect((await revoke(api, org, of(key))).status).toBe(204)
    for (const again of [key.id, key.jti]) {
      const reply = await revoke(api, org, again)
      expect(reply.status).toBe(404)
      expect(reply.body.error.type).toBe('not_found')
    }
  })

  test('one of ten simultaneous DELETEs is 204', async ({ api, org }) => {
    const { id } = await org.key()
    const replies = await Promise.all(Array.from({ length: 10 }, () => revoke(api, org, id)))
    expect(replies.filter(({ status }) => status === 204)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 404)).toHaveLength(9)
  })

  test.for([
    { key: '5', status: 404, code: undefined },
    { key: '00000000-0000-4000-8000-000000000000', status: 404, code: undefined },
    { key: '9007199254740992', status: 404, code: undefined },
    { key: '0', status: 400, code: 'too_small' },
    { key: '-1', status: 400, code: 'too_small' },
    { key: 'abc', status: 400, code: 'invalid_value' },
    { key: '9223372036854775808', status: 400, code: 'invalid_value' },
    { key: '00000000-0000-4000-8000-00000000000', status: 400, code: 'invalid_value' },
  ])('D7.7 the key id $key is $status', async ({ key, status, code }, { api, org }) => {
    const reply = await revoke(api, org, key)
    expect(reply.status).toBe(status)
    expect(reply.body.error.fields?.[0]?.code).toBe(code)
  })

  test('keys that it created stay', async ({ api, org }) => {
    const creator = await org.key({ scopes: ['keys:admin'] })
    const { id } = (await create(api, org, { scopes: ['assets:read'] }, creator.token)).body.data
    await revoke(api, org, creator.id)
    expect((await list(api, org)).body.data.map((row) => row.id)).toContain(id)
  })

  test('a key may revoke itself', async ({ api, org }) => {
    const key = await org.key({ scopes: ['keys:admin'] })
    expect((await revoke(api, org, key.jti, key.token)).status).toBe(204)
    const refused = () => list(api, org, {}, key.token)
    await expect.poll(async () => (await refused()).status, { timeout: 1_000 }).toBe(401)
  })
})

describe('D9.6 keys:admin', () => {
  test('creates keys with any scopes, which name their creator', async ({ api, org }) => {
    const creator = await org.key({ scopes: ['keys:admin'] })
    const reply = await create(api, org, { name: 'created by a key', scopes: [...scopes] }, creator.token)
    expect(reply.status).toBe(201)
    expect(reply.body.data.scopes).toEqual([...scopes])
    const row = (await list(api, org, {}, creator.token)).body.data.find(
      ({ id }) => id === reply.body.data.id,
    )
    expect(row).toMatchObject({ created_by: null, created_by_key_id: creator.id })
  })

  test('is not implied by all other scopes together', async ({ api, org }) => {
    const { token } = await org.key({ scopes: scopes.filter((scope) => scope !== 'keys:admin') })
    for (const reply of [
      await list(api, org, {}, token),
      await create(api, org, { scopes: ['assets:read'] }, token),
      await revoke(api, org, 5, token),
    ])
      expect(reply.body.error).toMatchObject({
        status: 403,
        detail: 'Missing required scope: keys:admin',
      })
  })

  test.for(['key', 'session'] as const)(
    'the id of another organization in the path is 403 for a %s, and so is an unknown id',
    async (kind, { api, newOrg }) => {
      const [mine, theirs] = [await newOrg(), await newOrg()]
      const victim = await theirs.key()
      const token = kind === 'session' ? mine.admin : (await mine.key({ scopes: ['keys:admin'] })).token
      for (const org of [theirs, { ...theirs, id: 5 }])
        for (const reply of [
          await list(api, org, {}, token),
          await create(api, org, { scopes: ['assets:read'] }, token),
          await revoke(api, org, victim.id, token),
          await revoke(api, org, victim.jti, token),
        ])
          expect(reply.body.error).toMatchObject({ status: 403, type: 'forbidden' })
      // In the path of the own organization, it is the id of no key.
      expect((await revoke(api, mine, victim.id, token)).status).toBe(404)
      expect((await revoke(api, mine, victim.jti, token)).status).toBe(404)
      expect((await list(api, theirs)).body.total_count).toBe(1)
    },
  )
})
