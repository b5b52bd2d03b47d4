import { expect } from 'vitest'
import { catalogOf } from './support/catalog.ts'
import { test } from './support/fixtures.ts'

test.for(['gzip', 'br'])(
  'D12.7 a large answer is sent as %s, and is the same answer',
  async (encoding, { api, newOrg }) => {
    const { token } = await (await newOrg()).key()
    const catalog = catalogOf(api, token)
    const created = await Promise.all(
      Array.from({ length: 5 }, (_, i) => catalog.asset({ description: `${i} Grüße 👷 `.repeat(60) })),
    )
    const plain = await api.call('listAssets', { token })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(plain.headers.get('vary')).toBe('Accept-Encoding')
    const headers = { 'accept-encoding': encoding }
    const packed = await api.call('listAssets', { token, headers })
    expect(packed.headers.get('content-encoding')).toBe(encoding)
    expect(Number(packed.headers.get('content-length'))).toBeLessThan(
      Number(plain.headers.get('content-length')) / 2,
    )
    expect(packed.body).toEqual(plain.body)
    expect(packed.body.data).toHaveLength(created.length)
    const head = await api.call('listAssets', { token, headers, method: 'HEAD' })
    const names = ['content-encoding', 'content-length', 'vary', 'x-ratelimit-limit']
    expect(names.map((name) => head.headers.get(name))).toEqual(names.map((name) => packed.headers.get(name)))
  },
)

test('D12.7 small answers and errors are sent as they are', async ({ api, token }) => {
  const headers = { 'accept-encoding': 'gzip' }
  const small = await api.call('listAssets', { token, headers, query: { q: 'nothing-has-this' } })
  const refused = await api.call('listAssets', {
    token,
    headers,
    query: Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`unknown_parameter_${i}`, 'x'])),
  })
  expect([small.status, refused.status]).toEqual([200, 400])
  for (const answer of [small, refused]) expect(answer.headers.get('content-encoding')).toBeNull()
  expect(refused.body.error.fields).toHaveLength(30)
})
