import { expect, vi } from 'vitest'
import { ISSUE_RATES } from '../../attempts/attempts.ts'
import { test, type Key, type Keys } from '../../../test/keys.fixture.ts'
import { hashSecret, randomToken } from '../secrets.ts'
import { purgeExpiredTokens, startChain } from './tokens.queries.ts'

const PATH = '/api/v1/oauth/token'
const WAIT = { timeout: 10_000, interval: 20 }

const refresh = (keys: Keys, refresh_token: string) =>
  keys.post(PATH, { grant_type: 'refresh_token', refresh_token })

const statusesOf = async (requests: Promise<{ statusCode: number }>[]) =>
  (await Promise.all(requests)).map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)

/** As if the key had not been used for some seconds. */
async function pass(keys: Keys, { id }: Key, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i += 1) await keys.buckets.giveBack(`issue:key:${id}`, ISSUE_RATES.key)
}

/** For the next minutes. */
const empty = (keys: Keys, bucket: string) =>
  keys.buckets.take(bucket, { capacity: 100, secondsPerToken: 600 })

const hasEnded = async (keys: Keys, orgId: number, { access_token }: { access_token: string }) => {
  const { sid } = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString())
  return (await keys.ask(`/internal/chains/${orgId}/${sid}`)).json().ended
}

test('a key gets 20 tokens at once and one more each second, and no other key waits', async ({ keys }) => {
  const org = await keys.signUp()
  const [key, other] = [await keys.createKey(org), await keys.createKey(org)]
  // Of somebody who knows the id only.
  const guesses = Array.from({ length: 30 }, () => keys.exchange({ ...key, client_secret: 'wrong' }))
  expect(new Set(await statusesOf(guesses))).toEqual(new Set([401]))

  const begun = performance.now()
  const rush = await Promise.all(Array.from({ length: 40 }, () => keys.exchange(key)))
  const granted = rush.filter(({ statusCode }) => statusCode === 200).length
  expect(granted).toBeGreaterThanOrEqual(20)
  expect(granted).toBeLessThanOrEqual(21 + (performance.now() - begun) / 1_000)
  const refused = rush.find(({ statusCode }) => statusCode !== 200)
  expect([refused?.statusCode, refused?.headers['retry-after']]).toEqual([429, '1'])
  expect(refused?.json().error).toMatchObject({ type: 'rate_limited', detail: 'Retry after 1 seconds' })
  expect((await keys.exchange(other)).statusCode).toBe(200)

  for (let round = 0; round < 3; round += 1)
    for (const wanted of [429, 200])
      await vi.waitUntil(async () => (await keys.exchange(key)).statusCode === wanted, WAIT)
})

test('a refused refresh leaves its token usable', async ({ keys }) => {
  const key = await keys.createKey(await keys.signUp())
  let { refresh_token } = (await keys.exchange(key)).json()
  for (let round = 0; round < 3; round += 1) {
    await empty(keys, `issue:key:${key.id}`)
    expect((await refresh(keys, refresh_token)).statusCode).toBe(429)
    await keys.buckets.giveBack(`issue:key:${key.id}`, { capacity: 100, secondsPerToken: 600 })
    const renewed = await refresh(keys, refresh_token)
    expect(renewed.statusCode).toBe(200)
    refresh_token = renewed.json().refresh_token
  }
})

test('all keys of an organization together get a thousand tokens at once', async ({ keys }) => {
  const [org, other] = [await keys.signUp(), await keys.signUp()]
  await empty(keys, `issue:organization:${org.orgId}`)
  const refused = await keys.exchange(await keys.createKey(org))
  expect(refused.statusCode).toBe(429)
  const { refresh_token } = org.session
  expect((await keys.post('/api/v1/auth/refresh', { refresh_token })).statusCode).toBe(429)
  expect((await keys.exchange(await keys.createKey(other))).statusCode).toBe(200)
})

test('the refreshes and switches of a person are counted together', async ({ keys }) => {
  const { session, orgId, userId } = await keys.signUp()
  await empty(keys, `issue:user:${userId}`)
  const body = { refresh_token: session.refresh_token }
  for (const more of [{}, { org_id: orgId }])
    expect((await keys.post('/api/v1/auth/refresh', { ...body, ...more })).statusCode).toBe(429)
})

