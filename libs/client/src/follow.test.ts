import { expect, test } from 'vitest'
import type { Movement } from './follow.ts'
import { refusal, serve, TestClock, type Answer } from './gate.fixture.ts'
import { rounds } from './movements.ts'
import { createWhereabouts } from './whereabouts.ts'

const START = Date.parse('2026-11-20T10:00:00Z')
const place = (id: number) => ({ id, external_key: `L-${id}`, name: `L ${id}` })
const movement = (minute: number, asset: number, to: number): Movement => ({
  occurred_at: new Date(START + minute * 60_000).toISOString(),
  asset: { id: asset, external_key: `A-${asset}`, name: 'A' },
  from_location: null,
  to_location: place(to),
  dwell_seconds: null,
})
const nameOf = ({ occurred_at, asset, to_location }: Movement) =>
  `${(Date.parse(occurred_at) - START) / 60_000}: ${asset.id} at ${to_location.id}`

/** A server with movements, three on a page, whose `faults` are answered first. */
async function scene() {
  const clock = new TestClock()
  const stored: Movement[] = []
  const faults: Answer[] = []
  let asked = 0
  const server = await serve(({ url = '' }) => {
    if (url.endsWith('token')) return { status: 200, body: { access_token: 't', expires_in: 9_000_000 } }
    asked += 1
    const fault = faults.shift()
    if (fault) return fault
    const query = new URL(url, 'http://localhost').searchParams
    const [from, to] = [query.get('from') ?? '', query.get('to') ?? '9']
    const rows = stored.filter((row) => row.occurred_at >= from && row.occurred_at <= to)
    rows.sort((a, b) => (a.occurred_at < b.occurred_at ? 1 : -1))
    const after = Number(query.get('after') ?? 0)
    const cursor = rows.length > after + 3 ? String(after + 3) : null
    return { status: 200, body: { data: rows.slice(after, after + 3), cursor, has_more: cursor !== null } }
  })
  const client = createWhereabouts({ clientId: 'id', clientSecret: 's', userAgent: 'tests/1', ...clock.options, baseUrl: server.baseUrl })
  const options = { wait: clock.wait, now: () => START + 86_400_000 * 3 + clock.ms, intervalMs: 1_000 }
  return { ...server, clock, stored, faults, client, options, asked: () => asked }
} // oxfmt-ignore

/** The next `count` of them. */
async function take<T>(clock: TestClock, source: AsyncGenerator<T>, count: number): Promise<T[]> {
  const found: T[] = []
  await clock.run(
    (async () => {
      while (found.length < count) found.push((await source.next()).value as T)
    })(),
  )
  return found
}

test('movements are those of all pages, newest first', async () => {
  await using s = await scene()
  s.stored.push(...[1, 2, 3, 4, 5].map((minute) => movement(minute, 1, minute)))
  const rows = await take(s.clock, s.client.movements({ from: movement(2, 1, 1).occurred_at }), 4)
  expect(rows.map(nameOf)).toEqual(['5: 1 at 5', '4: 1 at 4', '3: 1 at 3', '2: 1 at 2'])
})

test('follow begins with what moves from now on, and yields each once, also late ones and after faults', async () => {
  await using s = await scene()
  s.stored.push(...[1, 2, 3, 4, 5].map((minute) => movement(minute, 1, minute)))
  const following = s.client.follow({ ...s.options, overlapMs: 300_000 })
  const first = take(s.clock, following, 2)
  await s.clock.run(s.clock.wait(500, new AbortController().signal))
  s.stored.push(movement(7, 2, 7), movement(6, 2, 6))
  expect((await first).map(nameOf)).toEqual(['6: 2 at 6', '7: 2 at 7'])

  const broken = { status: 200, body: '{"data": [' }
  const busy = { status: 429, headers: { 'retry-after': '1' }, body: refusal('rate_limited') }
  s.faults.push(...Array.from({ length: 7 }, () => ({ status: 503, body: refusal('unavailable') })))
  s.faults.push(busy, busy, busy, broken, { status: 502, body: '<html>' })
  for (let minute = 8; minute < 20; minute += 1) s.stored.push(movement(minute, 3, minute))
  expect((await take(s.clock, following, 12)).map(nameOf)).toEqual(
    s.stored.slice(-12).map(nameOf),
  )
  expect(s.faults).toEqual([])

  s.stored.push(movement(15.5, 4, 1), movement(20, 4, 2)) // the first one is late
  expect((await take(s.clock, following, 2)).map(nameOf)).toEqual(['15.5: 4 at 1', '20: 4 at 2'])
  s.stored.push(movement(19.5, 5, 1)) // late, and nothing is newer
  expect((await take(s.clock, following, 1)).map(nameOf)).toEqual(['19.5: 5 at 1'])
}) // oxfmt-ignore

test('follow from an instant yields the past in order, and goes on', async () => {
  await using s = await scene()
  for (let hour = 0; hour < 70; hour += 5) s.stored.push(movement(hour * 60, 1, hour))
  const following = s.client.follow({ ...s.options, from: movement(300, 1, 1).occurred_at })
  const past = await take(s.clock, following, 13)
  expect(past.map(nameOf)).toEqual(s.stored.slice(1).map(nameOf))
  s.stored.push(movement(71 * 60, 1, 71))
  expect((await take(s.clock, following, 1)).map(nameOf)).toEqual([nameOf(movement(71 * 60, 1, 71))])
})

test('follow ends with the reason of its signal, and with an error that would come again', async () => {
  await using s = await scene()
  const stopping = new AbortController()
  const stopped = take(s.clock, s.client.follow({ ...s.options, signal: stopping.signal }), 1)
  const ended = stopped.catch((error: unknown) => error)
  setImmediate(() => stopping.abort(new Error('stopped')))
  expect(await ended).toMatchObject({ message: 'stopped' })
  s.faults.push({ status: 403, body: refusal('forbidden') })
  await expect(take(s.clock, s.client.follow(s.options), 1)).rejects.toMatchObject({ status: 403 })
})

test('a round names what was known before, and what is no movement any more', async () => {
  await using s = await scene()
  s.stored.push(movement(1, 1, 1))
  const following = rounds(s.client.api, s.options)
  const [first] = await take(s.clock, following, 1)
  expect(first?.known.map(nameOf)).toEqual(['1: 1 at 1'])
  s.stored.push(movement(2, 1, 2))
  const [second] = await take(s.clock, following, 1)
  expect(second?.moved.map(nameOf)).toEqual(['2: 1 at 2'])
  s.stored.pop()
  const [third] = await take(s.clock, following, 1)
  expect(third?.withdrawn.map(nameOf)).toEqual(['2: 1 at 2'])
})
