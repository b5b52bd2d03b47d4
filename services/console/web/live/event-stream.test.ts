import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runStream } from './event-stream.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const moved = (seq: number) => `id: ${seq}-e\nevent: asset.moved\ndata: {"delivery_id":"${seq}"}\n\n`
const heartbeat = (seq: number) => `:\nid: ${seq}-e\n\n`
const RESET = 'id: 9-f\nevent: reset\ndata: {}\n\n'

/** A page that listens, and the far side, which answers each request with the next of `answers`, then with streams. */
async function listening(answers: number[] = [], page = new AbortController()) {
  const requests: string[] = []
  const heard: string[] = []
  let far: ReadableStreamDefaultController<Uint8Array> | undefined
  vi.stubGlobal(
    'fetch',
    async (_: string, { headers, signal }: { headers: Headers; signal: AbortSignal }) => {
      const { authorization, 'last-event-id': lastId } = headers as unknown as Record<string, string>
      requests.push(`${authorization} ${lastId ?? 'now'}`)
      const status = answers.shift()
      if (status !== undefined) return new Response(null, { status })
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          far = controller
          signal.addEventListener('abort', () => controller.error(signal.reason))
        },
      })
      return new Response(body)
    },
  )
  let id = ''
  let value = 'old'
  void runStream({
    path: '/api/v1/movements/live',
    token: async (refused) => {
      if (refused === value) value = 'new'
      return value
    },
    lastId: () => id,
    onId: (next) => {
      id = next
    },
    onEvent: (event, data, at) =>
      heard.push(event === 'asset.moved' ? `${(data as { delivery_id: string }).delivery_id} ${at}` : event),
    onStatus: (status) => heard.push(status),
    signal: page.signal,
  })
  const send = async (text: string) => {
    far?.enqueue(new TextEncoder().encode(text))
    await vi.advanceTimersByTimeAsync(0)
  }
  await vi.advanceTimersByTimeAsync(0)
  return { requests, heard, page, send, end: () => far?.close() }
}

test('continues after the last event or heartbeat, without gap or repetition', async () => {
  const { requests, heard, send, end } = await listening()
  const text = moved(4) + RESET + heartbeat(7)
  for (const character of text) await send(character)
  end()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(requests).toEqual(['Bearer old now', 'Bearer old 7-e'])
  expect(heard).toEqual(['live', '4 4-e', 'reset', 'interrupted', 'live'])
})

test('a silent stream is replaced, a stream with heartbeats is not', async () => {
  const { requests, send } = await listening()
  await vi.advanceTimersByTimeAsync(30_000)
  await send(heartbeat(1))
  await vi.advanceTimersByTimeAsync(30_000)
  expect(requests).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(15_000)
  expect(requests).toEqual(['Bearer old now', 'Bearer old 1-e'])
})

test('a page that stops hears nothing more, also if it stops while it connects', async () => {
  const { requests, heard, page, send } = await listening()
  const sent = send(moved(1))
  page.abort()
  await sent
  await vi.advanceTimersByTimeAsync(60_000)
  expect([heard, requests.length]).toEqual([['live'], 1])

  const leaves = new AbortController()
  const early = listening([], leaves)
  leaves.abort()
  expect((await early).heard).toEqual([])
})

test('a refused token is replaced; after a refused id, the server is asked to say that something was missed', async () => {
  const { requests } = await listening([401, 400])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(requests).toEqual(['Bearer old now', 'Bearer new now', 'Bearer new 0-0'])
})