test('of 20 exchanges at once, ten refresh tokens work, and all access tokens live on', async ({ keys }) => {
  const org = await keys.signUp()
  for (let round = 0; round < 3; round += 1) {
    const key = await keys.createKey(org)
    const replies = await Promise.all(Array.from({ length: 20 }, () => keys.exchange(key)))
    await pass(keys, key, 20)
    const pairs = replies.map((reply) => reply.json())
    const statuses = await statusesOf(pairs.map(({ refresh_token }) => refresh(keys, refresh_token)))
    expect(statuses).toEqual([
      ...Array.from({ length: 10 }, () => 200),
      ...Array.from({ length: 10 }, () => 401),
    ])
    for (const pair of pairs) expect(await hasEnded(keys, org.orgId, pair)).toBe(false)
  }
})

test('the refresh token that was used least recently ends, and its rows are purged', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await keys.createKey(org)
  let { refresh_token } = (await keys.exchange(key)).json()
  const unused = (await keys.exchange(key)).json()
  for (let i = 0; i < 12; i += 1) {
    await keys.exchange(key)
    const renewed = await refresh(keys, refresh_token)
    expect(renewed.statusCode).toBe(200)
    refresh_token = renewed.json().refresh_token
    await pass(keys, key, 2)
  }
  expect((await refresh(keys, unused.refresh_token)).statusCode).toBe(401)

  const { db } = keys.database
  await purgeExpiredTokens(keys.database.worker.db, 1_000)
  const unspent = db.selectFrom('refresh_token').select('hash').where('spent_at', 'is', null)
  expect(
    await unspent
      .where('org_id', '=', org.orgId)
      .where('hash', '=', hashSecret(unused.refresh_token))
      .execute(),
  ).toEqual([])
  const soon = new Date(Date.now() + 901_000).toISOString()
  const ending = db
    .selectFrom('token_chain')
    .select('id')
    .where('key_id', '=', key.id)
    .where('expires_at', '<', soon)
  expect(await ending.execute()).toHaveLength(4)
})

test('a person has at most 50 sessions in an organization', async ({ keys }) => {
  const { session, orgId, userId } = await keys.signUp()
  const start = (token: string) =>
    keys.database.worker.db
      .transaction()
      .execute((tx) => startChain(tx, { orgId, userId }, hashSecret(token)))
  const tokens = Array.from({ length: 50 }, () => randomToken())
  for (const token of tokens.slice(0, 49)) await start(token)
  const renew = (refresh_token: string) => keys.post('/api/v1/auth/refresh', { refresh_token })
  const renewed = await renew(session.refresh_token)
  expect(renewed.statusCode).toBe(200)
  await start(tokens[49] ?? '')
  expect((await renew(tokens[0] ?? '')).statusCode).toBe(401)
  expect((await renew(renewed.json().data.refresh_token)).statusCode).toBe(200)
})

test('a chain keeps its last 100 spent tokens, whose replay ends it', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await keys.createKey(org)
  const tokens = [(await keys.exchange(key)).json().refresh_token]
  for (let i = 0; i < 104; i += 1) {
    tokens.push((await refresh(keys, tokens[i])).json().refresh_token)
    await pass(keys, key, 1)
  }
  await purgeExpiredTokens(keys.database.worker.db, 1_000)
  const { rows } = await keys.database.pool.query(
    'select hash from refresh_token join token_chain c on c.id = chain_id where key_id = $1',
    [key.id],
  )
  expect(rows).toHaveLength(101)
  expect((await refresh(keys, tokens[0])).statusCode).toBe(401) // evicted
  expect((await refresh(keys, tokens[4])).statusCode).toBe(401)
  expect((await refresh(keys, tokens[104])).statusCode).toBe(401) // ended by the replay
})

test('chains that were ended are purged after two hours, except the last of a member', async ({ keys }) => {
  const org = await keys.signUp()
  const key = await keys.createKey(org)
  const pair = (await keys.exchange(key)).json()
  for (let i = 0; i < 2; i += 1) await refresh(keys, pair.refresh_token) // a replay
  const member = await keys.join(org)
  const again = await keys.post('/api/v1/auth/login', { email: member.email, password: member.password })
  for (const { refresh_token } of [member.session, again.json().data])
    await keys.post('/api/v1/auth/logout', { refresh_token })
  const { pool, worker } = keys.database
  const left = async () => {
    await purgeExpiredTokens(worker.db, 1_000)
    const text = 'select user_id from token_chain where org_id = $1 and revoked_at is not null'
    return (await pool.query<{ user_id: number | null }>(text, [org.orgId])).rows.map(
      ({ user_id }) => user_id,
    )
  }
  expect(await left()).toHaveLength(3)
  await pool.query(`update token_chain set revoked_at = revoked_at - interval '2 hours' where org_id = $1`, [
    org.orgId,
  ])
  expect(await left()).toEqual([member.userId])
})
