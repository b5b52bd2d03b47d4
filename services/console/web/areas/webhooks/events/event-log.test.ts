import { ApiError, type components } from '@whereabouts/client/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type EventLog, eventFollower, NOTHING } from './event-log.ts'

type Page = components['schemas']['EventPage']

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const event = (id: string): Page['data'][number] => ({
  id,
  type: 'asset.created',
  occurred_at: '2026-11-21T10:00:00.000Z',
  recorded_at: '2026-11-21T10:00:00.000Z',
  data: {},
})
const page = (cursor: string, ids: string[] = [], hasMore = false): Page => ({
  data: ids.map(event),
  cursor,
  has_more: hasMore,
})

/** A server that gives these answers in turn, then none any more. */
function following(answers: (Page | Error)[]) {
  const asked: string[] = []
  let log: EventLog = NOTHING
  const run = eventFollower({
    read: async (after, signal) => {
      asked.push(after)
      const answer = answers.shift()
      if (answer instanceof Error) throw answer
      return (
        answer ??
        new Promise<Page>((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')))
        })
      )
    },
    onChange: (change) => {
      log = change(log)
    },
  })
  const ids = () => log.entries.map((entry) => (entry.kind === 'gap' ? 'gap' : entry.event.id))
  return { asked, run, ids, log: () => log }
}

const refusal = (type: string, status: number) =>
  new ApiError(status, { type, title: type, status, detail: type, request_id: 'r' } as never)

test('each answer continues after the one before, a second later, newest first', async () => {
  const { asked, run, ids } = following([
    page('1'),
    page('2', ['a', 'b']),
    page('3', ['c']),
    page('4', ['d']),
  ])
  void run(new AbortController().signal)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(asked).toEqual(['now', '1', '2', '3', '4'])
  expect(ids()).toEqual(['d', 'c', 'b', 'a'])
})

test('it goes on by itself after failures, and says so meanwhile; stopped, it continues where it was', async () => {
  const failed = () => new TypeError('fetch failed')
  const { asked, run, ids, log } = following([page('1'), failed(), failed(), failed(), page('2', ['a'])])
  const first = new AbortController()
  void run(first.signal)
  await vi.advanceTimersByTimeAsync(2_000)
  expect(log().error).toBeInstanceOf(TypeError)
  await vi.advanceTimersByTimeAsync(20_000)
  expect([log().error, ids()]).toEqual([undefined, ['a']])
  first.abort()
  await vi.advanceTimersByTimeAsync(20_000)
  expect(asked).toEqual(['now', '1', '1', '1', '1', '2'])
  void run(new AbortController().signal)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(asked.at(-1)).toBe('2')
  expect(log().error).toBeUndefined()
})

test('what is too far behind, or no longer kept, is left out with a mark', async () => {
  const full = Array.from({ length: 10 }, (_, i) => page(`${i}`, [`old ${i}`], true))
  const { asked, run, ids } = following([
    ...full,
    page('20', []),
    page('21', ['new']),
    refusal('gone', 410),
    page('30', ['newest']),
  ])
  void run(new AbortController().signal)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(ids().slice(0, 5)).toEqual(['newest', 'gap', 'new', 'gap', 'old 9'])
  expect(asked.slice(-5)).toEqual(['now', '20', '21', 'now', '30'])
})
