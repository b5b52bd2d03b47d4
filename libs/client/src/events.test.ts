import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cursorFile, type ConsumeOptions } from './events.ts'
import { refusal, serve, TestClock, type Answer } from './gate.fixture.ts'
import { createWhereabouts } from './whereabouts.ts'

const at = '2026-11-27T10:00:00.000Z'
const event = (n: number) => ({
  id: `e${n}`,
  type: 'asset.moved',
  occurred_at: at,
  recorded_at: at,
  data: {},
})
const page = (cursor: string, ...numbers: number[]): Answer => ({
  status: 200,
  body: { data: numbers.map(event), cursor, has_more: false },
})

const failed = (status: number): Answer => ({ status, body: refusal('some_type') })

/** A server that answers in turn. */
async function scene(...answers: Answer[]) {
  const clock = new TestClock()
  const queries: string[] = []
  const server = await serve(({ url = '' }) => {
    if (url.endsWith('token')) return { status: 200, body: { access_token: 't', expires_in: 9_000_000 } }
    queries.push(url.split('?')[1] ?? '')
    return answers.shift() ?? failed(418)
  })
  const client = createWhereabouts({ clientId: 'id', clientSecret: 's', userAgent: 'tests/1', ...clock.options, baseUrl: server.baseUrl })
  /** Until `most` events were handed over; the next one throws. */
  const consume = async (most: number, options: Partial<ConsumeOptions> = {}) => {
    const seen: string[] = []
    const onEvent = ({ id }: { id: string }) => {
      if (seen.length === most) throw new Error('stop')
      seen.push(id)
    }
    const consuming = clock.run(client.events.consume({ onEvent, wait: clock.wait, ...options }))
    await expect(consuming).rejects.toThrow('stop')
    return seen
  }
  return { ...server, clock, client, queries, answers, consume }
} // oxfmt-ignore

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cursor-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'cursor')
}

test('each event is handed over, and the cursor of each handled page is stored', async () => {
  const store = cursorFile(newFile())
  await using first = await scene(page('c1', 1, 2), page('c1'), page('c2', 3), page('c3', 4, 5))
  expect(await first.consume(4, { store })).toEqual(['e1', 'e2', 'e3', 'e4'])
  expect(await store.read()).toBe('c2')
  await using again = await scene(page('c3', 4, 5), page('c4', 6), page('c5', 7))
  expect(await again.consume(3, { store, types: ['asset.moved', 'asset.created'] })).toEqual([
    'e4',
    'e5',
    'e6',
  ])
  expect(again.queries[0]).toBe('limit=500&wait=25&after=c2&type=asset.moved&type=asset.created')
  expect(await store.read()).toBe('c4')
})

test('an empty store begins with the oldest event, without a store with what happens from now on', async () => {
  await using stored = await scene(page('c1', 1))
  await stored.consume(0, { store: cursorFile(newFile()) })
  expect(stored.queries).toEqual(['limit=500&wait=25'])
  await using bare = await scene(page('c1'), page('c2'), page('c3', 1))
  const caughtUp: string[] = []
  await bare.consume(0, { onCaughtUp: (cursor) => void caughtUp.push(cursor) })
  expect(bare.queries.map((query) => query.split('after=')[1])).toEqual(['now', 'c1', 'c2'])
  expect(caughtUp).toEqual(['c1', 'c2'])
})

test('faults only delay it, 12 in a row and again', async () => {
  const faults = Array.from({ length: 12 }, () => failed(503))
  await using s = await scene(
    page('c1', 1),
    ...faults,
    page('c2', 2),
    ...faults,
    page('c3', 3),
    page('c4', 4),
  )
  expect(await s.consume(3)).toEqual(['e1', 'e2', 'e3'])
})

test('it ends with the reason of its signal, and with an error that would come again', async () => {
  await using s = await scene(page('c1'), failed(410))
  const stopping = new AbortController()
  const options = { onEvent: () => undefined, wait: s.clock.wait, signal: stopping.signal }
  const gone = s.clock.run(s.client.events.consume({ ...options, onCaughtUp: () => undefined }))
  await expect(gone).rejects.toMatchObject({ status: 410 })
  stopping.abort(new Error('enough'))
  await expect(s.client.events.consume(options)).rejects.toThrow('enough')
})

test('the newest cursor is that of an answer from now on', async () => {
  await using s = await scene(page('c9'))
  expect(await s.clock.run(s.client.events.cursor())).toBe('c9')
  expect(s.queries).toEqual(['limit=1&wait=0&after=now'])
})
