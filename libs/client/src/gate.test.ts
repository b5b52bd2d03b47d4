import { expect, test } from 'vitest'
import { ApiError } from './errors.ts'
import { Bucket, catalog, refusal, serve, TestClock } from './gate.fixture.ts'
import { createWhereabouts } from './whereabouts.ts'

const key = { clientId: 'id', clientSecret: 's', userAgent: 'tests/1' }

async function scene() {
  const clock = new TestClock()
  const bucket = new Bucket(clock.now)
  const api = catalog(bucket)
  const server = await serve(api.answer)
  const open = (maxWaitMs = 300_000) =>
    createWhereabouts({ ...key, ...clock.options, baseUrl: server.baseUrl, maxWaitMs })
  return { ...server, clock, bucket, api, open }
}

type Client = ReturnType<Awaited<ReturnType<typeof scene>>['open']>

/** As a program does: so many at a time, from one list. */
async function change(client: Client, numbers: number[], workers: number): Promise<string[]> {
  const outcomes: string[] = []
  const work = async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift())
      outcomes.push((await client.upsertAsset(String(number), { name: `Asset ${number}` })).outcome)
  }
  await Promise.all(Array.from({ length: workers }, work))
  return outcomes
}

const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

test('8 workers change 500 assets at the rate of the key, without a lost one and nearly without refusals', async () => {
  await using s = await scene()
  const outcomes = await s.clock.run(change(s.open(), numbers(0, 500), 8))
  expect(outcomes).toEqual(Array.from({ length: 500 }, () => 'updated'))
  expect(s.bucket.taken).toBe(1_000)
  const least = 1_000 - 120
  process.stdout.write(`500 changes: ${s.clock.ms / 1_000} s of ${least} s, ${s.bucket.refused} refused\n`)
  expect(s.bucket.refused).toBeLessThan(10)
  expect(s.clock.ms).toBeLessThan(least * 1_050)
}) // oxfmt-ignore

test('two clients that share a key both end, and neither is refused often', async () => {
  await using s = await scene()
  const both = [change(s.open(), numbers(0, 150), 8), change(s.open(), numbers(150, 300), 8)]
  const outcomes = await s.clock.run(Promise.all(both))
  expect(outcomes.map(({ length }) => length)).toEqual([150, 150])
  process.stdout.write(`two clients: ${s.clock.ms / 1_000} s of 480 s, ${s.bucket.refused} refused\n`)
  expect(s.bucket.refused).toBeLessThan(100)
  expect(s.clock.ms).toBeLessThan(600_000)
})

test('a program that takes the tokens again and again delays, and nothing is lost', async () => {
  await using s = await scene()
  const rounds = new Set<number>()
  const thief = async (signal: AbortSignal) => {
    for (;;) {
      rounds.add(s.bucket.refused)
      for (let times = 0; times < 6; times += 1) {
        while (s.bucket.tokens >= 1) s.bucket.take()
        await s.clock.wait(900, signal) // before the next token
      }
      await s.clock.wait(4_000, signal)
    }
  }
  const stopping = new AbortController()
  const stealing = thief(stopping.signal).catch(() => undefined)
  const outcomes = await s.clock.run(change(s.open(), numbers(0, 60), 8))
  stopping.abort()
  await stealing
  expect(outcomes).toHaveLength(60)
  expect(rounds.size).toBeGreaterThan(3)
})

test('nothing waits while tokens are left', async () => {
  await using s = await scene()
  await s.clock.run(change(s.open(), numbers(0, 60), 8))
  expect([s.clock.ms, s.bucket.refused]).toEqual([0, 0])
})

test('requests start in the order in which they came', async () => {
  await using s = await scene()
  const client = s.open()
  const order: number[] = []
  const ask = async (id: number) => {
    await client.api.GET('/api/v1/assets/{asset_id}', { params: { path: { asset_id: id } } })
    order.push(id)
  }
  await s.clock.run(Promise.all(numbers(0, 118).map(ask)))
  order.length = 0
  await s.clock.run(Promise.all(numbers(0, 30).map(ask)))
  expect(order.slice(8)).toEqual(numbers(0, 30).slice(8)) // those of the burst arrive in any order
})

test('aborted calls leave the queue at once, and the others do not wait for them', async () => {
  await using s = await scene()
  const client = s.open()
  while (s.bucket.tokens >= 1) s.bucket.take()
  const stopping = new AbortController()
  const { signal } = stopping
  const aborted = numbers(100, 160).map((id) => client.upsertAsset(String(id), { name: 'A' }, { signal }))
  const ended = Promise.allSettled(aborted)
  const others = change(client, numbers(0, 10), 4)
  while (s.clock.waiting < 64) await new Promise(setImmediate)
  stopping.abort(new Error('stopped'))
  for (const result of await ended)
    expect(result).toMatchObject({ status: 'rejected', reason: { message: 'stopped' } })
  expect(await s.clock.run(others)).toHaveLength(10)
  expect([...s.api.names.keys()].filter((id) => Number(id) >= 100)).toEqual([])
  expect(s.clock.ms).toBeLessThan(40_000)
})

test('a token is renewed while others wait for their turn', async () => {
  await using s = await scene()
  const client = s.open()
  await s.clock.run(change(client, [1], 1))
  while (s.bucket.tokens >= 1) s.bucket.take()
  s.api.tokens.valid.clear()
  expect(await s.clock.run(change(client, numbers(2, 22), 8))).toHaveLength(20)
  expect(s.api.tokens.issued).toBe(2)
})

test('a wait beyond maxWaitMs ends the call at once, and says how long it would be', async () => {
  await using s = await scene()
  const client = s.open(20_000)
  while (s.bucket.tokens >= 1) s.bucket.take()
  const results = await s.clock.run(
    Promise.allSettled(numbers(0, 60).map((id) => client.upsertAsset(String(id), { name: 'A' }))),
  )
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(failures.length).toBeGreaterThan(20)
  expect(failures.length).toBeLessThan(60)
  for (const error of failures) {
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 429, method: 'GET', retryAfter: expect.any(Number) })
    expect(error.message).toMatch(/no turn .* within 20 s .* next one is in \d+ s/)
  }
})

test('a Retry-After beyond maxWaitMs is given up without a wait', async () => {
  const clock = new TestClock()
  await using server = await serve(({ url = '' }) =>
    url.endsWith('token')
      ? { status: 200, body: { access_token: 't', expires_in: 900 } }
      : { status: 429, headers: { 'retry-after': '3600' }, body: refusal('rate_limited') },
  )
  const client = createWhereabouts({ ...key, ...clock.options, baseUrl: server.baseUrl })
  const calls = ['1', '2', '3'].map((id) => client.upsertAsset(id, { name: 'A' }))
  const results = await clock.run(Promise.allSettled(calls))
  for (const result of results)
    expect(result).toMatchObject({ reason: { status: 429, retryAfter: expect.closeTo(3_600, -1) } })
  expect(clock.ms).toBe(0)
})
