import { describe, expect } from 'vitest'
import { fromNewAddress } from '../system/addresses.ts'
import { BURST, exhaust, spend, USER_BURST, whenExhausted } from './support/buckets.ts'
import { test } from './support/fixtures.ts'
import { succeed } from './support/organization.ts'
import { isForSessions, protectedRows, rows, rowsWith, unknownParams } from './support/rows.ts'

const HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'] as const
const figures = (headers: Headers) => HEADERS.map((name) => headers.get(name))
const remaining = (headers: Headers) => Number(headers.get('x-ratelimit-remaining'))

describe('limits: headers', () => {
  test('limits D9.9 a full bucket shows the limit, not the burst', async ({ api, token }) => {
    const before = Math.floor(Date.now() / 1000)
    const { headers } = await spend(api, token)
    expect(headers.get('x-ratelimit-limit')).toBe('60')
    expect(headers.get('x-ratelimit-remaining')).toBe('60')
    expect(headers.get('ratelimit-policy'), 'D17.5').toBe('60;w=60')
    // The bucket still holds more than the limit: Remaining equals it now.
    const reset = Number(headers.get('x-ratelimit-reset'))
    expect(reset).toBeGreaterThanOrEqual(before)
    expect(reset).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 1)
  })

  test('limits D9.9 below the limit, Remaining counts down, and Reset is the time when it is back at the limit', async ({
    api,
    token,
  }) => {
    await Promise.all(Array.from({ length: 90 }, () => spend(api, token)))
    const { headers } = await spend(api, token)
    const left = remaining(headers)
    expect(left).toBeLessThan(60)
    expect(left).toBeGreaterThanOrEqual(BURST - 91)
    const secondsToReset = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000
    expect(secondsToReset).toBeGreaterThan(60 - left - 2)
    expect(secondsToReset).toBeLessThan(60 - left + 2)
    expect(remaining((await spend(api, token)).headers)).toBeLessThanOrEqual(left)
  })

  test.for(rowsWith('GET').filter(({ counted }) => counted))(
    'limits D2 $operationId has the headers in success and error, for GET and HEAD',
    async (row, { api, token }) => {
      const call = { params: unknownParams(row), token }
      for (const method of ['GET', 'HEAD']) {
        const { headers } = await api.call(row.operationId, { ...call, method })
        expect(figures(headers), method).toEqual([
          '60',
          expect.stringMatching(/^\d+$/),
          expect.stringMatching(/^\d+$/),
        ])
      }
    },
  )

  test.for(rows.filter(({ method, counted }) => method !== 'GET' || !counted))(
    'limits D9.9 $operationId never has the headers',
    async (row, { api, org, token }) => {
      const call = { params: unknownParams(row), token: isForSessions(row.access) ? org.admin : token }
      const { headers } = await api.call(row.operationId, call)
      expect(figures(headers)).toEqual([null, null, null])
    },
  )
})

describe('limits: counted requests', () => {
  const excluded = (path: string, method: string) =>
    path === '/orgs/me' ||
    path === '/events' || // D13.2
    path === '/orgs/{org_id}/audit' || // D15.4, is followed too
    path === '/inventory/save' ||
    path.startsWith('/scans/') || // D16.3
    (/^\/(?:assets|locations)(?:\/|$)/.test(path) && ['POST', 'PUT', 'DELETE'].includes(method))

  test.for(rows.filter((row) => row.described && row.access !== 'none'))(
    'limits $operationId is counted as the contract says',
    ({ path, method, counted }) => {
      expect(counted).toBe(!excluded(path, method))
    },
  )

  const AT_ONCE = 4
  const counted = rows.filter((row) => row.counted && row.access !== 'none')
  const groups = Array.from({ length: Math.ceil(counted.length / AT_ONCE) }, (_, i) =>
    counted.slice(i * AT_ONCE, (i + 1) * AT_ONCE),
  )
  // The headers change only when the bucket is down to the limit, so 60 requests come first.
  test.for(groups.map((group) => ({ group, names: group.map(({ operationId }) => operationId).join(', ') })))(
    'limits $names: each takes one token',
    async ({ group }, { api, org }) => {
      const { token } = await org.key()
      await Promise.all(Array.from({ length: 70 }, () => spend(api, token)))
      for (const row of group) {
        const before = (await spend(api, token)).headers
        const calls = Array.from({ length: 10 }, () =>
          api.call(row.operationId, { params: unknownParams(row), token }),
        )
        await Promise.all(calls)
        const after = (await spend(api, token)).headers
        const taken = Number(after.get('x-ratelimit-reset')) - Number(before.get('x-ratelimit-reset'))
        expect(taken, row.operationId).toBeGreaterThanOrEqual(10)
        expect(taken, row.operationId).toBeLessThanOrEqual(12)
      }
    },
  )

  test.for(rows.filter((row) => !row.counted && row.access !== 'none' && !isForSessions(row.access)))(
    'limits $operationId is answered while the bucket is empty',
    async (row, { api, emptyToken: token }) => {
      await exhaust(api, token)
      const reply = await api.call(row.operationId, { params: unknownParams(row), token })
      expect(reply.status).not.toBe(429)
    },
  )

  test('limits HEAD is counted like GET', async ({ api, token }) => {
    const head = () => api.call('listAssets', { token, method: 'HEAD' })
    const reply = await whenExhausted(api, token, head)
    expect(reply.status).toBe(429)
    expect(reply.headers.get('retry-after')).toBe('1')
    expect(reply.headers.get('x-ratelimit-remaining')).toBe('0')
  })
})

