import { describe, expect } from 'vitest'
import { notATime, nullEntry } from './support/entries.ts'
import { test } from './support/fixtures.ts'

const name = 'Forklift'

describe('names, keys and dates', () => {
  test.for([' a', 'a ', '\u00a0a', 'a\u2003', ' '])(
    'Name %j does not begin or end with white space',
    async (bad, { api, org }) => {
      for (const operationId of ['createAsset', 'createLocation'] as const) {
        const { error } = (await api.call(operationId, { token: org.admin, body: { name: bad } })).body
        expect(error.fields).toMatchObject([{ field: 'name', code: 'invalid_value' }])
      }
    },
  )

  test.for(['x', 'two words', 'ünïcode', '📦'])(
    'Name %j is accepted unchanged',
    async (good, { api, org }) => {
      const reply = await api.call('createAsset', { token: org.admin, body: { name: good } })
      expect(reply.body.data.name).toBe(good)
    },
  )

  test.for([' A', 'A ', 'a_b', 'a/b', 'ä', 'a.b'])(
    'D4.3 external_key %j is invalid_value',
    async (external_key, { api, org }) => {
      const { error } = (await api.call('createAsset', { token: org.admin, body: { name, external_key } }))
        .body
      expect(error.fields).toMatchObject([{ field: 'external_key', code: 'invalid_value' }])
    },
  )

  const notTimestamps = ['', '2026-11-21', '2026/11/21 10:00:00Z', '2026-11-21T10:00:00', '2026-02-30T10:00:00Z', '2026-11-21T25:00:00Z', 'now', '2026-11-21 10:00:00Z'] // oxfmt-ignore
  test.for(notTimestamps)('date rule 5 %j is not an RFC 3339 timestamp', async (text, { api, org }) => {
    const body = { name, valid_from: text, valid_to: text }
    const { error } = (await api.call('createAsset', { token: org.admin, body })).body
    expect(error.fields).toEqual([notATime('valid_from'), notATime('valid_to')])
    const key = { name, scopes: ['scans:read'], expires_at: text }
    const minted = await api.call('createApiKey', { params: { org_id: org.id }, token: org.admin, body: key })
    expect(minted.body.error.fields).toEqual([notATime('expires_at')])
  })

  test.for([
    '0001-01-01T00:00:00Z',
    '1970-01-01T00:00:00Z',
    '1970-01-01T02:00:00+02:00',
    '1969-12-31T19:00:00.000-05:00',
  ])('date rule 4 the sentinel %s is invalid_value', async (valid_from, { api, org }) => {
    for (const operationId of ['createAsset', 'createLocation'] as const) {
      const { error } = (await api.call(operationId, { token: org.admin, body: { name, valid_from } })).body
      expect(error.fields).toMatchObject([{ field: 'valid_from', code: 'invalid_value' }])
    }
  })

  test.for([
    '1970-01-01T00:00:00.001Z',
    '1969-12-31T23:59:59Z',
    '0001-01-02T00:00:00Z',
    '1970-01-01T00:00:00+02:00',
  ])('date rule 4 %s, near a sentinel, is accepted', async (valid_from, { api, org }) => {
    const reply = await api.call('createAsset', { token: org.admin, body: { name, valid_from } })
    expect(Date.parse(reply.body.data.valid_from)).toBe(Date.parse(valid_from))
  })

  test('date rule 2 valid_from: null is invalid_value, rule 3 valid_to: null is accepted', async ({
    api,
    org,
  }) => {
    const bad = await api.call('createAsset', { token: org.admin, body: { name, valid_from: null } })
    expect(bad.body.error.fields).toEqual([nullEntry('valid_from', 'string')])
    const good = await api.call('createAsset', { token: org.admin, body: { name, valid_to: null } })
    expect(good.body.data.valid_to).toBeNull()
  })

  test('D4.7 a window that ends before it begins is invalid_value on valid_to', async ({ api, org }) => {
    const at = '2030-01-01T00:00:00Z'
    const bodies = [
      { name, valid_from: at, valid_to: at },
      { name, valid_to: '2001-01-01T00:00:00Z' },
    ]
    for (const body of bodies) {
      const { error } = (await api.call('createAsset', { token: org.admin, body })).body
      expect(error.fields).toMatchObject([{ field: 'valid_to', code: 'invalid_value' }])
    }
  })

  test('timestamps: any offset comes back in UTC with three digits, finer ones cut off', async ({
    api,
    org,
  }) => {
    const body = { name, valid_from: '2020-06-01T12:00:00.1239999999+05:30' }
    const reply = await api.call('createAsset', { token: org.admin, body })
    expect(reply.body.data.valid_from).toBe('2020-06-01T06:30:00.123Z')
  })

  test('D4.6 metadata: too deep is invalid_value, too large is too_long', async ({ api, org }) => {
    const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })
    const send = (metadata: object) => api.call('createAsset', { token: org.admin, body: { name, metadata } })
    expect((await send(nested(32))).status).toBe(201)
    expect((await send(nested(33))).body.error.fields).toMatchObject([{ code: 'invalid_value' }])
    expect((await send({ a: 'x'.repeat(65_526) })).status).toBe(201)
    expect((await send({ a: 'x'.repeat(65_530) })).body.error.fields).toMatchObject([{ code: 'too_long' }])
  })
})