describe('limits: 429', () => {
  test('limits a burst of twice the limit is granted, and no more', async ({ api, token }) => {
    const start = Date.now()
    const replies = await Promise.all(Array.from({ length: BURST + 40 }, () => spend(api, token)))
    const granted = replies.filter(({ status }) => status !== 429).length
    const refilled = Math.ceil((Date.now() - start) / 1000)
    expect(granted).toBeGreaterThanOrEqual(BURST)
    expect(granted).toBeLessThanOrEqual(BURST + refilled)
  })

  test('limits D3 a refusal says when to retry, and has the headers', async ({ api, token }) => {
    const { status, headers, body } = await whenExhausted(api, token, () => spend(api, token))
    expect(status).toBe(429)
    expect(body.error).toMatchObject({ type: 'rate_limited', detail: 'Retry after 1 seconds' })
    expect(headers.get('retry-after')).toBe('1')
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['60', '0'])
    const secondsToReset = Number(headers.get('x-ratelimit-reset')) - Date.now() / 1000
    expect(secondsToReset).toBeGreaterThan(57)
    expect(secondsToReset).toBeLessThanOrEqual(61)
  })

  test('limits after Retry-After a token is available', async ({ api, token }) => {
    await exhaust(api, token)
    const ask = () => spend(api, token)
    await expect.poll(async () => (await ask()).status, { interval: 100, timeout: 5_000 }).not.toBe(429)
  })

  test('limits every key has its own bucket, also within one organization', async ({ api, org }) => {
    const [one, other] = [await org.key(), await org.key()]
    await exhaust(api, one.token)
    const { headers } = await spend(api, other.token)
    expect(remaining(headers)).toBe(60)
  })

  test('limits all tokens of one key share its bucket', async ({ api, org }) => {
    const key = await org.key()
    const body = { grant_type: 'refresh_token', refresh_token: key.refreshToken }
    const { access_token } = (await api.call('createToken', { body })).body
    await exhaust(api, key.token)
    const reply = await whenExhausted(api, key.token, () => spend(api, access_token))
    expect(reply.status).toBe(429)
  })

  test(
    'limits D12.10 a user has 1 200 requests over all sessions, without headers and apart from keys',
    {
      timeout: 120_000,
    },
    async ({ api, newOrg }) => {
      const org = await newOrg()
      const { token } = await org.key()
      const again = await succeed(
        api.call('logIn', { body: { email: org.email, password: org.password }, headers: fromNewAddress() }),
      )
      const { access_token: other } = again.body.data
      const start = Date.now()
      const tokens = [org.admin, other]
      const replies = []
      // Few at a time, so that the capacity of the system does not matter.
      for (let sent = 0; sent < 3 * USER_BURST; sent += 20) {
        const wave = Array.from({ length: 20 }, (_, i) => api.call('listReaders', { token: tokens[i % 2] }))
        replies.push(...(await Promise.all(wave)))
        if (replies.at(-1)?.status === 429) break
      }
      const refused = replies.filter(({ status }) => status === 429)
      const granted = replies.length - refused.length
      expect(granted).toBeGreaterThanOrEqual(USER_BURST)
      expect(granted).toBeLessThanOrEqual(USER_BURST + Math.ceil((Date.now() - start) / 100))
      expect(figures(refused[0]!.headers)).toEqual([null, null, null])
      expect(refused[0]?.headers.get('retry-after')).toBe('1')
      expect(remaining((await spend(api, token)).headers)).toBe(60)
    },
  )

  test.for(protectedRows.filter((row) => row.access !== 'key'))(
    'limits D12.10 $operationId sends a user no rate-limit headers',
    async (row, { api, org }) => {
      const { headers } = await api.call(row.operationId, { params: unknownParams(row), token: org.admin })
      expect(figures(headers)).toEqual([null, null, null])
    },
  )
})
